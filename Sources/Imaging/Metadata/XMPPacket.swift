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

    /// A new packet with only the rights: those of the packet, plus those of the IPTC datasets that the packet lacks;
    /// nil if there are none.
    static func rights(_ packet: Data?, _ datasets: IPTCDatasets?) -> Data? {
        var properties = Data()
        if let packet {
            properties =
                written { result, count in withBytes(packet) { nb_xmp_rights($0, $1, result, count) } }
                ?? Data()
        }
        // Text is escaped, so a tag is always the property itself.
        func lacks(_ property: String) -> Bool { properties.firstRange(of: Data("<\(property)".utf8)) == nil }
        var added = ""
        if let datasets {
            // The IPTC Photo Metadata Standard's mapping of the older datasets.
            if !datasets.creators.isEmpty, lacks("dc:creator") {
                let names = datasets.creators.map { "<rdf:li>\(escaped($0))</rdf:li>" }.joined()
                added += "<dc:creator><rdf:Seq>\(names)</rdf:Seq></dc:creator>"
            }
            if let notice = datasets.notice, lacks("dc:rights") {
                added +=
                    "<dc:rights><rdf:Alt><rdf:li xml:lang=\"x-default\">\(escaped(notice))</rdf:li></rdf:Alt></dc:rights>"
            }
            if let credit = datasets.credit, lacks("photoshop:Credit") {
                added += "<photoshop:Credit>\(escaped(credit))</photoshop:Credit>"
            }
        }
        properties += Data(added.utf8)
        return properties.isEmpty ? nil : Data(head.utf8) + properties + Data(tail.utf8)
    }

    private static let head = """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>\
        <x:xmpmeta xmlns:x="adobe:ns:meta/">\
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
        <rdf:Description rdf:about=""\
         xmlns:dc="http://purl.org/dc/elements/1.1/"\
         xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/"\
         xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"\
         xmlns:plus="http://ns.useplus.org/ldf/xmp/1.0/"\
         xmlns:Iptc4xmpCore="http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/"\
         xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/">
        """

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
