import Imaging

/// The processors that come with the library.
public enum ImageProcessors {}

extension PlatformImage {
    /// Returns the image after an operation; nil for an image without pixels, and for a refused operation.
    func applying(_ operation: some ImageOperation) -> PlatformImage? {
        guard let pixels else { return nil }
        let size = nominalSize ?? pixels.size
        return (try? OperationChain([operation]).apply(to: pixels, originalSize: size)).map {
            PlatformImage($0)
        }
    }
}

extension ImageProcessingOptions.Border {
    /// The border as it is drawn: along the edge, so that half of it falls outside and is cut off.
    var stroke: Imaging.Border { Imaging.Border(color: color.samples, width: Double(width) / 2) }
}

extension Optional<ImageProcessingOptions.Border> {
    /// The border's description, or "nil".
    var text: String { self?.description ?? "nil" }

    /// The border as it is drawn; nil for a width of 0.
    var stroke: Imaging.Border? { self?.width == 0 ? nil : self?.stroke }
}

extension PlatformColor {
    /// The colour with 8 bits a component.
    fileprivate var samples: Imaging.Color {
        func sample(_ component: Double) -> UInt8 { UInt8((component * 255).rounded()) }
        return Imaging.Color(red: sample(red), green: sample(green), blue: sample(blue), alpha: sample(alpha))
    }
}
