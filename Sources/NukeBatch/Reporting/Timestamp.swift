import Foundation

/// Times as all machine-readable output has them: RFC 3339 in UTC, with milliseconds.
enum Timestamp {
    /// The text for milliseconds since 1970.
    static func text(_ milliseconds: Int64) -> String {
        text(Date(timeIntervalSince1970: Double(milliseconds) / 1000))
    }

    static func text(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
