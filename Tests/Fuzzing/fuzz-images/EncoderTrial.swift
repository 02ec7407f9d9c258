import Foundation
import Imaging

/// Encoders: bytes choose the picture and the settings.
enum EncoderTrial {
    /// Checks that a written image can be read and has its size, and, if the format is lossless, its pixels.
    static func run(_ bytes: Data) -> Bool {
        var choices = Choices(bytes)
        _ = Trial.outcome {
            let format = choices.format()
            let image = try choices.image(side: 64)
            let file = try ImageEncoder.encode(image, as: format)
            guard let decoded = try? ImageDecoder.decode(file) else {
                fatalError("\(format) cannot be read back")
            }
            guard decoded.size == image.size else {
                fatalError("\(format) of \(image.size) is read back as \(decoded.size)")
            }
            let isLossless =
                switch format {
                case .png(let options): !options.palette
                // WebP drops the colours of what is transparent.
                case .webp(let options): options.lossless && !image.hasAlpha
                case .jxl(let options): options.lossless || options.distance == 0
                default: false
                }
            guard try !isLossless || decoded.rgba() == image.rgba() else {
                fatalError("\(format) has other pixels than were written")
            }
        }
        return true
    }
}
