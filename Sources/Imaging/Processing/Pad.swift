internal import CImageCodecs

/// Sets an image on a canvas: it is not scaled, and a side that is as long as the canvas already stays.
public struct Pad: ImageOperation {
    /// Width of the canvas in pixels; nil for the image's.
    public var width: Int?
    /// Height of the canvas in pixels; nil for the image's.
    public var height: Int?
    /// Where the image lies on the canvas.
    public var gravity: Gravity
    /// The canvas; with alpha below 255 the result has alpha.
    public var background: Color

    /// A canvas of the given size.
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

    /// The larger one of the image and the canvas, on each side.
    public func outputSize(for input: PixelSize) throws(ImagingError) -> PixelSize {
        guard width != nil || height != nil, (width ?? 1) > 0, (height ?? 1) > 0 else {
            throw ImagingError(.processing, "A canvas needs a width or a height above 0; give one.")
        }
        return PixelSize(width: max(input.width, width ?? 1), height: max(input.height, height ?? 1))
    }

    /// The size at which the canvas is as large as what comes after needs.
    public func coveringSize(for input: PixelSize, output: PixelSize?) throws(ImagingError) -> PixelSize? {
        guard let output else { return nil }
        let canvas = try outputSize(for: input)
        let shown = Region(x: 0, y: 0, width: Double(canvas.width), height: Double(canvas.height))
        return input.scaled(toShow: output, in: shown)
    }

    /// The image as RGB, and the result.
    public var workingMemory: WorkingMemory { WorkingMemory(perInputPixel: 5, perOutputPixel: 5) }

    /// The canvas with the image on it.
    public func apply(
        to image: Image,
        nominalSize: PixelSize,
        chroma: ChromaSubsampling?
    ) throws(ImagingError) -> Image {
        let canvas = try outputSize(for: nominalSize)
        guard canvas != nominalSize else { return image }
        let base = try self.base(image, chroma)
        let place = gravity.place(nominalSize, in: canvas)
        let samples =
            background.opaque.samples(in: base.colorModel) + (base.hasAlpha ? [background.alpha] : [])
        var planes: [Plane] = []
        for (plane, sample) in zip(base.planes, samples) {
            planes.append(try plane.padded(at: place, of: nominalSize, to: canvas, with: sample))
        }
        return Image(colorModel: base.colorModel, planes: planes)
    }

    /// The image in a model that can show the background, and with alpha if that needs it.
    private func base(_ image: Image, _ chroma: ChromaSubsampling?) throws(ImagingError) -> Image {
        if background.alpha < 255 { return try coloured(image).withAlpha() }
        // Coarse chroma would carry colours over the edge: it stays only where the result has no finer one.
        guard image.colorModel == .ycbcr else { return try coloured(image) }
        return chroma == nil || chroma == .s444 || image.hasAlpha ? try image.converted(to: .rgb) : image
    }

    private func coloured(_ image: Image) throws(ImagingError) -> Image {
        let isEnough = image.colorModel != .gray || background.opaque.isGray
        return isEnough ? image : try image.converted(to: .rgb)
    }
}

extension Plane {
    /// The samples on a larger plane of one value, given for 8 bits.
    ///
    /// - Parameters:
    ///   - place: the left and top on the canvas, in pixels of the nominal image.
    ///   - nominalSize: the size of the nominal image, which this plane's region shows.
    ///   - canvas: the result's size in pixels of the nominal image.
    ///   - value: what is around.
    /// - Returns: a plane whose region shows the canvas.
    /// - Throws: `ImagingError` of reason `memory`.
    func padded(
        at place: (x: Int, y: Int),
        of nominalSize: PixelSize,
        to canvas: PixelSize,
        with value: UInt8
    ) throws(ImagingError) -> Plane {
        let across = Self.padding(place.x, nominalSize.width, canvas.width, region.x, region.width, width)
        let down = Self.padding(place.y, nominalSize.height, canvas.height, region.y, region.height, height)
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

    /// Along one side: the samples to put before, those in all, and the part of them that the canvas covers.
    ///
    /// In a scaled-down decode the canvas may begin and end within samples; those of the picture stay on their grid.
    private static func padding(
        _ place: Int,
        _ nominal: Int,
        _ canvas: Int,
        _ start: Double,
        _ length: Double,
        _ count: Int
    ) -> (before: Int, count: Int, start: Double, length: Double) {
        let scale = length / Double(nominal)
        let border = Double(place) * scale
        let before = max(0, Int((border - start - 0.001).rounded(.up)))
        let newStart = Double(before) + start - border
        let newLength = Double(canvas) * scale
        let end = Int((newStart + newLength - 0.001).rounded(.up))
        return (before, max(before + count, end), newStart, newLength)
    }
}
