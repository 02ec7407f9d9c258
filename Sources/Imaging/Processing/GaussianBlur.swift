internal import CImageCodecs

/// Blurs with a Gaussian whose standard deviation is the radius, as in Core Image.
///
/// Edge pixels extend beyond the image.
///
/// Before rounding, the result is within a tenth of an 8-bit step of the true convolution. Beyond a radius of 10
/// samples, the cost does not depend on the radius.
public struct GaussianBlur: ImageOperation {
    /// The largest radius, in pixels.
    public static let maxRadius = 1000.0

    /// The standard deviation in pixels, 0 to 1000; 8 by default.
    public var radius: Double

    /// Creates a blur of a radius.
    public init(radius: Double = 8) {
        self.radius = radius
    }

    /// The same size.
    public func outputSize(for input: PixelSize) throws(ImagingError) -> PixelSize {
        guard (0...Self.maxRadius).contains(radius) else {
            throw .processing("A blur's radius is \(radius). Give a number from 0 to \(Self.maxRadius).")
        }
        return input
    }

    /// The image as RGB, alpha and one channel of 16 bits, the intermediate result between the axes, and the result.
    public var workingMemory: WorkingMemory { WorkingMemory(perInputPixel: 13, perOutputPixel: 4) }

    /// The blurred image.
    public func apply(to image: Image, nominalSize: PixelSize, chroma: ChromaSubsampling?)
        throws(ImagingError) -> Image
    {
        _ = try outputSize(for: nominalSize)
        return try image.blurred(sigma: radius, of: nominalSize, bitDepth: image.bitDepth)
    }
}

extension Image {
    /// The blurred image; YCbCr with alpha becomes RGB.
    func blurred(sigma: Double, of nominalSize: PixelSize, bitDepth: Int) throws(ImagingError) -> Image {
        guard sigma > 0 else { return try converted(toBitDepth: bitDepth) }
        return try blurred(bitDepth: bitDepth) {
            (plane: Plane, sampleBytes: Int) throws(ImagingError) -> Plane in
            try plane.blurred(sigma: sigma, of: nominalSize, sampleBytes: sampleBytes)
        }
    }

    /// The image with each plane blurred.
    ///
    /// YCbCr with alpha becomes RGB.
    ///
    /// Colours are weighted by alpha, so that hidden colours do not bleed.
    func blurred(
        bitDepth: Int,
        by blur: (_ plane: Plane, _ sampleBytes: Int) throws(ImagingError) -> Plane
    ) throws(ImagingError) -> Image {
        let sampleBytes = bitDepth / 8
        guard hasAlpha else {
            return try mapPlanes { plane throws(ImagingError) in try blur(plane, sampleBytes) }
        }
        let source = colorModel == .ycbcr ? try converted(to: .rgb) : self
        let alpha = source.planes[source.planes.count - 1]
        let deepAlpha = try blur(try alpha.widened(), 2)
        var result = try source.colorPlanes.map { plane throws(ImagingError) in
            try blur(try plane.widened(alpha: alpha), 2).narrowed(alpha: deepAlpha, sampleBytes: sampleBytes)
        }
        result.append(try deepAlpha.narrowed(sampleBytes: sampleBytes))
        return Image(colorModel: source.colorModel, planes: result)
    }
}

extension Plane {
    /// The blurred samples.
    ///
    /// `sigma` is in pixels of the nominal image, which this plane's region shows.
    fileprivate func blurred(
        sigma: Double,
        of nominalSize: PixelSize,
        sampleBytes: Int
    ) throws(ImagingError) -> Plane {
        let result = try sibling(sampleBytes: sampleBytes)
        let sigmaX = sigma * region.width / Double(nominalSize.width)
        let sigmaY = sigma * region.height / Double(nominalSize.height)
        try call("The image") { error in
            [self, result].withCPlanes { nb_blur([$0[0]], sigmaX, sigmaY, [$0[1]], error) }
        }
        return result
    }
}
