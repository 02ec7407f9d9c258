internal import CImageCodecs

/// Sharpens with an unsharp mask: adds the difference between the luma and its blurred version to each pixel.
///
/// All channels get the luma's difference, so edges gain contrast without colour fringes. In YCbCr, only the luma
/// changes. A sigma far below a pixel of the result has almost no effect there, with or without a scaled-down decode.
public struct Sharpen: ImageOperation {
    /// The standard deviation of the blur in pixels, 0 to 100; 0.5 by default.
    public var sigma: Double
    /// The fraction of the difference to add, 0 to 10; 1 by default.
    public var amount: Double
    /// The largest difference, in 8-bit steps, that leaves a pixel unchanged, 0 to 255; 0 by default.
    public var threshold: Double

    /// Creates a sharpening.
    ///
    /// The defaults suit thumbnails.
    public init(sigma: Double = 0.5, amount: Double = 1, threshold: Double = 0) {
        self.sigma = sigma
        self.amount = amount
        self.threshold = threshold
    }

    /// The same size.
    public func outputSize(for input: PixelSize) throws(ImagingError) -> PixelSize {
        guard (0...100).contains(sigma), (0...10).contains(amount), (0...255).contains(threshold) else {
            throw .processing(
                "Sharpening needs a sigma from 0 to 100, an amount from 0 to 10 and a threshold from 0 to 255."
            )
        }
        return input
    }

    /// The luma, its blurred version, the intermediate result between the axes, and the result.
    public var workingMemory: WorkingMemory { WorkingMemory(perInputPixel: 5, perOutputPixel: 4) }

    /// The sharpened image.
    public func apply(to image: Image, nominalSize: PixelSize, chroma: ChromaSubsampling?)
        throws(ImagingError) -> Image
    {
        _ = try outputSize(for: nominalSize)
        guard sigma > 0, amount > 0 else { return image }
        let luma = try image.converted(to: .gray)
        let blurred = try luma.blurred(sigma: sigma, of: nominalSize, bitDepth: 16)
        var result = image.planes
        for index in 0..<(image.colorModel == .rgb ? 3 : 1) {
            let sharp = try result[index].sibling()
            [result[index], luma.planes[0], blurred.planes[0], sharp].withCPlanes {
                nb_add_detail([$0[0]], [$0[1]], [$0[2]], amount, threshold * 257, [$0[3]])
            }
            result[index] = sharp
        }
        return Image(colorModel: image.colorModel, planes: result)
    }
}
