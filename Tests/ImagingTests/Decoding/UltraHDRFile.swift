import Foundation

/// A JPEG with a gain map behind it, whose segments are made here byte by byte.
struct UltraHDRFile {
    /// The picture and the map, each a JPEG of its own.
    var base, map: Data
    /// The index of pictures, in this byte order; nil for none.
    var index: ByteOrder? = .big
    /// True for a directory in the picture's XMP.
    var hasDirectory = true
    /// The map's own packet of XMP; nil for none.
    var xmp: String? = Self.xmp()
    /// The map's numbers by ISO 21496-1; nil for none.
    var iso: [UInt8]?
    /// Bytes behind the map that belong to neither, and a picture before it.
    var trailer = Data()
    var preview = Data()

    enum ByteOrder: CaseIterable { case big, little }

    /// A map's packet, by default of usual numbers.
    static func xmp(
        _ attributes: String = #"hdrgm:GainMapMax="3" hdrgm:HDRCapacityMax="3""#,
        _ elements: String = ""
    ) -> String {
        """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
        <rdf:Description rdf:about="" xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" \
        hdrgm:Version="1.0" \(attributes)>\(elements)</rdf:Description></rdf:RDF></x:xmpmeta>
        """
    }

    /// The numbers by ISO 21496-1, of which each is a numerator and a denominator.
    static func iso(flags: UInt8 = 0x40, version: UInt8 = 0, _ numbers: [(Int, Int)]) -> [UInt8] {
        [0, version, 0, 0, flags] + numbers.flatMap { bytes($0.0, 4, .big) + bytes($0.1, 4, .big) }
    }

    var data: Data {
        var ownSegments = Data()
        if let xmp { ownSegments += Self.segment(0xE1, "http://ns.adobe.com/xap/1.0/\0", Array(xmp.utf8)) }
        if let iso { ownSegments += Self.segment(0xE2, "urn:iso:std:iso:ts:21496:-1\0", iso) }
        let map = map.prefix(2) + ownSegments + map.dropFirst(2)
        var segments = Data()
        if hasDirectory {
            let packet = directory(map.count + trailer.count)
            segments += Self.segment(0xE1, "http://ns.adobe.com/xap/1.0/\0", Array(packet.utf8))
        }
        if let order = index {
            // A segment's head has four bytes, and "MPF" with its end four more.
            let place = 2 + segments.count + 8
            let first = base.count + segments.count + 8 + (preview.isEmpty ? 82 : 98)
            var entries = [(0x030000, first, 0)]
            if !preview.isEmpty { entries.append((0x010001, preview.count, first - place)) }
            entries.append((0, map.count, first + preview.count - place))
            segments += Self.segment(0xE2, "MPF\0", pictures(entries, order))
        }
        return base.prefix(2) + segments + base.dropFirst(2) + preview + map + trailer
    }

    private func pictures(_ entries: [(Int, Int, Int)], _ order: ByteOrder) -> [UInt8] {
        func short(_ value: Int) -> [UInt8] { Self.bytes(value, 2, order) }
        func long(_ value: Int) -> [UInt8] { Self.bytes(value, 4, order) }
        let head: [UInt8] = order == .big ? [0x4D, 0x4D, 0, 42] : [0x49, 0x49, 42, 0]
        let version = short(0xB000) + short(7) + long(4) + Array("0100".utf8)
        let count = short(0xB001) + short(4) + long(1) + long(entries.count)
        let list = short(0xB002) + short(7) + long(16 * entries.count) + long(50)
        let values = entries.flatMap { long($0.0) + long($0.1) + long($0.2) + long(0) }
        return head + long(8) + short(3) + version + count + list + long(0) + values
    }

    private func directory(_ length: Int) -> String {
        """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
        <rdf:Description xmlns:Container="http://ns.google.com/photos/1.0/container/" \
        xmlns:Item="http://ns.google.com/photos/1.0/container/item/"><Container:Directory><rdf:Seq>\
        <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="Primary" Item:Mime="image/jpeg"/></rdf:li>\
        <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="GainMap" Item:Mime="image/jpeg" \
        Item:Length="\(length)"/></rdf:li></rdf:Seq></Container:Directory></rdf:Description></rdf:RDF></x:xmpmeta>
        """
    }

    static func segment(_ marker: UInt8, _ prefix: String, _ content: [UInt8]) -> Data {
        Data([0xFF, marker] + bytes(2 + prefix.utf8.count + content.count, 2, .big)) + Data(prefix.utf8)
            + Data(content)
    }

    static func bytes(_ value: Int, _ count: Int, _ order: ByteOrder) -> [UInt8] {
        let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return order == .little ? little : little.reversed()
    }
}
