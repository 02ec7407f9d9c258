internal import CImageCodecs

/// Resizes to a width, a height or both.
public struct Resize: ImageOperation {
    /// What happens when the target has another aspect ratio than the image.
    public enum ContentMode: String, Sendable, Hashable, CaseIterable {
        /// The whole image within the target.
        case aspectFit
        /// The target filled; the image stands out on one side, or is cut there with `crop`.
        case aspectFill
        /// Stretched to the target.
        case fill
    }

    /// Target width in pixels; nil to follow from the height.
    public var width: Int?
    /// Target height in pixels; nil to follow from the width.
    public var height: Int?
    /// How the image meets the target.
    public var contentMode = ContentMode.aspectFit
    /// With `aspectFill` and both sides: cuts what stands out, the same on both sides.
    public var crop = false
    /// Whether a smaller image is enlarged; otherwise it stays, with `crop` cut to the target's aspect ratio.
    public var upscale = false
    /// The weighting of neighbouring pixels.
    public var filter = ResampleFilter.lanczos3
    /// Whether to average light rather than sRGB values: truer on fine bright patterns, slower, needs every pixel.
    public var linear = false

    /// A resize with the given parameters.
    public init(
        width: Int? = nil,
        height: Int? = nil,
        contentMode: ContentMode = .aspectFit,
        crop: Bool = false,
        upscale: Bool = false,
        filter: ResampleFilter = .lanczos3,
        linear: Bool = false
    ) {
        self.width = width
        self.height = height
        self.contentMode = contentMode
        self.crop = crop
        self.upscale = upscale
        self.filter = filter
        self.linear = linear
    }

    /// The target in proportion to the image: 640×480 filled to 400×400 gives 533×400, fitted to 480×480 gives 480×360.
    public func outputSize(for input: PixelSize) throws(ImagingError) -> PixelSize {
        try geometry(for: input).size
    }

    /// The target, however the image was decoded; unless it is only cut.
    public func resultSize(for image: PixelSize, nominalSize: PixelSize) throws(ImagingError) -> PixelSize {
        let geometry = try geometry(for: nominalSize)
        guard geometry.isCropOnly else { return geometry.size }
        return geometry.size.scaled(as: image, isOf: nominalSize)
    }

    /// The size at which what is shown has the target's size.
    public func coveringSize(for input: PixelSize, output: PixelSize?) throws(ImagingError) -> PixelSize? {
        let geometry = try geometry(for: input)
        // A result that is only cropped, or not even that, needs as much as whatever comes after it.
        let size = geometry.isCropOnly ? output : geometry.size
        guard let size, !linear else { return nil }
        return input.scaled(toShow: size, in: geometry.window)
    }

    /// The result; with alpha or in linear light the image as RGB, one channel of 16 bits, and three of the result.
    public var workingMemory: WorkingMemory { WorkingMemory(perInputPixel: 6, perOutputPixel: 10) }

    /// The resized image; the same image if nothing changes.
    public func apply(
        to image: Image,
        nominalSize: PixelSize,
        chroma: ChromaSubsampling?
    ) throws(ImagingError) -> Image {
        let geometry = try geometry(for: nominalSize)
        if geometry.isCropOnly { return try image.cropped(to: geometry.window, of: nominalSize) }
        let isDeep = linear || image.hasAlpha
        let source = isDeep && image.colorModel == .ycbcr ? try image.converted(to: .rgb) : image
        return isDeep
            ? try resizeDeep(source, geometry, nominalSize)
            : try resize(source, geometry, nominalSize, chroma ?? .s444)
    }

    private func resize(
        _ image: Image,
        _ geometry: Geometry,
        _ nominalSize: PixelSize,
        _ subsampling: ChromaSubsampling
    ) throws(ImagingError) -> Image {
        let grid = ChromaGrid(size: geometry.size, subsampling: subsampling)
        var planes: [Plane] = []
        for (index, plane) in image.planes.enumerated() {
            let window = plane.region.part(geometry.window, of: nominalSize)
            let isChroma = index > 0 && image.colorModel == .ycbcr
            planes.append(
                try Resampler.resample(
                    plane,
                    region: isChroma ? grid.source(of: window) : window,
                    to: isChroma ? grid.size : geometry.size,
                    filter: filter,
                    showing: isChroma ? grid.shown : nil
                )
            )
        }
        return Image(colorModel: image.colorModel, planes: planes)
    }

    /// Resizes by way of 16-bit samples: in linear light, and with colours multiplied by alpha, lest hidden ones bleed.
    private func resizeDeep(
        _ image: Image,
        _ geometry: Geometry,
        _ nominalSize: PixelSize
    ) throws(ImagingError) -> Image {
        func resized(_ plane: Plane, alpha: Plane?, isLinear: Bool) throws(ImagingError) -> Plane {
            let deep = try plane.widened(alpha: alpha, linear: isLinear)
            let window = plane.region.part(geometry.window, of: nominalSize)
            return try Resampler.resample(deep, region: window, to: geometry.size, filter: filter)
        }
        let sampleBytes = image.bitDepth / 8
        let alpha = image.alphaPlanes.first
        let deepAlpha =
            if let alpha { try resized(alpha, alpha: nil, isLinear: false) } else { nil as Plane? }
        var planes: [Plane] = []
        for plane in image.colorPlanes {
            let deep = try resized(plane, alpha: alpha, isLinear: linear)
            planes.append(try deep.narrowed(alpha: deepAlpha, linear: linear, sampleBytes: sampleBytes))
        }
        if let deepAlpha { planes.append(try deepAlpha.narrowed(sampleBytes: sampleBytes)) }
        return Image(colorModel: image.colorModel, planes: planes)
    }
}
