import Foundation

/// The times in the records of a store.
enum StoredTime {
    /// Reads a time of RFC 3339 with fractions of a second; nil for any other text.
    static func date(_ text: String) -> Date? {
        try? Date(text, strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))
    }
}
