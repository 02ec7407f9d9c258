#if AVIF
import Foundation
import Imaging

/// An AVIF with a gain map whose boxes (ISO/IEC 23008-12 with its first amendment) are made here around two AVIFs.
///
/// Items are 1, the image, and 3, the map, and 2 with the numbers, by which a viewer that knows them makes a brighter image.
struct ToneMappedAVIF {
    /// The image and the map, each of one item without alpha.
    let base, map: CraftedMedia
    /// True if the map has one channel.
    let isGray: Bool
    /// The map's numbers by ISO 21496-1.
    var iso = UltraHDRFile.iso([(0, 1), (3, 1), (-1, 3), (11, 4), (3, 2), (1, 64), (1, 100)])
    /// Boxes that turn and crop the image, and those of the map, which must be the same.
    var properties: [[UInt8]] = []
    var mapProperties: [[UInt8]]?
    /// The code points of the image, and the primaries of the brighter image.
    var primaries = 1
    var alternatePrimaries = 1

    /// The picture and its map of `MarkedPictures`.
    init(mapDividedBy factor: Int = 4, isColored: Bool = false) throws {
        let size = MarkedPictures.size
        let mapSize = PixelSize(width: size.width / factor, height: size.height / factor)
        let marks = try MarkedPictures.image(dividedBy: factor)
        base = try Self.media(try MarkedPictures.image(), size)
        map = try Self.media(isColored ? marks : try Grayscale().apply(to: marks), mapSize)
        isGray = !isColored
    }

    private static func media(_ image: Image, _ size: PixelSize) throws -> CraftedMedia {
        let options = AVIFOptions(quality: 95, speed: 8)
        let file = try ImageEncoder.encode(Flatten().apply(to: image), as: .avif(options))
        return CraftedMedia(file, width: size.width, height: size.height)
    }

    /// The compressed data of items 1 to 3.
    private var contents: [[UInt8]] {
        [Array(base.compressed), [0] + iso, Array(map.compressed)]
    }

    var data: Data {
        let head = CraftedMedia.box("ftyp", Array("avif\0\0\0\0mif1miafaviftmap".utf8))
        // Its own size does not depend on the offset that it holds.
        let offset = head.count + meta(offset: 0).count + 8
        return Data(head + meta(offset: offset) + CraftedMedia.box("mdat", contents.flatMap { $0 }))
    }

    private func meta(offset: Int) -> [UInt8] {
        var (locations, entries, start) = ([UInt8](), [UInt8](), offset)
        for (index, content) in contents.enumerated() {
            let id = CraftedMedia.bytes16(index + 1)
            locations += id + [0, 0, 0, 1] + bytes32(start) + bytes32(content.count)
            start += content.count
            let type = Array((index == 1 ? "tmap" : "av01").utf8)
            // The map is hidden.
            entries += CraftedMedia.box("infe", [2, 0, 0, index == 2 ? 1 : 0] + id + [0, 0] + type + [0])
        }
        let handler = bytes32(0) + bytes32(0) + Array("pict".utf8) + [UInt8](repeating: 0, count: 13)
        let inputs = [2, 2, 1, 3].flatMap(CraftedMedia.bytes16)
        let group = [0, 9, 2, 2, 1].flatMap(bytes32)
        var content: [UInt8] = [0, 0, 0, 0] + CraftedMedia.box("hdlr", handler)
        content += CraftedMedia.box("pitm", [0, 0, 0, 0, 0, 1])
        content += CraftedMedia.box("iloc", [0, 0, 0, 0, 0x44, 0, 0, 3] + locations)
        content += CraftedMedia.box("iinf", [0, 0, 0, 0, 0, 3] + entries)
        content += CraftedMedia.box("iref", [0, 0, 0, 0] + CraftedMedia.box("dimg", inputs))
        content += CraftedMedia.box("iprp", described)
        content += CraftedMedia.box("grpl", CraftedMedia.box("altr", group))
        return CraftedMedia.box("meta", content)
    }

    /// The properties, and which item has which.
    private var described: [UInt8] {
        let ofMap = mapProperties ?? properties
        let boxes =
            [
                base.configuration, extent(base), channels(3),
                CraftedMedia.colors(primaries: primaries, transfer: 13),
                map.configuration, extent(map), channels(isGray ? 1 : 3),
                CraftedMedia.colors(primaries: 2, transfer: 2),
                CraftedMedia.colors(primaries: alternatePrimaries, transfer: 16),
            ] + properties + ofMap
        func essential(_ range: Range<Int>) -> [UInt8] { range.map { UInt8(0x80 | ($0 + 10)) } }
        let owners: [[UInt8]] = [
            [0x81, 2, 3, 4] + essential(0..<properties.count), [2, 9],
            [0x85, 6, 7, 8] + essential(properties.count..<properties.count + ofMap.count),
        ]
        var links = bytes32(0) + bytes32(owners.count)
        for (index, own) in owners.enumerated() {
            links += CraftedMedia.bytes16(index + 1) + [UInt8(own.count)] + own
        }
        return CraftedMedia.box("ipco", boxes.flatMap { $0 }) + CraftedMedia.box("ipma", links)
    }

    private func extent(_ media: CraftedMedia) -> [UInt8] {
        CraftedMedia.box("ispe", bytes32(0) + bytes32(media.width) + bytes32(media.height))
    }

    private func channels(_ count: Int) -> [UInt8] {
        CraftedMedia.box("pixi", bytes32(0) + [UInt8(count)] + [UInt8](repeating: 8, count: count))
    }
}
#endif
