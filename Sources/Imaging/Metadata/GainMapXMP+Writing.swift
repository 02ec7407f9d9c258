internal import Foundation

extension GainMapXMP {
    private static let head = """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>\
        <x:xmpmeta xmlns:x="adobe:ns:meta/">\
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        """
    private static let tail = "</rdf:RDF></x:xmpmeta><?xpacket end=\"r\"?>"
    private static let adobe = "xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\" hdrgm:Version=\"1.0\""

    /// Writes the packet of the image beside a gain map, with the directory of both.
    ///
    /// - Parameters:
    ///   - length: The bytes of the map's JPEG.
    ///   - packet: A packet whose properties stay; nil for none. One without a place to insert anything has none.
    ///   - most: The most bytes of the result; the other packet is left out where it does not fit.
    /// - Returns: The packet as UTF-8.
    static func directory(ofMap length: Int, in packet: Data?, most: Int) -> Data {
        let description = Data(
            """
            <rdf:Description xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" rdf:about="" \(adobe) \
            xmlns:Container="http://ns.google.com/photos/1.0/container/" \
            xmlns:Item="http://ns.google.com/photos/1.0/container/item/">\
            <Container:Directory><rdf:Seq>\
            <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="Primary" Item:Mime="image/jpeg"/></rdf:li>\
            <rdf:li rdf:parseType="Resource">\
            <Container:Item Item:Semantic="GainMap" Item:Mime="image/jpeg" Item:Length="\(length)"/></rdf:li>\
            </rdf:Seq></Container:Directory></rdf:Description>
            """.utf8
        )
        if let packet, let end = GainMapXMP(packet)?.end, packet.count + description.count <= most {
            return packet.prefix(end) + description + packet.dropFirst(end)
        }
        return Data(head.utf8) + description + Data(tail.utf8)
    }

    /// The packet of a gain map itself.
    static func packet(_ metadata: GainMapMetadata) -> Data {
        let channels = metadata.channels
        let properties: [(String, [Double])] = [
            ("GainMapMin", channels.map(\.minimum)), ("GainMapMax", channels.map(\.maximum)),
            ("Gamma", channels.map(\.gamma)), ("OffsetSDR", channels.map(\.standardOffset)),
            ("OffsetHDR", channels.map(\.highOffset)), ("HDRCapacityMin", [metadata.standardHeadroom]),
            ("HDRCapacityMax", [metadata.highHeadroom]),
        ]
        let single = properties.filter { $0.1.count == 1 }.map { " hdrgm:\($0.0)=\"\(text($0.1[0]))\"" }
        let lists = properties.filter { $0.1.count > 1 }.map { name, values in
            let items = values.map { "<rdf:li>\(text($0))</rdf:li>" }.joined()
            return "<hdrgm:\(name)><rdf:Seq>\(items)</rdf:Seq></hdrgm:\(name)>"
        }
        let base = " hdrgm:BaseRenditionIsHDR=\"\(metadata.baseIsHighRange ? "True" : "False")\""
        let description =
            "<rdf:Description rdf:about=\"\" \(adobe)\(single.joined())\(base)>\(lists.joined())</rdf:Description>"
        return Data((head + description + tail).utf8)
    }

    /// A number as XMP has it: no exponent, at most nine digits behind the point.
    private static func text(_ value: Double) -> String {
        let digits = String(format: "%.9f", value)
        let shown = digits.reversed().drop { $0 == "0" }.drop { $0 == "." }.reversed()
        return String(shown)
    }
}
