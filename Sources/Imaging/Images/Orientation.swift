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
