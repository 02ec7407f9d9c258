package import Foundation

/// Times as all machine-readable output has them: RFC 3339 in UTC, with milliseconds.
package enum Timestamp {
    /// The text for milliseconds since 1970.
    package static func text(_ milliseconds: Int64) -> String {
        // The format drops what is below a millisecond, which Double cannot hold exactly.
        text(Date(timeIntervalSince1970: (Double(milliseconds) + 0.5) / 1000))
    }

    package static func text(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
