internal import CImageCodecs

/// Cuts off a border that has the colour of the top left pixel.
///
/// Colours are compared multiplied by alpha, so that a transparent border is one whatever colour it hides. An image of one
/// colour stays as it is.
public struct Trim: ImageOperation {
    /// How far a channel of the border may be from the top left pixel, in steps of 8 bits, 0 to 255; 10 by default.
    public var tolerance: Int

    /// A trimming with a tolerance.
    public init(tolerance: Int = 10) {
        self.tolerance = tolerance
    }

    /// Only the pixels tell.
    public var isSizedByPixels: Bool { true }

    /// The most there can be: the whole image.
    public func outputSize(for input: PixelSize) throws(ImagingError) -> PixelSize {
        guard (0...255).contains(tolerance) else {
            throw ImagingError(
                .processing,
                "A trim's tolerance is \(tolerance); give a number from 0 to 255."
            )
        }
        return input
    }

    /// Every pixel counts.
    public func coveringSize(for input: PixelSize, output: PixelSize?) throws(ImagingError) -> PixelSize? {
        nil
    }

    /// The image as RGB, and the result.
    public var workingMemory: WorkingMemory { WorkingMemory(perInputPixel: 5, perOutputPixel: 4) }

    /// The part without its border.
    public func apply(
        to image: Image,
        nominalSize: PixelSize,
        chroma: ChromaSubsampling?
    ) throws(ImagingError) -> Image {
        _ = try outputSize(for: nominalSize)
        let source = image.colorModel == .ycbcr ? try image.converted(to: .rgb) : image
        var box = nb_box()
        source.planes.withCPlanes {
            let colors = Int32(source.colorPlanes.count)
            let most = Int32(image.bitDepth == 16 ? tolerance * 257 : tolerance)
            nb_find_content($0, colors, source.hasAlpha ? 1 : 0, most, &box)
        }
        let part = Region(
            x: Double(box.left),
            y: Double(box.top),
            width: Double(box.right - box.left),
            height: Double(box.bottom - box.top)
        )
        return try image.cropped(to: part, of: image.size)
    }
}
