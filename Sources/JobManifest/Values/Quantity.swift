import Foundation

/// Formats numbers for people, independently of the locale.
public enum Quantity {
    /// Returns a number of bytes in powers of 1000: `999 B`, `1.2 MB`.
    public static func bytes(_ bytes: Int) -> String {
        var value = Double(bytes)
        for unit in ["B", "kB", "MB", "GB"] {
            if value < 1000 { return unit == "B" ? "\(bytes) B" : String(format: "%.1f %@", value, unit) }
            value /= 1000
        }
        return String(format: "%.1f TB", value)
    }

    /// Returns a number of seconds as `m:ss` or `h:mm:ss`, at most 99:59:59.
    public static func duration(_ seconds: Double) -> String {
        let whole = Int(min(seconds.rounded(), 359_999))
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
        if hours > 0 { return String(format: "%d:%02d:%02d", hours, minutes, rest) }
        return String(format: "%d:%02d", minutes, rest)
    }

    /// Returns a count with its noun, such as `1 output` or `1,200 outputs`.
    package static func count(_ count: Int, _ noun: String) -> String {
        "\(grouped(count)) \(self.noun(noun, count))"
    }

    /// Returns a noun as it follows a count, such as `output` after 1 and `outputs` after 0.
    package static func noun(_ noun: String, _ count: Int) -> String {
        count == 1 ? noun : noun + "s"
    }

    /// Returns a count with commas between thousands.
    package static func grouped(_ count: Int) -> String {
        let digits = Array(String(count))
        return digits.indices.reduce(into: "") { text, index in
            let isBoundary = index > 0 && (digits.count - index) % 3 == 0 && digits[index - 1] != "-"
            text += (isBoundary ? "," : "") + String(digits[index])
        }
    }
}
