internal import CImageCodecs

/// Crops an image.
public struct Crop: ImageOperation {
    /// The part to keep.
    public enum Area: Sendable, Hashable {
        /// A size, positioned by gravity. A side longer than the image's is clamped to it.
        case size(PixelSize, Gravity)
        /// A size, positioned by attention-based smart crop (see `Attention`).
        case smart(PixelSize)
        /// A rectangle. The part outside the image is left out.
        case rect(x: Int, y: Int, width: Int, height: Int)
    }

    /// The part to keep.
    public var area: Area

    /// Keeps a size, positioned by gravity.
    public init(width: Int, height: Int, gravity: Gravity = .center) {
        area = .size(PixelSize(width: width, height: height), gravity)
    }

    /// Keeps the most salient part of a size: edges, skin and saturated colours.
    public static func smart(width: Int, height: Int) -> Crop {
        var crop = Crop(width: width, height: height)
        crop.area = .smart(PixelSize(width: width, height: height))
        return crop
    }

    /// Keeps a rectangle.
    public init(x: Int, y: Int, width: Int, height: Int) {
        area = .rect(x: x, y: y, width: width, height: height)
    }

    /// True for a smart crop.
    public var isPlacedByPixels: Bool { if case .smart = area { true } else { false } }

    /// The result; for a smart crop also a channel on black.
    public var workingMemory: WorkingMemory { WorkingMemory(perInputPixel: isPlacedByPixels ? 1 : 0) }

    /// The part's size.
    public func outputSize(for input: PixelSize) throws(ImagingError) -> PixelSize {
        let window = try window(for: input)
        return PixelSize(width: Int(window.width), height: Int(window.height))
    }

    /// The decode size at which the part is as large as the next operation needs.
    public func coveringSize(for input: PixelSize, output: PixelSize?) throws(ImagingError) -> PixelSize? {
        guard let output else { return nil }
        guard let size = input.scaled(toShow: output, in: try window(for: input)) else { return nil }
        guard case .smart = area else { return size }
        // At least the examined size, so that the position does not depend on the decode.
        let looked = Attention.size(for: input)
        return PixelSize(width: max(size.width, looked.width), height: max(size.height, looked.height))
    }

    /// The cropped image.
    public func apply(to image: Image, nominalSize: PixelSize, chroma: ChromaSubsampling?)
        throws(ImagingError) -> Image
    {
        try image.cropped(to: window(on: image, nominalSize: nominalSize), of: nominalSize)
    }

    /// The part in whole pixels of the nominal image.
    func window(on image: Image, nominalSize: PixelSize) throws(ImagingError) -> Region {
        let window = try window(for: nominalSize)
        guard case .smart = area else { return window }
        return try Attention(image, of: nominalSize).window(of: window, in: nominalSize)
    }

    /// The part in whole pixels of the input; for a smart crop, the centred one.
    func window(for input: PixelSize) throws(ImagingError) -> Region {
        let left, top, right, bottom: Int
        switch area {
        case .size(let size, let gravity): return try Self.window(size, gravity, in: input)
        case .smart(let size): return try Self.window(size, .center, in: input)
        case .rect(let x, let y, let width, let height):
            guard width > 0, height > 0 else { throw Self.empty }
            (left, top) = (max(0, x), max(0, y))
            right = min(input.width, x.addingReportingOverflow(width).overflow ? .max : x + width)
            bottom = min(input.height, y.addingReportingOverflow(height).overflow ? .max : y + height)
        }
        guard left < right, top < bottom else { throw Self.empty }
        return Region(x: left, y: top, PixelSize(width: right - left, height: bottom - top))
    }

    private static func window(
        _ size: PixelSize,
        _ gravity: Gravity,
        in input: PixelSize
    ) throws(ImagingError) -> Region {
        guard size.width > 0, size.height > 0 else { throw Self.empty }
        let part = PixelSize(width: min(size.width, input.width), height: min(size.height, input.height))
        let position = gravity.position(of: part, in: input)
        return Region(x: position.x, y: position.y, part)
    }

    private static let empty = ImagingError.processing(
        "A crop would leave no pixels. Give a width and a height above 0 and a position inside the image."
    )
}

extension Image {
    /// The part of this image that corresponds to `window` in the nominal image, of which this may be a scaled-down
    /// decode.
    func cropped(to window: Region, of nominalSize: PixelSize) throws(ImagingError) -> Image {
        if window.width == Double(nominalSize.width), window.height == Double(nominalSize.height) {
            return self
        }
        return try mapPlanes { plane throws(ImagingError) in
            try plane.cropped(to: plane.region.part(window, of: nominalSize))
        }
    }
}

extension Plane {
    /// The samples that a part overlaps.
    fileprivate func cropped(to part: Region) throws(ImagingError) -> Plane {
        // An overlap of a thousandth of a sample is rounding and does not justify another column.
        let left = min(max(0, Int((part.x + 0.001).rounded(.down))), width - 1)
        let top = min(max(0, Int((part.y + 0.001).rounded(.down))), height - 1)
        let right = min(max(left + 1, Int((part.maxX - 0.001).rounded(.up))), width)
        let bottom = min(max(top + 1, Int((part.maxY - 0.001).rounded(.up))), height)
        var region = part
        (region.x, region.y) = (part.x - Double(left), part.y - Double(top))
        let result = try Plane(
            PixelSize(width: right - left, height: bottom - top),
            region: region,
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
