internal import CImageCodecs

/// Pads an image to a canvas.
///
/// The image is not scaled; a side that is at least as long as the canvas stays.
public struct Pad: ImageOperation {
    /// The width of the canvas in pixels; nil for the image's.
    public var width: Int?
    /// The height of the canvas in pixels; nil for the image's.
    public var height: Int?
    /// The position of the image on the canvas.
    public var gravity: Gravity
    /// The colour of the canvas.
    ///
    /// With alpha below 255, the result has alpha.
    public var background: Color

    /// Creates a padding to a canvas of the given size.
    public init(
        width: Int? = nil,
        height: Int? = nil,
        gravity: Gravity = .center,
        background: Color = .white
    ) {
        self.width = width
        self.height = height
        self.gravity = gravity
        self.background = background
    }

    /// On each axis, the larger of the image and the canvas.
    public func outputSize(for input: PixelSize) throws(ImagingError) -> PixelSize {
        guard width != nil || height != nil, (width ?? 1) > 0, (height ?? 1) > 0 else {
            throw .processing("A canvas needs a width or a height above 0. Give at least one.")
        }
        return PixelSize(width: max(input.width, width ?? 1), height: max(input.height, height ?? 1))
    }

    /// The decode size at which the canvas is as large as the next operation needs.
    public func coveringSize(for input: PixelSize, output: PixelSize?) throws(ImagingError) -> PixelSize? {
        guard let output else { return nil }
        return input.scaled(toShow: output, in: Region(try outputSize(for: input)))
    }

    /// The image as RGB, and the result.
    public var workingMemory: WorkingMemory { WorkingMemory(perInputPixel: 5, perOutputPixel: 5) }

    /// The canvas with the image on it.
    public func apply(to image: Image, nominalSize: PixelSize, chroma: ChromaSubsampling?)
        throws(ImagingError) -> Image
    {
        let canvas = try outputSize(for: nominalSize)
        guard canvas != nominalSize else { return image }
        let base = try self.base(image, chroma)
        let offset = gravity.position(of: nominalSize, in: canvas)
        let samples =
            background.opaque.samples(in: base.colorModel) + (base.hasAlpha ? [background.alpha] : [])
        var planes: [Plane] = []
        for (plane, sample) in zip(base.planes, samples) {
            planes.append(try plane.padded(at: offset, of: nominalSize, to: canvas, with: sample))
        }
        return Image(colorModel: base.colorModel, planes: planes)
    }

    /// The image in a model that can represent the background, with alpha if the background needs it.
    private func base(_ image: Image, _ chroma: ChromaSubsampling?) throws(ImagingError) -> Image {
        if background.alpha < 255 { return try coloured(image).withAlpha() }
        // Coarse chroma would spread colour over the edge, so it stays only if the result's chroma is no finer.
        guard image.colorModel == .ycbcr else { return try coloured(image) }
        return chroma == nil || chroma == .s444 || image.hasAlpha ? try image.converted(to: .rgb) : image
    }

    private func coloured(_ image: Image) throws(ImagingError) -> Image {
        let isEnough = image.colorModel != .gray || background.opaque.isGray
        return isEnough ? image : try image.converted(to: .rgb)
    }
}

extension Plane {
    /// The samples on a larger plane of one 8-bit value.
    ///
    /// - Parameters:
    ///   - offset: The left and top on the canvas, in pixels of the nominal image.
    ///   - nominalSize: The size of the nominal image, which this plane's region shows.
    ///   - canvas: The size of the result in pixels of the nominal image.
    ///   - value: The value around the samples.
    /// - Returns: A plane whose region shows the canvas.
    /// - Throws: `ImagingError` of reason `memory`.
    func padded(
        at offset: (x: Int, y: Int),
        of nominalSize: PixelSize,
        to canvas: PixelSize,
        with value: UInt8
    ) throws(ImagingError) -> Plane {
        let across = Self.padding(
            before: offset.x,
            nominal: nominalSize.width,
            canvas: canvas.width,
            region: (region.x, region.width),
            count: width
        )
        let down = Self.padding(
            before: offset.y,
            nominal: nominalSize.height,
            canvas: canvas.height,
            region: (region.y, region.height),
            count: height
        )
        let result = try Plane.filled(
            PixelSize(width: across.count, height: down.count),
            with: value,
            region: Region(x: across.start, y: down.start, width: across.length, height: down.length),
            sampleBytes: sampleBytes
        )
        [self, result].withCPlanes { planes in
            var inner = planes[1]
            inner.data += down.before * result.stride + across.before * sampleBytes
            inner.width = planes[0].width
            inner.height = planes[0].height
            nb_orient([planes[0]], [inner], 1)
        }
        return result
    }

    /// Along one axis: the samples before the image, the total, and the part of them that the canvas covers.
    ///
    /// In a scaled-down decode, the canvas may begin and end within samples; the image's samples stay on their grid.
    private static func padding(
        before offset: Int,
        nominal: Int,
        canvas: Int,
        region: (start: Double, length: Double),
        count: Int
    ) -> (before: Int, count: Int, start: Double, length: Double) {
        let scale = region.length / Double(nominal)
        let border = Double(offset) * scale
        let before = max(0, Int((border - region.start - 0.001).rounded(.up)))
        let newStart = Double(before) + region.start - border
        let newLength = Double(canvas) * scale
        let end = Int((newStart + newLength - 0.001).rounded(.up))
        return (before, max(before + count, end), newStart, newLength)
    }
}
