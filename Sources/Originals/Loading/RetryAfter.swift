package import Foundation
import Transport

/// The header field `Retry-After` (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// The longest pause that is accepted.
    package static let longest: Duration = .seconds(3600)

    /// Returns the pause, from 0 to ``longest``; nil if the value is neither seconds nor a date.
    package static func duration(_ value: String, now: Date = Date()) -> Duration? {
        let text = value.trimmingCharacters(in: .whitespaces)
        if !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            // More digits than an integer holds are more than an hour.
            return min(Int64(text).map { .seconds($0) } ?? longest, longest)
        }
        guard let date = HTTPDate.date(text, now: now) else { return nil }
        return min(max(.milliseconds(Int64(min(date.timeIntervalSince(now), 1e6) * 1000)), .zero), longest)
    }
}
