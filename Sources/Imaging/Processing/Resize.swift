internal import CImageCodecs

/// Resizes to a width, a height or both.
public struct Resize: ImageOperation {
    /// The treatment of a target whose aspect ratio differs from the image's.
    public enum ContentMode: String, Sendable, Hashable, CaseIterable {
        /// Fits the whole image within the target.
        case aspectFit
        /// Fills the target. The image exceeds it on one axis, or is cropped to it with `crop`.
        case aspectFill
        /// Stretches the image to the target.
        case fill
    }

    /// The target width in pixels; nil to derive it from the height.
    public var width: Int?
    /// The target height in pixels; nil to derive it from the width.
    public var height: Int?
    /// The treatment of a target with another aspect ratio.
    public var contentMode = ContentMode.aspectFit
    /// With `aspectFill` and both sides: crops the excess equally on both ends.
    public var crop = false
    /// True to enlarge a smaller image.
    ///
    /// Otherwise it keeps its size, and `crop` cuts it to the target's aspect ratio.
    public var upscale = false
    /// The filter that weights neighbouring pixels.
    public var filter = ResampleFilter.lanczos3
    /// True to average linear light instead of sRGB values: more accurate on fine bright patterns, slower, needs every
    /// pixel.
    public var linear = false

    /// Creates a resize with the given parameters.
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

    /// The target size for any decode, unless the image is only cropped.
    public func resultSize(for image: PixelSize, nominalSize: PixelSize) throws(ImagingError) -> PixelSize {
        let geometry = try geometry(for: nominalSize)
        guard geometry.isCropOnly else { return geometry.size }
        return geometry.size.scaled(as: image, isOf: nominalSize)
    }

    /// The decode size at which the shown part has the target's size.
    public func coveringSize(for input: PixelSize, output: PixelSize?) throws(ImagingError) -> PixelSize? {
        let geometry = try geometry(for: input)
        // A result that is at most cropped needs the size that the next operation needs.
        let size = geometry.isCropOnly ? output : geometry.size
        guard let size, !linear else { return nil }
        return input.scaled(toShow: size, in: geometry.window)
    }

    /// The result; with alpha or in linear light also the image as RGB, one channel of 16 bits, and three of the
    /// result.
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
            ? try resizeDeep(source, by: geometry, of: nominalSize)
            : try resize(source, by: geometry, of: nominalSize, subsampling: chroma ?? .s444)
    }

    private func resize(
        _ image: Image,
        by geometry: Geometry,
        of nominalSize: PixelSize,
        subsampling: ChromaSubsampling
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

    /// Resizes with 16-bit samples: in linear light, and with colours multiplied by alpha so that hidden colours do not
    /// bleed.
    private func resizeDeep(
        _ image: Image,
        by geometry: Geometry,
        of nominalSize: PixelSize
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
