/// An sRGB colour with alpha; components from 0 to 1.
public struct PlatformColor: Hashable, Sendable {
    /// The component, from 0 to 1.
    let red, green, blue, alpha: Double

    /// Creates a colour; components out of range are clamped, and NaN becomes 0.
    public init(red: Double, green: Double, blue: Double, alpha: Double) {
        self.red = Self.clamped(red)
        self.green = Self.clamped(green)
        self.blue = Self.clamped(blue)
        self.alpha = Self.clamped(alpha)
    }

    /// Pure red.
    public static let red = PlatformColor(red: 1, green: 0, blue: 0, alpha: 1)
    /// Pure blue.
    public static let blue = PlatformColor(red: 0, green: 0, blue: 1, alpha: 1)
    /// Black.
    public static let black = PlatformColor(red: 0, green: 0, blue: 0, alpha: 1)

    /// `#RRGGBB`, or `#RRGGBBAA` where alpha is below 1.
    var hexadecimal: String {
        let digits = [red, green, blue].map(Self.twoDigits).joined()
        return "#" + digits + (alpha < 1 ? Self.twoDigits(alpha) : "")
    }

    private static func clamped(_ component: Double) -> Double {
        component.isNaN ? 0 : min(max(component, 0), 1)
    }

    private static func twoDigits(_ component: Double) -> String {
        let digits = String(Int((component * 255).rounded()), radix: 16, uppercase: true)
        return digits.count == 1 ? "0" + digits : digits
    }
}
