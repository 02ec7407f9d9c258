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
    public func apply(to image: Image, nominalSize: PixelSize, chroma: ChromaSubsampling?)
        throws(ImagingError) -> Image
    {
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

/// The geometry of a resize, in pixels of the nominal image.
extension Resize {
    /// The `window` that is shown at `size`.
    struct Geometry {
        var window: Region
        var size: PixelSize
        /// True if pixels are not resampled.
        var isCropOnly: Bool { window.width == Double(size.width) && window.height == Double(size.height) }
    }

    func geometry(for input: PixelSize) throws(ImagingError) -> Geometry {
        guard width != nil || height != nil, (width ?? 1) > 0, (height ?? 1) > 0, input.width > 0,
            input.height > 0
        else {
            throw .processing("A resize needs a width or a height above 0. Give at least one.")
        }
        guard max(width ?? 1, height ?? 1) <= Self.maxSide else { throw Self.tooLarge }
        let whole = Region(input)
        let scaleX = width.map { Double($0) / whole.width }
        let scaleY = height.map { Double($0) / whole.height }
        if contentMode == .fill, let width, let height {
            let size = PixelSize(
                width: upscale ? width : min(width, input.width),
                height: upscale ? height : min(height, input.height)
            )
            return Geometry(window: whole, size: size)
        }
        let scales = [scaleX, scaleY].compactMap { $0 }
        let scale = (contentMode == .aspectFill ? scales.max() : scales.min()) ?? 1
        if contentMode == .aspectFill, crop, let width, let height {
            let target = PixelSize(width: width, height: height)
            return cropping(input, to: target, scale: scale)
        }
        guard scale < 1 || upscale else { return Geometry(window: whole, size: input) }
        return Geometry(
            window: whole,
            size: PixelSize(
                width: try Self.rounded(whole.width * scale),
                height: try Self.rounded(whole.height * scale)
            )
        )
    }

    private func cropping(_ input: PixelSize, to target: PixelSize, scale: Double) -> Geometry {
        if scale < 1 || (upscale && scale > 1) {
            let width = min(Double(target.width) / scale, Double(input.width))
            let height = min(Double(target.height) / scale, Double(input.height))
            let window = Region(
                x: (Double(input.width) - width) / 2,
                y: (Double(input.height) - height) / 2,
                width: width,
                height: height
            )
            return Geometry(window: window, size: target)
        }
        // Native resolution: the largest part with the target's aspect ratio, in whole pixels.
        let part = min(
            Double(input.width) / Double(target.width),
            Double(input.height) / Double(target.height)
        )
        let size = PixelSize(
            width: min(max(1, Int((Double(target.width) * part).rounded())), input.width),
            height: min(max(1, Int((Double(target.height) * part).rounded())), input.height)
        )
        let window = Region(x: (input.width - size.width) / 2, y: (input.height - size.height) / 2, size)
        return Geometry(window: window, size: size)
    }

    /// The longest side of a plane, in pixels.
    ///
    /// Memory runs out long before.
    private static let maxSide = Int(Int32.max) - 64
    private static let tooLarge = ImagingError.limits(
        "The resized image would be too large for any format. Give a smaller size."
    )

    private static func rounded(_ side: Double) throws(ImagingError) -> Int {
        guard side <= Double(maxSide) else { throw tooLarge }
        return max(1, Int(side.rounded()))
    }
}

extension PixelSize {
    /// This size scaled until `size` shows `window` of it; nil if that does not change it.
    ///
    /// A side is at most `Int32.max`.
    func scaled(toShow size: PixelSize, in window: Region) -> PixelSize? {
        func side(_ side: Double) -> Int { Int(min(side.rounded(.up), Double(Int32.max))) }
        let scaled = PixelSize(
            width: side(Double(width) * Double(size.width) / window.width),
            height: side(Double(height) * Double(size.height) / window.height)
        )
        return scaled == self ? nil : scaled
    }

    /// This size scaled down as an actual image is from a nominal one, with room for a partial pixel at each edge.
    func scaled(as image: PixelSize, isOf nominal: PixelSize) -> PixelSize {
        guard image != nominal else { return self }
        return PixelSize(
            width: Int((Double(width) * Double(image.width) / Double(nominal.width)).rounded(.up)) + 1,
            height: Int((Double(height) * Double(image.height) / Double(nominal.height)).rounded(.up)) + 1
        )
    }
}
