/// Where a smaller rectangle lies in a larger one.
public enum Gravity: Sendable, Hashable {
    /// The points of the compass: north is the top.
    case center, north, northEast, east, southEast, south, southWest, west, northWest
    /// A point of the larger one that the smaller one's middle is as near to as the edges allow: 0 is left or top, 1 right
    /// or bottom.
    case point(x: Double, y: Double)

    /// The left and top of a part within a whole that is at least as large.
    func place(_ part: PixelSize, in whole: PixelSize) -> (x: Int, y: Int) {
        let right = whole.width - part.width
        let bottom = whole.height - part.height
        switch self {
        case .center: return (right / 2, bottom / 2)
        case .north: return (right / 2, 0)
        case .northEast: return (right, 0)
        case .east: return (right, bottom / 2)
        case .southEast: return (right, bottom)
        case .south: return (right / 2, bottom)
        case .southWest: return (0, bottom)
        case .west: return (0, bottom / 2)
        case .northWest: return (0, 0)
        case .point(let x, let y):
            func start(_ fraction: Double, _ side: Int, _ part: Int) -> Int {
                let middle = fraction.isFinite ? min(max(fraction, 0), 1) * Double(side) : Double(side) / 2
                return min(max(0, Int((middle - Double(part) / 2).rounded())), side - part)
            }
            return (start(x, whole.width, part.width), start(y, whole.height, part.height))
        }
    }
}
