internal import CImageCodecs

/// A line along the inner edge of a shape.
public struct Border: Sendable, Hashable {
    /// The colour.
    ///
    /// With alpha below 255, the image shows through.
    public var color: Color
    /// The width in pixels, above 0.
    public var width: Double

    /// Creates a border of a colour and width.
    public init(color: Color, width: Double = 1) {
        self.color = color
        self.width = width
    }
}

extension Image {
    /// The image with rounded corners, transparent outside them.
    ///
    /// - Parameters:
    ///   - radius: The radius of the corners in pixels of the nominal image, clamped to half the shorter side.
    ///   - border: A line along the edge.
    ///   - nominalSize: The size of the nominal image, of which this may be a scaled-down decode.
    /// - Returns: Gray or RGB with alpha.
    /// - Throws: `ImagingError`: `processing` for a negative radius or border, `memory`.
    func rounded(radius: Double, border: Border?, of nominalSize: PixelSize) throws(ImagingError) -> Image {
        guard radius >= 0, radius.isFinite, border.map({ $0.width > 0 && $0.width.isFinite }) ?? true else {
            throw .processing(
                "A corner radius or border width is negative or not a number. Give at least 0 pixels."
            )
        }
        let isColored = border.map { !$0.color.opaque.isGray } ?? false
        let source = colorModel == .gray && !isColored ? self : try converted(to: .rgb)
        let result = try (source.colorPlanes + source.planes.prefix(1)).siblings()
        let outer = try source.planes[0].cover(inset: 0, radius: radius, of: nominalSize)
        let inner =
            if let border {
                try source.planes[0].cover(inset: border.width, radius: radius, of: nominalSize)
            } else {
                outer
            }
        let color = border?.color ?? .clear
        result.withCPlanes { target in
            (source.planes + [outer, inner]).withCPlanes { from in
                nb_frame(
                    from,
                    Int32(target.count - 1),
                    source.hasAlpha ? 1 : 0,
                    [from[from.count - 2]],
                    [from[from.count - 1]],
                    [color.red, color.green, color.blue, color.alpha],
                    target
                )
            }
        }
        return Image(colorModel: source.colorModel, planes: result)
    }
}

extension Plane {
    /// The 16-bit coverage of each sample by the rounded image, `inset` nominal pixels inside its edge.
    fileprivate func cover(
        inset: Double,
        radius: Double,
        of nominalSize: PixelSize
    ) throws(ImagingError) -> Plane {
        let scaleX = region.width / Double(nominalSize.width)
        let scaleY = region.height / Double(nominalSize.height)
        let half = Double(min(nominalSize.width, nominalSize.height)) / 2
        let inset = min(inset, half)
        let radius = max(0, min(radius, half) - inset)
        var shape = nb_shape(
            left: region.x + inset * scaleX,
            top: region.y + inset * scaleY,
            right: region.maxX - inset * scaleX,
            bottom: region.maxY - inset * scaleY,
            radius_x: radius * scaleX,
            radius_y: radius * scaleY
        )
        let mask = try sibling(sampleBytes: 2)
        [mask].withCPlanes { nb_cover(&shape, $0) }
        return mask
    }
}
