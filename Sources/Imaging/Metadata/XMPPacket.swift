internal import CImageCodecs
internal import Foundation

/// Adapts XMP packets (ISO 16684-1) to an image that was made from another one.
///
/// A packet that is not well-formed XML, nests deeper than 64 elements, has a document type or exceeds 1 MiB counts as
/// absent.
enum XMPPacket {
    /// The packet for an upright sRGB image of another size, without thumbnails of the original; nil if it is invalid.
    static func updated(_ packet: Data, size: PixelSize) -> Data? {
        written { result, count in
            withBytes(packet) { nb_xmp_update($0, $1, Int32(size.width), Int32(size.height), result, count) }
        }
    }

    /// A new packet with the properties of some classes: those of the packet, plus those of the IPTC datasets that the
    /// packet lacks; nil if there are none.
    static func selected(_ packet: Data?, _ datasets: IPTCDatasets?, keeping classes: Set<MetadataClass>)
        -> Data?
    {
        var properties = Data()
        if let packet {
            properties =
                written { result, count in
                    withBytes(packet) { nb_xmp_select($0, $1, MetadataClass.bits(classes), result, count) }
                } ?? Data()
        }
        // Text is escaped, so a tag is always the property itself.
        let added = (datasets?.properties(of: classes) ?? []).filter { property in
            [">", " "].allSatisfy { properties.firstRange(of: Data("<\(property.name)\($0)".utf8)) == nil }
        }
        properties += Data(added.map(element).joined().utf8)
        guard !properties.isEmpty else { return nil }
        return Data(head(declaring: properties).utf8) + properties + Data(tail.utf8)
    }

    private static func element(_ property: IPTCDatasets.Property) -> String {
        let texts = property.texts.map(escaped)
        let value =
            switch property.form {
            case .text: texts.joined()
            case .list(let type):
                "<rdf:\(type)>\(texts.map { "<rdf:li>\($0)</rdf:li>" }.joined())</rdf:\(type)>"
            case .localized: "<rdf:Alt><rdf:li xml:lang=\"x-default\">\(texts.joined())</rdf:li></rdf:Alt>"
            }
        return "<\(property.name)>\(value)</\(property.name)>"
    }

    /// The beginning of a packet of these properties: the prefixes of rights are always declared, others if they occur.
    private static func head(declaring properties: Data) -> String {
        let declarations = namespaces.filter { prefix, _ in
            usual.contains(prefix) || properties.firstRange(of: Data("\(prefix):".utf8)) != nil
        }.map { " xmlns:\($0)=\"\($1)\"" }.joined()
        return """
            <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>\
            <x:xmpmeta xmlns:x="adobe:ns:meta/">\
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
            <rdf:Description rdf:about=""\(declarations)>
            """
    }

    private static let usual: Set = ["dc", "xmpRights", "photoshop", "plus", "Iptc4xmpCore", "Iptc4xmpExt"]

    /// The prefixes of properties and their namespaces, but those that are declared already.
    private static let namespaces: [(prefix: String, uri: String)] = {
        var all: [(String, String)] = []
        var prefix: UnsafePointer<CChar>?
        while let uri = nb_xmp_namespace(all.count, &prefix), let prefix {
            all.append((String(cString: prefix), String(cString: uri)))
        }
        return all.filter { !["rdf", "xml"].contains($0.0) }
    }()

    private static let tail = "</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end=\"r\"?>"

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            default: String(scalar)
            }
        }.joined()
    }

    /// The output of a function of the C codecs; nil if it fails.
    private static func written(
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int>) -> nb_status
    ) -> Data? {
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        guard body(&bytes, &count) == NB_OK, let bytes else { return nil }
        return Data(bytesNoCopy: bytes, count: count, deallocator: .custom { memory, _ in nb_free(memory) })
    }
}
