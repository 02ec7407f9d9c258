/// The ways in which a gain map follows what is done to the image beside it; docs/hdr.md has the table.
extension GainMap {
    /// Follows an operation on the image beside the map.
    ///
    /// - Parameters:
    ///   - operation: The operation, placed on that image.
    ///   - nominalSize: The size of the nominal image, as for `ImageOperation.apply`.
    /// - Returns: The map after the operation; nil if the map cannot follow, and goes.
    /// - Throws: What the operation throws.
    func following(_ operation: any ImageOperation, nominalSize: PixelSize) throws(ImagingError) -> GainMap? {
        switch operation {
        case let resize as Resize: return try following(resize, of: nominalSize)
        case let crop as Crop:
            return with(try image.cropped(to: crop.window(for: nominalSize), of: nominalSize))
        case let rotate as Rotate:
            var turned = with(try rotate.apply(to: image, nominalSize: nominalSize, chroma: nil))
            if try rotate.orientation().swapsSides { turned.scale = (scale.y, scale.x) }
            return turned
        case var pad as Pad:
            pad.background = neutral
            return with(try pad.apply(to: image, nominalSize: nominalSize, chroma: nil))
        case is GaussianBlur, is BoxBlur:
            return with(try operation.apply(to: image, nominalSize: nominalSize, chroma: nil))
        case let watermark as Watermark: return try following(watermark, of: nominalSize)
        case let corners as RoundedCorners:
            return try cut(
                RoundedCorners(radius: corners.radius, border: border(corners.border)),
                nominalSize
            )
        case let circle as Circle: return try cut(Circle(border: border(circle.border)), nominalSize)
        case is Grayscale: return image.colorModel == .gray && metadata.channels.count == 1 ? self : nil
        case is Adjust, is Sharpen, is Flatten: return self
        default: return nil
        }
    }

    private var neutral: Color {
        let color = metadata.neutral
        return Color(red: color.red, green: color.green, blue: color.blue)
    }

    /// The part that a resize shows, at the scale that the map had beside its original, but not enlarged.
    private func following(_ resize: Resize, of nominalSize: PixelSize) throws(ImagingError) -> GainMap {
        let geometry = try resize.geometry(for: nominalSize)
        if geometry.isCropOnly { return with(try image.cropped(to: geometry.window, of: nominalSize)) }
        let part = image.planes[0].region.part(geometry.window, of: nominalSize)
        let size = PixelSize(
            width: Self.pixels(min(Double(geometry.size.width) * scale.x, part.width)),
            height: Self.pixels(min(Double(geometry.size.height) * scale.y, part.height))
        )
        return with(try image.resampled(showing: part, to: size))
    }

    /// The map without gain where the watermark is, as far as it is opaque; what lies below a mark would shine through it.
    private func following(_ watermark: Watermark, of nominalSize: PixelSize) throws(ImagingError) -> GainMap
    {
        // Tiles have their places in whole samples of the image.
        guard !watermark.placement.tile else { return self }
        var planes: [Plane] = []
        for sample in metadata.neutral.samples(in: image.colorModel) {
            planes.append(try Plane.filled(watermark.image.size, with: sample))
        }
        planes += try watermark.image.converted(toBitDepth: 8).alphaPlanes
        let mark = Watermark(image: Image(colorModel: image.colorModel, planes: planes), watermark.placement)
        return with(try mark.apply(to: image, nominalSize: nominalSize, chroma: nil))
    }

    /// The map without gain outside of a shape.
    private func cut(_ shape: some ImageOperation, _ nominalSize: PixelSize) throws(ImagingError) -> GainMap {
        let part = try shape.apply(to: image, nominalSize: nominalSize, chroma: nil)
        return with(try part.flattened(over: metadata.neutral))
    }

    private func border(_ border: Border?) -> Border? {
        border.map {
            var color = neutral
            color.alpha = $0.color.alpha
            return Border(color: color, width: $0.width)
        }
    }
}

extension ImageOperation {
    /// The same operation on this image, if the pixels decide on its place: a crop to the part that it shows.
    ///
    /// - Throws: What the operation throws.
    func placed(on image: Image, nominalSize: PixelSize) throws(ImagingError) -> any ImageOperation {
        let part: Region
        switch self {
        case let crop as Crop where crop.isPlacedByPixels:
            part = try crop.window(on: image, nominalSize: nominalSize)
        // It gets the nominal image at full size.
        case let trim as Trim where image.size == nominalSize: part = try trim.content(of: image)
        default: return self
        }
        return Crop(x: Int(part.x), y: Int(part.y), width: Int(part.width), height: Int(part.height))
    }
}
