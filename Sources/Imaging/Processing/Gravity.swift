/// The position of a smaller rectangle in a larger one.
public enum Gravity: Sendable, Hashable {
    /// Compass points; north is the top.
    case center, north, northEast, east, southEast, south, southWest, west, northWest
    /// A focus point in the larger rectangle, from 0 (left, top) to 1 (right, bottom). The smaller one is centred on it
    /// as far as the edges allow.
    case point(x: Double, y: Double)

    /// The left and top of a part within a whole that is at least as large.
    func position(of part: PixelSize, in whole: PixelSize) -> (x: Int, y: Int) {
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
            func start(_ fraction: Double, of part: Int, in side: Int) -> Int {
                let middle = fraction.isFinite ? min(max(fraction, 0), 1) * Double(side) : Double(side) / 2
                return min(max(0, Int((middle - Double(part) / 2).rounded())), side - part)
            }
            return (start(x, of: part.width, in: whole.width), start(y, of: part.height, in: whole.height))
        }
    }
}
