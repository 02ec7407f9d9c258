extension Resize {
    /// The geometry of a resize: `window`, in pixels of the nominal image, is shown at `size`.
    struct Geometry {
        var window: Region
        var size: PixelSize
        /// True if pixels are not resampled.
        var isCropOnly: Bool {
            window.width == Double(size.width) && window.height == Double(size.height)
        }
    }

    func geometry(for input: PixelSize) throws(ImagingError) -> Geometry {
        guard width != nil || height != nil, (width ?? 1) > 0, (height ?? 1) > 0, input.width > 0,
            input.height > 0
        else {
            throw ImagingError(.processing, "A resize needs a width or a height above 0. Give at least one.")
        }
        guard max(width ?? 1, height ?? 1) <= Self.maxSide else { throw Self.tooLarge }
        let whole = Region(x: 0, y: 0, width: Double(input.width), height: Double(input.height))
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
        let window = Region(
            x: Double((input.width - size.width) / 2),
            y: Double((input.height - size.height) / 2),
            width: Double(size.width),
            height: Double(size.height)
        )
        return Geometry(window: window, size: size)
    }

    /// The longest side of a plane, in pixels.
    ///
    /// Memory runs out long before.
    private static let maxSide = Int(Int32.max) - 64
    private static let tooLarge = ImagingError(
        .limits,
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
