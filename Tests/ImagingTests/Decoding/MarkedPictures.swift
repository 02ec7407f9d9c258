import Foundation
import Imaging

/// A picture and a map that have white marks on black at the same places, to see that they stay there.
enum MarkedPictures {
    static let size = PixelSize(width: 480, height: 320)

    /// True inside a mark: a large one, and a small one that tells how the picture is turned.
    static func isMarked(_ x: Double, _ y: Double) -> Bool {
        (x >= 120 && x < 280 && y >= 80 && y < 200) || (x >= 280 && x < 320 && y >= 80 && y < 120)
    }

    /// The picture or a map of it, of 480×320 pixels divided by `factor`.
    static func image(dividedBy factor: Int = 1, color: [UInt8] = [255, 255, 255]) throws -> Image {
        try Photographs.pattern(size.width / factor, size.height / factor) { x, y in
            isMarked((Double(x) + 0.5) * Double(factor), (Double(y) + 0.5) * Double(factor))
                ? color + [255] : [0, 0, 0, 255]
        }
    }

    static func jpeg(_ image: Image) throws -> Data {
        try ImageEncoder.encode(
            Flatten().apply(to: image),
            as: .jpeg(JPEGOptions(quality: 95, subsampling: .s444))
        )
    }

    static func file(mapDividedBy factor: Int = 4, isColored: Bool = false) throws -> UltraHDRFile {
        let map = try image(dividedBy: factor)
        return UltraHDRFile(
            base: try jpeg(try image()),
            map: try jpeg(isColored ? map : try Grayscale().apply(to: map))
        )
    }

    /// The edges of what is bright, as parts of the sides; nil for an image without any.
    static func edges(_ image: Image) throws -> [Double]? {
        let (rgba, size) = ([UInt8](try image.rgba()), image.size)
        var box = (left: Int.max, top: Int.max, right: 0, bottom: 0)
        for y in 0..<size.height {
            for x in 0..<size.width where rgba[4 * (y * size.width + x)] > 127 {
                box = (min(box.left, x), min(box.top, y), max(box.right, x + 1), max(box.bottom, y + 1))
            }
        }
        guard box.right > 0 else { return nil }
        let (width, height) = (Double(size.width), Double(size.height))
        return [
            Double(box.left) / width, Double(box.top) / height, Double(box.right) / width,
            Double(box.bottom) / height,
        ]
    }

    /// The place of the brightness, as parts of the sides.
    static func center(_ image: Image) throws -> [Double] {
        let (rgba, size) = ([UInt8](try image.rgba()), image.size)
        var (sum, across, down) = (0.0, 0.0, 0.0)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let value = Double(rgba[4 * (y * size.width + x)])
                sum += value
                across += value * (Double(x) + 0.5)
                down += value * (Double(y) + 0.5)
            }
        }
        return [across / sum / Double(size.width), down / sum / Double(size.height)]
    }

    /// The part of the pixels that are bright in one picture and dark in the other one, of which the second is a map.
    static func difference(_ image: Image, _ map: Image) throws -> Double {
        let small = try Resize(
            width: map.size.width,
            height: map.size.height,
            contentMode: .fill,
            filter: .box
        )
        .apply(to: image)
        let (one, other) = ([UInt8](try small.rgba()), [UInt8](try map.rgba()))
        let differing = stride(from: 0, to: one.count, by: 4).filter { (one[$0] > 127) != (other[$0] > 127) }
        return Double(differing.count) / Double(map.size.width * map.size.height)
    }
}

/// An image that is written with the gain map of its original, and both as they are read again.
struct WrittenGainMap {
    let file: Data
    let header: ImageHeader
    let image: Image
    let map: GainMap?

    init(
        _ source: Data,
        through operations: [any ImageOperation] = [],
        as format: EncodingFormat = .jpeg(JPEGOptions(quality: 95, subsampling: .s444)),
        keeping policy: MetadataPolicy = .strip
    ) throws {
        let before = try ImageHeader.read(source)
        let chain = OperationChain(operations)
        let covering = try chain.coveringSize(for: before.size)
        let decoded = try ImageDecoder.decode(source, header: before, covering: covering)
        var gainMap: GainMap? = try GainMap(of: source, before, covering: covering)
        let result = try chain.apply(
            to: decoded,
            gainMap: &gainMap,
            originalSize: before.size,
            for: format
        )
        file = try ImageEncoder.encoded(
            result,
            as: format,
            background: .black,
            metadata: ImageMetadata(of: source, before, keeping: policy, size: result.size),
            gainMap: gainMap
        ).data
        header = try ImageHeader.read(file)
        image = try ImageDecoder.decode(file, header: header)
        map = header.gainMap == nil ? nil : try GainMap(of: file, header)
    }
}
