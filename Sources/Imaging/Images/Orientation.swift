internal import CImageCodecs

/// The rotation and mirroring that turn a stored image upright: the values of EXIF tag 0x0112.
public enum Orientation: Int, Sendable, Hashable, CaseIterable {
    /// As stored.
    case up = 1
    /// Mirror left and right.
    case upMirrored
    /// Rotate by 180°.
    case down
    /// Mirror top and bottom.
    case downMirrored
    /// Exchange rows and columns.
    case leftMirrored
    /// Rotate by 90° clockwise.
    case right
    /// Rotate by 90° clockwise, then mirror top and bottom.
    case rightMirrored
    /// Rotate by 90° counter-clockwise.
    case left

    /// True if the upright image's width is the stored image's height.
    public var swapsSides: Bool { rawValue > 4 }

    /// The upright size of an image stored at this size, and vice versa.
    public func oriented(_ size: PixelSize) -> PixelSize { swapsSides ? size.transposed : size }
}

extension Image {
    /// The image rotated and mirrored by an orientation; the same image for `up`.
    func oriented(_ orientation: Orientation) throws(ImagingError) -> Image {
        guard orientation != .up else { return self }
        return try mapPlanes { plane throws(ImagingError) in try plane.oriented(orientation) }
    }
}

extension Plane {
    fileprivate func oriented(_ orientation: Orientation) throws(ImagingError) -> Plane {
        let size = orientation.oriented(size)
        let turned = try Plane(size, region: turnedRegion(orientation), sampleBytes: sampleBytes)
        [self, turned].withCPlanes { nb_orient([$0[0]], [$0[1]], Int32(orientation.rawValue)) }
        return turned
    }

    private func turnedRegion(_ orientation: Orientation) -> Region {
        let mirroredX = Double(width) - region.maxX
        let mirroredY = Double(height) - region.maxY
        let (x, y) =
            switch orientation {
            case .up: (region.x, region.y)
            case .upMirrored: (mirroredX, region.y)
            case .down: (mirroredX, mirroredY)
            case .downMirrored: (region.x, mirroredY)
            case .leftMirrored: (region.y, region.x)
            case .right: (mirroredY, region.x)
            case .rightMirrored: (mirroredY, mirroredX)
            case .left: (region.y, mirroredX)
            }
        return orientation.swapsSides
            ? Region(x: x, y: y, width: region.height, height: region.width)
            : Region(x: x, y: y, width: region.width, height: region.height)
    }
}
