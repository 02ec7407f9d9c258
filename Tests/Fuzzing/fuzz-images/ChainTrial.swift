import Foundation
import Imaging

/// Chains of operations: bytes choose them, their parameters and the picture.
enum ChainTrial {
    /// Whole files of each kind of planes that a decode gives: 16 bits, gray, subsampled, with alpha.
    private static let files = [
        "deep.png", "gray.jpg", "baseline.jpg", "restart.jpg", "alpha.webp", "rgb.png",
    ].map {
        Seeds.file($0)
    }

    /// A chain on a whole decode and on the smallest that will do: both have the size that was promised, and can be encoded.
    static func run(_ bytes: Data) -> Bool {
        var choices = Choices(bytes)
        _ = Trial.outcome {
            let kept = choices.flag() ? choices.one(of: files) : nil
            let file =
                try kept ?? ImageEncoder.encode(try choices.image(), as: .png(PNGOptions(compression: 1)))
            let header = try ImageHeader.read(file)
            let (bitDepth, format) = (choices.flag() ? 16 : 8, choices.format())
            var operations: [any ImageOperation] = []
            repeat {
                operations.append(try choices.operation())
            } while operations.count < 4 && !choices.isEmpty
            let chain = OperationChain(operations, limits: Trial.limits)
            let promised = try chain.outputSize(for: header.size)
            for size in Set([nil, try chain.coveringSize(for: header.size)]) {
                let image = try ImageDecoder.decode(file, header: header, covering: size, bitDepth: bitDepth)
                let result = try chain.apply(to: image, originalSize: header.size, for: format)
                guard result.size == promised || operations.contains(where: \.isSizedByPixels) else {
                    fatalError(
                        "\(operations) of \(header.size), decoded \(image.size): \(result.size), not \(promised)"
                    )
                }
                _ = try ImageEncoder.encode(result, as: format)
            }
        }
        return true
    }
}
