internal import CImageCodecs
internal import Foundation

/// XMP packets (ISO 16684-1) for an image that was made of another one.
///
/// A packet that is no well-formed XML, nests deeper than 64 elements, has a document type or more than a megabyte is taken
/// for none.
enum XMPPacket {
    /// The packet, upright, in sRGB and of another size, without small pictures of the original; nil if it is none.
    static func updated(_ packet: Data, size: PixelSize) -> Data? {
        written { result, count in
            withBytes(packet) { nb_xmp_update($0, $1, Int32(size.width), Int32(size.height), result, count) }
        }
    }

    /// A new packet of the rights alone: those of a packet, and of IPTC datasets what the packet does not tell; nil if
    /// there are none.
    static func rights(_ packet: Data?, _ datasets: IPTCDatasets?) -> Data? {
        var properties = Data()
        if let packet {
            properties =
                written { result, count in withBytes(packet) { nb_xmp_rights($0, $1, result, count) } }
                ?? Data()
        }
        // Text is escaped: a tag can be nothing but the property.
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

    /// What a function of the C codecs writes; nil where it fails.
    private static func written(
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int>) -> nb_status
    ) -> Data? {
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        guard body(&bytes, &count) == NB_OK, let bytes else { return nil }
        return Data(bytesNoCopy: bytes, count: count, deallocator: .custom { memory, _ in nb_free(memory) })
    }
}
