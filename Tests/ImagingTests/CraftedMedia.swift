import Foundation

/// An AVIF or HEIC written by hand around the compressed pixels of another, for what the encoders do not write: turned,
/// mirrored and cropped images, grids, other colours (ISO/IEC 14496-12, ISO/IEC 23008-12).
struct CraftedMedia {
    private var brand: String
    private var itemType: String
    /// The decoder's settings, as a whole box.
    let configuration: [UInt8]
    let compressed: [UInt8]
    let width: Int
    let height: Int
    /// Boxes that describe the image further, applied in this order.
    var properties: [[UInt8]] = []
    /// The number of tiles in a grid, all the same image, and the size that the grid shows.
    var grid: (columns: Int, rows: Int, width: Int, height: Int)?
    /// Items that describe the image: their type, of "mime" also the type of content, and their bytes.
    var metadata: [(type: String, contentType: String?, bytes: [UInt8])] = []
    /// The id of the primary item; an image, or a grid, is 1.
    var primary = 1
    /// The properties of a thumbnail of the image, with the same pixels, which is listed first.
    var thumbnail: [[UInt8]]?
    /// True if the items are listed from the last to the first.
    var isReversed = false
    /// The size in the boxes instead of the real one.
    var claimedSize: (width: Int, height: Int)?

    /// Parses a file of one image without alpha.
    init(_ file: Data, width: Int, height: Int) {
        let bytes = [UInt8](file)
        let isAVIF = Self.find("av1C", bytes) != nil
        brand = isAVIF ? "avif" : "heic"
        itemType = isAVIF ? "av01" : "hvc1"
        configuration = Self.box(of: isAVIF ? "av1C" : "hvcC", bytes)
        compressed = Array(Self.box(of: "mdat", bytes).dropFirst(8))
        self.width = width
        self.height = height
    }

    var data: Data {
        let head = Self.box("ftyp", Array((brand + "\0\0\0\0mif1miaf" + brand).utf8))
        // Its own size does not depend on the offset that it holds.
        let offset = head.count + meta(offset: 0).count + 8
        return Data(head + meta(offset: offset) + Self.box("mdat", compressed + metadata.flatMap(\.bytes)))
    }

    /// `irot`: so many quarter turns counter-clockwise.
    static func rotation(_ quarters: Int) -> [UInt8] { box("irot", [UInt8(quarters)]) }
    /// `imir`: 0 exchanges top and bottom, 1 left and right.
    static func mirror(_ mode: Int) -> [UInt8] { box("imir", [UInt8(mode)]) }
    /// `colr` of code points (H.273).
    static func colors(primaries: Int, transfer: Int, matrix: Int = 6, isFullRange: Bool = true) -> [UInt8] {
        let codes = [0, UInt8(primaries), 0, UInt8(transfer), 0, UInt8(matrix)]
        return box("colr", Array("nclx".utf8) + codes + [isFullRange ? 0x80 : 0])
    }
    /// `clli`: the brightest light of a picture, in cd/m².
    static func contentLight(_ most: Int) -> [UInt8] { box("clli", bytes16(most) + [0, 0]) }
    /// `mdcv`: the brightest light of the screen on which a picture was made, in cd/m².
    static func screenLight(_ most: Int) -> [UInt8] {
        box("mdcv", [UInt8](repeating: 0, count: 16) + bytes32(most * 10_000) + bytes32(0))
    }
    /// `colr` of an ICC profile.
    static func profile(_ icc: [UInt8]) -> [UInt8] { box("colr", Array("prof".utf8) + icc) }
    /// `clap`: a crop around the centre, moved by whole pixels.
    static func aperture(width: Int, height: Int, x: Int, y: Int) -> [UInt8] {
        box("clap", [width, 1, height, 1, x, 1, y, 1].flatMap(bytes32))
    }

