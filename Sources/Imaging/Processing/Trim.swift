internal import CImageCodecs

/// Removes a border that has the colour of the top left pixel.
///
/// Colours are compared after multiplication by alpha, so a transparent border matches whatever colours it hides. An
/// image of a single colour stays as it is.
public struct Trim: ImageOperation {
    /// The largest difference of a channel between the border and the top left pixel, in 8-bit steps, 0 to 255; 10 by
    /// default.
    public var tolerance: Int

    /// Creates a trim with a tolerance.
    public init(tolerance: Int = 10) {
        self.tolerance = tolerance
    }

    /// True: only the pixels determine the size.
    public var isSizedByPixels: Bool { true }

    /// The maximum: the whole image.
    public func outputSize(for input: PixelSize) throws(ImagingError) -> PixelSize {
        guard (0...255).contains(tolerance) else {
            throw .processing("A trim's tolerance is \(tolerance). Give a number from 0 to 255.")
        }
        return input
    }

    /// Nil: every pixel counts.
    public func coveringSize(for input: PixelSize, output: PixelSize?) throws(ImagingError) -> PixelSize? {
        nil
    }

    /// The image as RGB, and the result.
    public var workingMemory: WorkingMemory { WorkingMemory(perInputPixel: 5, perOutputPixel: 4) }

    /// The image without its border.
    public func apply(to image: Image, nominalSize: PixelSize, chroma: ChromaSubsampling?)
        throws(ImagingError) -> Image
    {
        try image.cropped(to: content(of: image), of: image.size)
    }

    /// The part within the border, in pixels of the image.
    func content(of image: Image) throws(ImagingError) -> Region {
        _ = try outputSize(for: image.size)
        let source = image.colorModel == .ycbcr ? try image.converted(to: .rgb) : image
        var box = nb_box()
        source.planes.withCPlanes {
            let colors = Int32(source.colorPlanes.count)
            let most = Int32(image.bitDepth == 16 ? tolerance * 257 : tolerance)
            nb_find_content($0, colors, source.hasAlpha ? 1 : 0, most, &box)
        }
        let size = PixelSize(width: Int(box.right - box.left), height: Int(box.bottom - box.top))
        return Region(x: Int(box.left), y: Int(box.top), size)
    }
}
