internal import CImageCodecs

/// Sharpens by an unsharp mask: adds to each pixel what a blur takes from its luma.
///
/// All channels get the luma's difference, so that edges gain contrast and no colour; of YCbCr the luma alone is changed.
public struct Sharpen: ImageOperation {
    /// Standard deviation of the blur in pixels, 0 to 100; 0.5 by default.
    public var sigma: Double
    /// How much of the difference is added, 0 to 10; 1 by default.
    public var amount: Double
    /// The difference up to which a pixel stays as it is, in steps of 8 bits, 0 to 255; 0 by default.
    public var threshold: Double

    /// A sharpening; the defaults suit thumbnails.
    public init(sigma: Double = 0.5, amount: Double = 1, threshold: Double = 0) {
        self.sigma = sigma
        self.amount = amount
        self.threshold = threshold
    }

    /// The same size.
    public func outputSize(for input: PixelSize) throws(ImagingError) -> PixelSize {
        guard (0...100).contains(sigma), (0...10).contains(amount), (0...255).contains(threshold) else {
            throw ImagingError(
                .processing,
                "To sharpen takes a sigma from 0 to 100, an amount from 0 to 10 and a threshold from 0 to 255."
            )
        }
        return input
    }

    /// As much as what comes after needs.
    ///
    /// A sigma far below a pixel of the result changes next to nothing there, whether the decode is scaled down or not.
    public func coveringSize(for input: PixelSize, output: PixelSize?) throws(ImagingError) -> PixelSize? {
        output
    }

    /// The luma, the same blurred, what is between the axes, and the result.
    public var workingMemory: WorkingMemory { WorkingMemory(perInputPixel: 5, perOutputPixel: 4) }

    /// The sharpened image.
    public func apply(
        to image: Image,
        nominalSize: PixelSize,
        chroma: ChromaSubsampling?
    ) throws(ImagingError) -> Image {
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
