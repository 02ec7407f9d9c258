internal import Foundation

/// Writes GIF: one frame with at most 256 colours, dithered, and transparency without steps.
enum GIFEncoder {
    static func encode(_ image: Image, _ options: GIFOptions) throws(ImagingError) -> Data {
        var writer = try AnimationWriter(size: image.size, plays: 1, as: .gif(options))
        try writer.add(image, for: .zero)
        return try writer.finish()
    }
}
