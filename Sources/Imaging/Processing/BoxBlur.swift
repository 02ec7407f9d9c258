internal import CImageCodecs

/// Blurs by three box averages, which approximate a Gaussian.
///
/// Edge pixels extend beyond the image.
///
/// As in W3C's Filter Effects (feGaussianBlur), three boxes of width d approximate a Gaussian of standard deviation s
/// if d = floor(s × 3 × sqrt(2π) / 4 + 0.5). Unlike `GaussianBlur`, no pixel spreads further than one and a half
/// widths. The cost does not depend on the width.
public struct BoxBlur: ImageOperation {
    /// The widest box, in pixels.
    public static let maxWidth = 1 << 20

    /// The side of the box in pixels: odd, 1 to `maxWidth`.
    public var width: Int

    /// Creates a blur with boxes of a width.
    public init(width: Int) {
        self.width = width
    }

    /// The same size.
    public func outputSize(for input: PixelSize) throws(ImagingError) -> PixelSize {
        guard (1...Self.maxWidth).contains(width), width % 2 == 1 else {
            throw .processing(
                "A box blur's width is \(width). Give an odd number from 1 to \(Self.maxWidth)."
            )
        }
        return input
    }

    /// The image as RGB, alpha and one channel of 16 bits, the intermediate result between the axes, and the result.
    public var workingMemory: WorkingMemory { WorkingMemory(perInputPixel: 13, perOutputPixel: 4) }

    /// The blurred image; the same image for a width of 1.
    public func apply(to image: Image, nominalSize: PixelSize, chroma: ChromaSubsampling?)
        throws(ImagingError) -> Image
    {
        _ = try outputSize(for: nominalSize)
        guard width > 1 else { return image }
        // Subsampled chroma would need boxes of half a sample.
        let source = image.colorModel == .ycbcr ? try image.converted(to: .rgb) : image
        return try source.blurred(bitDepth: image.bitDepth) {
            (plane: Plane, sampleBytes: Int) throws(ImagingError) -> Plane in
            try plane.averaged(width: width, of: nominalSize, sampleBytes: sampleBytes)
        }
    }
}

extension Plane {
    /// The averaged samples.
    ///
    /// `width` is in pixels of the nominal image, which this plane's region shows.
    fileprivate func averaged(
        width: Int,
        of nominalSize: PixelSize,
        sampleBytes: Int
    ) throws(ImagingError) -> Plane {
        let result = try sibling(sampleBytes: sampleBytes)
        func reach(_ scale: Double) -> Int32 { Int32(((Double(width) * scale - 1) / 2).rounded()) }
        let reachX = reach(region.width / Double(nominalSize.width))
        let reachY = reach(region.height / Double(nominalSize.height))
        try call("The image") { error in
            [self, result].withCPlanes {
                nb_box_blur([$0[0]], max(0, reachX), max(0, reachY), [$0[1]], error)
            }
        }
        return result
    }
}
