internal import CImageCodecs

/// Cuts a part out.
public struct Crop: ImageOperation {
    /// The part to keep.
    public enum Area: Sendable, Hashable {
        /// So many pixels, placed by gravity; a side longer than the image's is cut to it.
        case size(PixelSize, Gravity)
        /// So many pixels where most is to be seen: see `Attention`.
        case smart(PixelSize)
        /// These pixels; what lies outside of the image is left out.
        case rect(x: Int, y: Int, width: Int, height: Int)
    }

    /// The part to keep.
    public var area: Area

    /// Keeps so many pixels, placed by gravity.
    public init(width: Int, height: Int, gravity: Gravity = .center) {
        area = .size(PixelSize(width: width, height: height), gravity)
    }

    /// Keeps so many pixels where most is to be seen: edges, skin and strong colours.
    public static func smart(width: Int, height: Int) -> Crop {
        var crop = Crop(width: width, height: height)
        crop.area = .smart(PixelSize(width: width, height: height))
        return crop
    }

    /// Keeps a rectangle.
    public init(x: Int, y: Int, width: Int, height: Int) {
        area = .rect(x: x, y: y, width: width, height: height)
    }

    /// The part's size.
    public func outputSize(for input: PixelSize) throws(ImagingError) -> PixelSize {
        let window = try window(for: input)
        return PixelSize(width: Int(window.width), height: Int(window.height))
    }

    /// The size at which the part is as large as what comes after needs.
    public func coveringSize(for input: PixelSize, output: PixelSize?) throws(ImagingError) -> PixelSize? {
        guard let output else { return nil }
        guard let size = input.scaled(toShow: output, in: try window(for: input)) else { return nil }
        guard case .smart = area else { return size }
        // As much as is looked at, lest the place depend on the decode.
        let looked = Attention.size(for: input)
        return PixelSize(width: max(size.width, looked.width), height: max(size.height, looked.height))
    }

    /// The part.
    public func apply(
        to image: Image,
        nominalSize: PixelSize,
        chroma: ChromaSubsampling?
    ) throws(ImagingError) -> Image {
        var window = try window(for: nominalSize)
        if case .smart = area {
            window = try Attention(image, of: nominalSize).window(of: window, in: nominalSize)
        }
        return try image.cropped(to: window, of: nominalSize)
    }

    /// The part in whole pixels of the input; the middle one where the pixels decide.
    private func window(for input: PixelSize) throws(ImagingError) -> Region {
        let left, top, right, bottom: Int
        switch area {
        case .size(let size, let gravity):
            return try Self.window(size, gravity, in: input)
        case .smart(let size):
            return try Self.window(size, .center, in: input)
        case .rect(let x, let y, let width, let height):
            guard width > 0, height > 0 else { throw Self.empty }
            (left, top) = (max(0, x), max(0, y))
            right = min(input.width, x.addingReportingOverflow(width).overflow ? .max : x + width)
            bottom = min(input.height, y.addingReportingOverflow(height).overflow ? .max : y + height)
        }
        guard left < right, top < bottom else { throw Self.empty }
        return Region(
            x: Double(left),
            y: Double(top),
            width: Double(right - left),
            height: Double(bottom - top)
        )
    }

    private static func window(
        _ size: PixelSize,
        _ gravity: Gravity,
        in input: PixelSize
    ) throws(ImagingError) -> Region {
        guard size.width > 0, size.height > 0 else { throw Self.empty }
        let part = PixelSize(width: min(size.width, input.width), height: min(size.height, input.height))
        let place = gravity.place(part, in: input)
        return Region(
            x: Double(place.x),
            y: Double(place.y),
            width: Double(part.width),
            height: Double(part.height)
        )
    }

    private static let empty = ImagingError(
        .processing,
        "A crop would leave nothing of the image; give a part with a width and a height that lies within it."
    )
}

extension Image {
    /// The part of this image that `window` is of a nominal image, of which this may be a scaled-down decode.
    func cropped(to window: Region, of nominalSize: PixelSize) throws(ImagingError) -> Image {
        if window.width == Double(nominalSize.width), window.height == Double(nominalSize.height) {
            return self
        }
        var result: [Plane] = []
        for plane in planes {
            let part = plane.region.part(window, of: nominalSize)
            result.append(try plane.cropped(to: part))
        }
        return Image(colorModel: colorModel, planes: result)
    }
}

extension Plane {
    /// The samples that a part touches.
    fileprivate func cropped(to part: Region) throws(ImagingError) -> Plane {
        // A thousandth of a sample is rounding, not a reason to keep another column.
        let left = min(max(0, Int((part.x + 0.001).rounded(.down))), width - 1)
        let top = min(max(0, Int((part.y + 0.001).rounded(.down))), height - 1)
        let right = min(max(left + 1, Int((part.maxX - 0.001).rounded(.up))), width)
        let bottom = min(max(top + 1, Int((part.maxY - 0.001).rounded(.up))), height)
        let result = try Plane(
            width: right - left,
            height: bottom - top,
            region: Region(
                x: part.x - Double(left),
                y: part.y - Double(top),
                width: part.width,
                height: part.height
            ),
            sampleBytes: sampleBytes
        )
        [self, result].withCPlanes { planes in
            var from = planes[0]
            from.data += top * stride + left * sampleBytes
            from.width = planes[1].width
            from.height = planes[1].height
            nb_orient([from], [planes[1]], 1)
        }
        return result
    }
}
