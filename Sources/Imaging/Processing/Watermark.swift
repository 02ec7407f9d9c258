internal import CImageCodecs

/// Draws a watermark on each image, once or tiled.
public struct Watermark: ImageOperation {
    /// The position, size and opacity of a watermark.
    public struct Placement: Sendable, Hashable {
        /// The position; for tiles, the position of the first one.
        public var gravity: Gravity
        /// The watermark's longer side as a fraction of the image's shorter side, 0.001 to 1; nil for its own size in
        /// pixels.
        ///
        /// Either way, it is scaled down if it does not fit into the image minus the margins.
        public var scale: Double?
        /// The opacity, 0 to 1.
        public var opacity: Double
        /// Pixels between the watermark and the edges of the image, and between tiles.
        public var margin: Int
        /// True to repeat the watermark all over the image.
        public var tile: Bool

        /// Creates a placement; the default is the watermark's own size, at the bottom right.
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

    /// The watermark image, with its own transparency.
    public var image: Image
    /// The position, size and opacity.
    public var placement: Placement

    /// Creates a watermark; by default in its own size, at the bottom right.
    public init(image: Image, _ placement: Placement = Placement()) {
        self.image = image
        self.placement = placement
    }

    /// The same size.
    public func outputSize(for input: PixelSize) throws(ImagingError) -> PixelSize {
        guard (0...1).contains(placement.opacity), placement.margin >= 0,
            placement.scale.map({ $0 > 0 && $0 <= 1 }) ?? true
        else {
            throw .processing(
                "A watermark needs an opacity and a scale from 0 to 1 and a margin of at least 0 pixels."
            )
        }
        return input
    }

    /// The size that the next operation needs; nil for tiles, whose positions fall on different parts of samples.
    public func coveringSize(for input: PixelSize, output: PixelSize?) throws(ImagingError) -> PixelSize? {
        placement.tile ? nil : output
    }

    /// The image as RGB, the result, and a watermark that covers all of it, at 16 bits before and after scaling.
    public var workingMemory: WorkingMemory { WorkingMemory(perInputPixel: 5, perOutputPixel: 24) }

    /// The image with the watermark.
    ///
    /// YCbCr becomes RGB.
    public func apply(to image: Image, nominalSize: PixelSize, chroma: ChromaSubsampling?)
        throws(ImagingError) -> Image
    {
        _ = try outputSize(for: nominalSize)
        guard placement.opacity > 0 else { return image }
        let isGray = image.colorModel == .gray && self.image.colorModel == .gray
        let base = try image.converted(to: isGray ? .gray : .rgb)
        let frame = frame(on: nominalSize)
        let target = base.planes[0].region.part(frame.region, of: nominalSize)
        let overlay = try Overlay(try scaledImage(at: frame.size).converted(to: base.colorModel), on: target)
        let result = try base.planes.siblings()
        for (plane, copy) in zip(base.planes, result) {
            [plane, copy].withCPlanes { nb_orient([$0[0]], [$0[1]], 1) }
        }
        result.withCPlanes { base in
            overlay.planes.withCPlanes { planes in
                let colors = Int32(planes.count - 1)
                for (x, y) in offsets(of: frame, on: nominalSize) {
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

    /// The watermark image, no larger than its size on the image, which bounds the memory for its transparent border.
    private func scaledImage(at size: PixelSize) throws(ImagingError) -> Image {
        guard image.size != size, image.size.covers(size) else { return image }
        return try Resize(width: size.width, height: size.height, contentMode: .fill).apply(to: image)
    }

    private struct Frame {
        var x, y: Int
        var size: PixelSize
        var region: Region { Region(x: x, y: y, size) }
    }

    /// The position of the watermark on a nominal image.
    private func frame(on nominal: PixelSize) -> Frame {
        // However wide the margin, at least one pixel of the image remains.
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
        let inner = placement.gravity.position(of: size, in: room)
        return Frame(x: marginX + inner.x, y: marginY + inner.y, size: size)
    }

    /// The offset of each tile from the first position; only (0, 0) without tiles.
    private func offsets(of frame: Frame, on nominal: PixelSize) -> [(x: Int, y: Int)] {
        guard placement.tile else { return [(0, 0)] }
        let (stepX, stepY) = (frame.size.width + placement.margin, frame.size.height + placement.margin)
        func starts(from first: Int, within side: Int, step: Int) -> [Int] {
            Array(stride(from: -((first + step - 1) / step) * step, to: side - first, by: step))
        }
        let columns = starts(from: frame.x, within: nominal.width, step: stepX)
        return starts(from: frame.y, within: nominal.height, step: stepY).flatMap { y in
            columns.map { ($0, y) }
        }
    }

    /// True if both have the same effect on every image.
    public static func == (one: Watermark, other: Watermark) -> Bool {
        one.placement == other.placement && one.image.shows(other.image)
    }

    /// Hashes everything but the pixels.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(placement)
        hasher.combine(image.size)
    }
}

/// A watermark in the samples of an actual image: 16-bit colours multiplied by alpha, then alpha.
private struct Overlay {
    var left, top: Int
    var planes: [Plane]

    /// Resamples a watermark image onto a part of the image's samples, whose edges may lie within them.
    init(_ image: Image, on target: Region) throws(ImagingError) {
        left = Int((target.x + 0.001).rounded(.down))
        top = Int((target.y + 0.001).rounded(.down))
        let size = PixelSize(
            width: max(1, Int((target.maxX - 0.001).rounded(.up)) - left),
            height: max(1, Int((target.maxY - 0.001).rounded(.up)) - top)
        )
        let isAligned =
            size == image.size && target.width == Double(size.width) && target.height == Double(size.height)
        // The number of watermark pixels per sample, and the part that the whole samples show. Some of it may lie
        // outside the watermark, so a transparent border is added.
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
    /// True if both have the same pixels.
    fileprivate func shows(_ other: Image) -> Bool {
        guard size == other.size, hasAlpha == other.hasAlpha, bitDepth == other.bitDepth else { return false }
        guard let mine = try? rgba(), let others = try? other.rgba() else { return false }
        return mine == others
    }
}
