internal import CImageCodecs

extension Image {
    /// The image in gray, RGB, or YCbCr without subsampling; the same image if it already is.
    func converted(to model: ColorModel) throws(ImagingError) -> Image {
        switch (colorModel, model) {
        case (.gray, .gray), (.rgb, .rgb), (.ycbcr, .ycbcr): return self
        case (.gray, .rgb):
            let gray = planes[0]
            return Image(colorModel: .rgb, planes: [gray, gray, gray] + alphaPlanes)
        case (.gray, .ycbcr):
            let luma = try converted(toBitDepth: 8)
            let neutral = try Plane.filled(size, with: 128)
            return Image(colorModel: .ycbcr, planes: [luma.planes[0], neutral, neutral] + luma.alphaPlanes)
        case (.ycbcr, .gray): return Image(colorModel: .gray, planes: [planes[0]] + alphaPlanes)
        case (.rgb, .gray): return try pixelwise(model, count: 1) { nb_rgb_to_gray($0, $1) }
        case (.rgb, .ycbcr):
            return try converted(toBitDepth: 8).pixelwise(model, count: 3) { nb_rgb_to_ycbcr($0, $1) }
        case (.ycbcr, .rgb):
            let full = try subsampled(.s444)
            return try full.pixelwise(model, count: 3) { nb_ycbcr_to_rgb($0, $1) }
        default: throw .processing("An image cannot be converted to \(model.rawValue).")
        }
    }

    /// The image with 8 or 16-bit samples; the same image if it already has them.
    ///
    /// Conversion to 16 bits turns YCbCr into RGB.
    func converted(toBitDepth depth: Int) throws(ImagingError) -> Image {
        guard depth != bitDepth else { return self }
        let source = colorModel == .ycbcr ? try converted(to: .rgb) : self
        return try source.mapPlanes { plane throws(ImagingError) in
            depth == 16 ? try plane.widened() : try plane.narrowed(sampleBytes: depth / 8)
        }
    }

    /// The image with its chroma, if any, on the grid of a JPEG of this subsampling: each chroma sample is centred on
    /// the luma samples that share it.
    func subsampled(_ subsampling: ChromaSubsampling) throws(ImagingError) -> Image {
        guard colorModel == .ycbcr else { return self }
        let grid = ChromaGrid(size: size, subsampling: subsampling)
        var result = [planes[0]]
        for chroma in planes[1...2] {
            let wanted = grid.source(in: chroma.region, ofLuma: planes[0].region)
            let isOnGrid =
                chroma.size == grid.size && abs(wanted.x) < 0.001 && abs(wanted.y) < 0.001
                && abs(wanted.width - Double(chroma.width)) < 0.001
                && abs(wanted.height - Double(chroma.height)) < 0.001
            if isOnGrid {
                result.append(chroma)
            } else {
                result.append(
                    try Resampler.resample(
                        chroma,
                        region: wanted,
                        to: grid.size,
                        filter: .bilinear,
                        showing: grid.shown
                    )
                )
            }
        }
        return Image(colorModel: .ycbcr, planes: result + alphaPlanes)
    }

    /// The image with alpha, opaque if it had none.
    ///
    /// YCbCr becomes RGB.
    func withAlpha() throws(ImagingError) -> Image {
        let source = colorModel == .ycbcr ? try converted(to: .rgb) : self
        guard !source.hasAlpha else { return source }
        let first = source.planes[0]
        let opaque = try Plane.filled(
            first.size,
            with: 255,
            region: first.region,
            sampleBytes: first.sampleBytes
        )
        return Image(colorModel: source.colorModel, planes: source.planes + [opaque])
    }

    /// The image without alpha, composited over a colour.
    func flattened(over background: RGBColor) throws(ImagingError) -> Image {
        guard hasAlpha else { return self }
        let source = try converted(to: colorModel == .gray && background.isGray ? .gray : .rgb)
        let values = background.samples(in: .rgb)
        var result: [Plane] = []
        for (plane, value) in zip(source.colorPlanes, values) {
            let flat = try plane.sibling()
            [flat].withCPlanes { target in
                ([plane] + source.alphaPlanes).withCPlanes { from in
                    nb_flatten([from[0]], [from[1]], value, target)
                }
            }
            result.append(flat)
        }
        return Image(colorModel: source.colorModel, planes: result)
    }

    private func pixelwise(
        _ model: ColorModel,
        count: Int,
        _ kernel: ([nb_plane], [nb_plane]) -> Void
    ) throws(ImagingError) -> Image {
        let result = try [Plane](repeating: planes[0], count: count).siblings()
        result.withCPlanes { target in
            colorPlanes.withCPlanes { kernel($0, target) }
        }
        return Image(colorModel: model, planes: result + alphaPlanes)
    }
}

/// The grid of chroma samples in a JPEG of a size and subsampling.
struct ChromaGrid {
    /// The number of chroma samples on each axis.
    let size: PixelSize
    /// The part of the samples that the image covers: all of them, except for odd sides.
    let shown: Region
    private let luma: PixelSize
    private let horizontal, vertical: Double

    init(size luma: PixelSize, subsampling: ChromaSubsampling) {
        let horizontal = subsampling.horizontal
        let vertical = subsampling.vertical
        self.luma = luma
        self.horizontal = Double(horizontal)
        self.vertical = Double(vertical)
        size = PixelSize(
            width: (luma.width + horizontal - 1) / horizontal,
            height: (luma.height + vertical - 1) / vertical
        )
        shown = Region(
            x: 0,
            y: 0,
            width: Double(luma.width) / Double(horizontal),
            height: Double(luma.height) / Double(vertical)
        )
    }

    /// The part of a chroma plane that the grid shows, if the image covers the plane's `region`.
    func source(of region: Region) -> Region {
        Region(
            x: region.x,
            y: region.y,
            width: region.width * Double(size.width) / shown.width,
            height: region.height * Double(size.height) / shown.height
        )
    }

    /// The part of a chroma plane that the grid shows, if its luma is kept sample by sample.
    func source(in chroma: Region, ofLuma region: Region) -> Region {
        let ratioX = chroma.width / region.width
        let ratioY = chroma.height / region.height
        return Region(
            x: chroma.x - region.x * ratioX,
            y: chroma.y - region.y * ratioY,
            width: Double(size.width) * horizontal * ratioX,
            height: Double(size.height) * vertical * ratioY
        )
    }
}
