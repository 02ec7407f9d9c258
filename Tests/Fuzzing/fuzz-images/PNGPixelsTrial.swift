import Foundation
import TestSupport

/// The direct decoder of a PNG's pixels against libpng: what it decodes, libpng decodes too, to the same samples.
enum PNGPixelsTrial {
    static func run(_ bytes: Data) -> Bool { compare(bytes, isFlawed: false) }

    /// The control: one sample of the direct decoder's is wrong.
    static func runFlawed(_ bytes: Data) -> Bool { compare(bytes, isFlawed: true) }

    private static func compare(_ bytes: Data, isFlawed: Bool) -> Bool {
        var choices = Choices(bytes.prefix(4))
        let (kind, choice) = (choices.byte(), choices.byte())
        let (width, split) = (choices.byte() + 1, choices.byte())
        let rest = bytes.dropFirst(4)
        guard !rest.isEmpty else { return false }
        let (file, shape) = kind < 32 ? whole(rest) : made(of: rest, kind, width, split, window: choice % 8)
        guard shape.width > 0, shape.height > 0, shape.width * shape.height <= 300_000 else { return false }
        func pixels(by decoder: PNGPixels.Decoder) -> PNGPixels {
            PNGPixels(
                of: file,
                width: shape.width,
                height: shape.height,
                planes: shape.planes,
                sampleBytes: choice >> 3 & 1 + 1,
                factor: choice >> 4 & 3 + 1,
                by: decoder
            )
        }
        guard case .samples(var samples) = pixels(by: .direct) else { return true }
        if isFlawed { samples[0] ^= 1 }
        if pixels(by: .libpng) != .samples(samples) { fatalError("the decoders of PNG differ: \(shape)") }
        return true
    }

    /// Bytes as the deflated data of an image, which is as high as they fill.
    private static func made(
        of bytes: Data,
        _ kind: Int,
        _ width: Int,
        _ split: Int,
        window: Int
    ) -> (Data, PNGShape) {
        let (colorType, depth) = PNGShape.kinds[kind % PNGShape.kinds.count]
        let (stream, count) = PNGShape.stream(of: [UInt8](bytes), window: window)
        var shape = PNGShape(colorType: colorType, depth: depth, width: width, height: 1)
        shape.height = max(1, count / (shape.rowBytes + 1))
        if colorType == 3 { shape.chunks.append(("PLTE", [UInt8](repeating: 7, count: 3 << depth))) }
        if split > 0 { shape.split = split }
        return (shape.file(stream), shape)
    }

    /// Bytes as a file, and what its header says of its shape.
    private static func whole(_ bytes: Data) -> (Data, PNGShape) {
        let file = PNGShape.withChecksums(Data(bytes))
        var shape = PNGShape(colorType: 0, depth: 8, width: 0, height: 0)
        guard file.count > 32 else { return (file, shape) }
        shape.width = file[16..<20].reduce(0) { $0 << 8 | Int($1) }
        shape.height = file[20..<24].reduce(0) { $0 << 8 | Int($1) }
        shape.colorType = Int(file[25]) & 6
        if file.range(of: Data("tRNS".utf8)) != nil { shape.chunks.append(("tRNS", [])) }
        // Sides that do not multiply to more than an Int, nor to more than is tried.
        if max(shape.width, shape.height) > 100_000 { shape.width = 0 }
        return (file, shape)
    }
}
