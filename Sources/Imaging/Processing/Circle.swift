/// Cuts the largest centred circle out of the image.
///
/// Everything outside is transparent, so the result has alpha.
public struct Circle: ImageOperation {
    /// A line along the inner edge.
    public var border: Border?

    /// Creates a circle with or without a border.
    public init(border: Border? = nil) {
        self.border = border
    }

    /// A square of the shorter side.
    public func outputSize(for input: PixelSize) throws(ImagingError) -> PixelSize {
        let side = min(input.width, input.height)
        return PixelSize(width: side, height: side)
    }

    /// The decode size at which the circle is as large as the next operation needs.
    public func coveringSize(for input: PixelSize, output: PixelSize?) throws(ImagingError) -> PixelSize? {
        try square(input).coveringSize(for: input, output: output)
    }

    /// The square, its RGB version, the coverage of each sample, and the result.
    public var workingMemory: WorkingMemory { WorkingMemory(perInputPixel: 0, perOutputPixel: 16) }

    /// The image cut to the circle.
    public func apply(to image: Image, nominalSize: PixelSize, chroma: ChromaSubsampling?)
        throws(ImagingError) -> Image
    {
        let square = try square(nominalSize)
        let part = try square.apply(to: image, nominalSize: nominalSize, chroma: chroma)
        let size = try square.outputSize(for: nominalSize)
        return try part.rounded(radius: Double(size.width) / 2, border: border, of: size)
    }

    private func square(_ input: PixelSize) throws(ImagingError) -> Crop {
        let size = try outputSize(for: input)
        return Crop(width: size.width, height: size.height)
    }
}
