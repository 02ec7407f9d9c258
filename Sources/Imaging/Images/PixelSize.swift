/// A width and a height in pixels.
public struct PixelSize: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Horizontal pixels.
    public var width: Int
    /// Vertical pixels.
    public var height: Int
    /// "640×480".
    public var description: String { "\(width)×\(height)" }
    /// Width times height; `Int.max` where that overflows.
    public var area: Int { width.multipliedClamping(by: height) }

    /// Creates a size in pixels.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// True if both sides are at least those of the other size.
    public func covers(_ other: PixelSize) -> Bool {
        width >= other.width && height >= other.height
    }

    /// Width and height exchanged.
    public var transposed: PixelSize { PixelSize(width: height, height: width) }
}

extension Int {
    /// The sum, or `Int.max` if it overflows.
    package func addingClamping(_ other: Int) -> Int {
        let sum = addingReportingOverflow(other)
        return sum.overflow ? .max : sum.partialValue
    }

    /// The product, or `Int.max` if it overflows.
    package func multipliedClamping(by other: Int) -> Int {
        let product = multipliedReportingOverflow(by: other)
        return product.overflow ? .max : product.partialValue
    }
}