    /// The box that describes the image, whose pixels begin at an offset of the file.
    func meta(offset: Int) -> [UInt8] {
        let tiles = (grid?.columns ?? 0) * (grid?.rows ?? 0)
        let images = grid == nil ? [1] : Array(2..<2 + tiles)
        let items = (thumbnail == nil ? [] : [50]) + (grid == nil ? [] : [1]) + images
        let shown = grid.map { ($0.width, $0.height) } ?? claimedSize ?? (width, height)

        let described = metadata.indices.map { 100 + $0 }
        var entries = Self.bytes16(items.count + described.count)
        for item in isReversed ? items.reversed() : items {
            let type = grid != nil && item == 1 ? "grid" : itemType
            entries += Self.box("infe", [2, 0, 0, 0] + Self.bytes16(item) + [0, 0] + Array(type.utf8) + [0])
        }
        for (item, part) in zip(described, metadata) {
            var content: [UInt8] = [2, 0, 0, 0] + Self.bytes16(item) + [0, 0]
            content += Array((part.type + "\0" + (part.contentType.map { $0 + "\0" } ?? "")).utf8)
            entries += Self.box("infe", content)
        }
        // Version 1: a grid's own description stands in idat (construction method 1).
        var locations: [UInt8] = [1, 0, 0, 0, 0x44, 0] + Self.bytes16(items.count + described.count)
        for item in items {
            let isGrid = grid != nil && item == 1
            locations += Self.bytes16(item) + [0, isGrid ? 1 : 0, 0, 0, 0, 1]
            locations += isGrid ? bytes32(0) + bytes32(8) : bytes32(offset) + bytes32(compressed.count)
        }
        var end = offset + compressed.count
        for (item, part) in zip(described, metadata) {
            locations += Self.bytes16(item) + [0, 0, 0, 0, 0, 1]
            locations += bytes32(end) + bytes32(part.bytes.count)
            end += part.bytes.count
        }
        // Properties 1 and 2 are the compressed image's, 3 the shown size, then the rest.
        let boxes =
            [configuration, extent(width, height), extent(shown.0, shown.1), pixelDepths] + properties
            + (thumbnail ?? [])
        var links = [0, 0, 0, 0] + bytes32(items.count)
        let extra = associations(with: properties, from: 5)
        // libavif wants them by their ids, as the standard does; libheif takes any order.
        for item in brand == "avif" ? items.sorted() : items {
            let isPrimary = item == 1
            let ofThumbnail = associations(with: thumbnail ?? [], from: 5 + properties.count)
            let own: [UInt8] =
                item == 50
                ? [0x81, 2, 4] + ofThumbnail
                : isPrimary ? (grid == nil ? [0x81, 3, 4] : [3, 4]) + extra : [0x81, 2, 4]
            links += Self.bytes16(item) + [UInt8(own.count)] + own
        }
        var content: [UInt8] = [0, 0, 0, 0]
        content += Self.box(
            "hdlr",
            bytes32(0) + bytes32(0) + Array("pict".utf8) + [UInt8](repeating: 0, count: 13)
        )
        content += Self.box("pitm", [0, 0, 0, 0] + Self.bytes16(primary))
        content += Self.box("iloc", locations)
        content += Self.box("iinf", [0, 0, 0, 0] + entries)
        content += Self.box("iprp", Self.box("ipco", boxes.flatMap { $0 }) + Self.box("ipma", links))
        var references = described.flatMap {
            Self.box("cdsc", Self.bytes16($0) + Self.bytes16(1) + Self.bytes16(1))
        }
        if thumbnail != nil {
            references += Self.box("thmb", Self.bytes16(50) + Self.bytes16(1) + Self.bytes16(1))
        }
        if grid != nil {
            let cells = Self.bytes16(1) + Self.bytes16(tiles) + images.flatMap(Self.bytes16)
            references += Self.box("dimg", cells)
        }
        if !references.isEmpty { content += Self.box("iref", [0, 0, 0, 0] + references) }
        if let grid {
            let counts = [UInt8(grid.rows - 1), UInt8(grid.columns - 1)]
            content += Self.box(
                "idat",
                [0, 0] + counts + Self.bytes16(grid.width) + Self.bytes16(grid.height)
            )
        }
        return Self.box("meta", content)
    }

    /// Links to properties with the numbers from `first` on; a reader need not know those about brightness.
    private func associations(with properties: [[UInt8]], from first: Int) -> [UInt8] {
        properties.enumerated().map { index, box in
            let isOptional = ["clli", "mdcv"].contains { box[4..<8].elementsEqual($0.utf8) }
            return UInt8((isOptional ? 0 : 0x80) | (first + index))
        }
    }

    private func extent(_ width: Int, _ height: Int) -> [UInt8] {
        Self.box("ispe", [0, 0, 0, 0] + bytes32(width) + bytes32(height))
    }

    private var pixelDepths: [UInt8] { Self.box("pixi", [0, 0, 0, 0, 3, 8, 8, 8]) }

    static func bytes16(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }

    static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        bytes32(content.count + 8) + Array(type.utf8) + content
    }

    private static func find(_ type: String, _ bytes: [UInt8]) -> Int? {
        let tag = Array(type.utf8)
        return bytes.indices.dropLast(3).first { Array(bytes[$0..<$0 + 4]) == tag }
    }

    private static func box(of type: String, _ bytes: [UInt8]) -> [UInt8] {
        guard let tag = find(type, bytes), tag >= 4 else { return [] }
        let length = bytes[tag - 4..<tag].reduce(0) { $0 << 8 | Int($1) }
        return Array(bytes[tag - 4..<min(bytes.count, tag - 4 + length)])
    }
}
