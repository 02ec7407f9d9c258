internal import CImageCodecs

/// Lays a picture over each image, at a corner or all over.
public struct Watermark: ImageOperation {
    /// Where a watermark lies, how large, and how much of it shows.
    public struct Placement: Sendable, Hashable {
        /// Where it lies; of tiles, where the first one lies.
        public var gravity: Gravity
        /// Its longer side as a part of the image's shorter side, 0.001 to 1; nil for its own pixels.
        ///
        /// In either case it is made smaller where it would not fit into the image less its margins.
        public var scale: Double?
        /// How much of it shows, 0 to 1.
        public var opacity: Double
        /// Pixels between it and the edges of the image, and between tiles.
        public var margin: Int
        /// Whether it is repeated all over the image.
        public var tile: Bool

        /// A placement; by default in its own size, at the bottom right.
        public init(
            gravity: Gravity = .southEast,
            scale: Double? = nil,
            opacity: Double = 1,
            margin: Int = 0,
            tile: Bool = false
        ) {
            self.gravity = gravity
            self.scale = scale
            self.opacity = opacity
            self.margin = margin
            self.tile = tile
        }
    }

    /// The picture, with its own transparency.
    public var image: Image
    /// Where it lies and how it shows.
    public var placement: Placement

    /// A watermark; by default in its own size, at the bottom right.
    public init(image: Image, _ placement: Placement = Placement()) {
        self.image = image
        self.placement = placement
    }

    /// The same size.
    public func outputSize(for input: PixelSize) throws(ImagingError) -> PixelSize {
        guard (0...1).contains(placement.opacity), placement.margin >= 0,
            placement.scale.map({ $0 > 0 && $0 <= 1 }) ?? true
        else {
            throw ImagingError(
                .processing,
                "A watermark takes an opacity and a scale from 0 to 1 and a margin of 0 pixels or more."
            )
        }
        return input
    }

    /// As much as what comes after needs; every pixel for tiles, which fall on different parts of samples.
    public func coveringSize(for input: PixelSize, output: PixelSize?) throws(ImagingError) -> PixelSize? {
        placement.tile ? nil : output
    }

    /// The image as RGB, the result, and a picture that covers all of it, of 16 bits before and after it is scaled.
    public var workingMemory: WorkingMemory { WorkingMemory(perInputPixel: 5, perOutputPixel: 24) }

    /// The image with the watermark; YCbCr becomes RGB.
    public func apply(
        to image: Image,
        nominalSize: PixelSize,
        chroma: ChromaSubsampling?
    ) throws(ImagingError) -> Image {
        _ = try outputSize(for: nominalSize)
        guard placement.opacity > 0 else { return image }
        let isGray = image.colorModel == .gray && self.image.colorModel == .gray
        let base = try image.converted(to: isGray ? .gray : .rgb)
        let place = place(on: nominalSize)
        let target = base.planes[0].region.part(place.region, of: nominalSize)
        let overlay = try Overlay(try picture(at: place.size).converted(to: base.colorModel), on: target)
        var result: [Plane] = []
        for plane in base.planes {
            let copy = try plane.sibling()
            [plane, copy].withCPlanes { nb_orient([$0[0]], [$0[1]], 1) }
            result.append(copy)
        }
        result.withCPlanes { base in
            overlay.planes.withCPlanes { planes in
                let colors = Int32(planes.count - 1)
                for (x, y) in offsets(of: place, on: nominalSize) {
                    let (left, top) = (Int32(overlay.left + x), Int32(overlay.top + y))
                    nb_compose(
                        base,
                        colors,
                        base.count > colors ? 1 : 0,
                        planes,
                        left,
                        top,
                        placement.opacity
                    )
                }
            }
        }
        return Image(colorModel: base.colorModel, planes: result)
    }

    /// The picture, no larger than it is shown, so that what its transparent surroundings take is bounded.
    private func picture(at size: PixelSize) throws(ImagingError) -> Image {
        guard image.size != size, image.size.covers(size) else { return image }
        return try Resize(width: size.width, height: size.height, contentMode: .fill).apply(to: image)
    }

    private struct Place {
        var x, y: Int
        var size: PixelSize
        var region: Region {
            Region(x: Double(x), y: Double(y), width: Double(size.width), height: Double(size.height))
        }
    }

