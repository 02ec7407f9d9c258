/// How a stored image is turned and mirrored to stand upright: the values of EXIF's tag 0x0112.
public enum Orientation: Int, Sendable, Hashable, CaseIterable {
    /// As stored.
    case up = 1
    /// Mirror left and right.
    case upMirrored
    /// Turn by 180°.
    case down
    /// Mirror top and bottom.
    case downMirrored
    /// Exchange rows and columns.
    case leftMirrored
    /// Turn by 90° clockwise.
    case right
    /// Turn by 90° clockwise, then mirror top and bottom.
    case rightMirrored
    /// Turn by 90° counter-clockwise.
    case left

    /// Whether the upright image is as wide as the stored one is high.
    public var swapsSides: Bool { rawValue > 4 }

    /// The size of an upright image that is stored in this size, and the other way round.
    public func oriented(_ size: PixelSize) -> PixelSize { swapsSides ? size.transposed : size }
}