    /// Where the watermark lies on a nominal image.
    private func place(on nominal: PixelSize) -> Place {
        // Something is left of the image, however wide the margin.
        let (marginX, marginY) = (
            min(placement.margin, (nominal.width - 1) / 2), min(placement.margin, (nominal.height - 1) / 2)
        )
        let room = PixelSize(width: nominal.width - 2 * marginX, height: nominal.height - 2 * marginY)
        let (width, height) = (Double(image.size.width), Double(image.size.height))
        let wanted =
            placement.scale.map { $0 * Double(min(nominal.width, nominal.height)) / max(width, height) } ?? 1
        let factor = min(wanted, Double(room.width) / width, Double(room.height) / height)
        let size = PixelSize(
            width: max(1, Int((width * factor).rounded())),
            height: max(1, Int((height * factor).rounded()))
        )
        let inner = placement.gravity.place(size, in: room)
        return Place(x: marginX + inner.x, y: marginY + inner.y, size: size)
    }

    /// By how much the watermark is moved for each of its tiles; not at all without tiles.
    private func offsets(of place: Place, on nominal: PixelSize) -> [(x: Int, y: Int)] {
        guard placement.tile else { return [(0, 0)] }
        let (stepX, stepY) = (place.size.width + placement.margin, place.size.height + placement.margin)
        func starts(_ first: Int, _ side: Int, _ step: Int) -> [Int] {
            Array(stride(from: -((first + step - 1) / step) * step, to: side - first, by: step))
        }
        let columns = starts(place.x, nominal.width, stepX)
        return starts(place.y, nominal.height, stepY).flatMap { y in columns.map { ($0, y) } }
    }

    /// Whether both do the same to every image.
    public static func == (one: Watermark, other: Watermark) -> Bool {
        one.placement == other.placement && one.image.shows(other.image)
    }

    /// Hashes everything but the pixels.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(placement)
        hasher.combine(image.size)
    }
}

/// A watermark in the samples of the image at hand: colours multiplied by alpha, then alpha, of 16 bits.
private struct Overlay {
    var left, top: Int
    var planes: [Plane]

    /// Resamples a picture to a part of the image's samples, whose edges may lie within them.
    init(_ image: Image, on target: Region) throws(ImagingError) {
        left = Int((target.x + 0.001).rounded(.down))
        top = Int((target.y + 0.001).rounded(.down))
        let size = PixelSize(
            width: max(1, Int((target.maxX - 0.001).rounded(.up)) - left),
            height: max(1, Int((target.maxY - 0.001).rounded(.up)) - top)
        )
        let isAligned =
            size == image.size && target.width == Double(size.width) && target.height == Double(size.height)
        // The picture's pixels a sample, and the part of it that the whole samples show: some of it may lie outside,
        // where a border of nothing is put.
        let stepX = Double(image.size.width) / target.width
        let stepY = Double(image.size.height) / target.height
        let border = Int(max(stepX, stepY).rounded(.up)) + 1
        let canvas = PixelSize(width: image.size.width + 2 * border, height: image.size.height + 2 * border)
        let shown = Region(
            x: Double(border) + (Double(left) - target.x) * stepX,
            y: Double(border) + (Double(top) - target.y) * stepY,
            width: Double(size.width) * stepX,
            height: Double(size.height) * stepY
        )
        let source = try image.withAlpha()
        let alpha = source.planes[source.planes.count - 1]
        planes = []
        for (index, plane) in source.planes.enumerated() {
            let isColor = index < source.planes.count - 1
            let deep = try plane.widened(alpha: isColor ? alpha : nil)
            if isAligned {
                planes.append(deep)
                continue
            }
            let padded = try deep.padded(at: (border, border), of: image.size, to: canvas, with: 0)
            planes.append(try Resampler.resample(padded, region: shown, to: size, filter: .lanczos3))
        }
    }
}

extension Image {
    /// Whether both have the same pixels.
    fileprivate func shows(_ other: Image) -> Bool {
        guard size == other.size, hasAlpha == other.hasAlpha, bitDepth == other.bitDepth else { return false }
        guard let mine = try? rgba(), let others = try? other.rgba() else { return false }
        return mine == others
    }
}
