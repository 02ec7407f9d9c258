import Foundation

/// The header field `Retry-After` (RFC 9110, section 10.2.3).
enum RetryAfter {
    /// No server keeps a host waiting longer.
    static let longest: Duration = .seconds(3600)

    /// The pause that the value asks for, from 0 to ``longest``; nil if it is neither seconds nor a date.
    static func duration(_ value: String, now: Date = Date()) -> Duration? {
        let text = value.trimmingCharacters(in: .whitespaces)
        if !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            // More digits than an integer holds are more than an hour.
            return min(Int64(text).map { .seconds($0) } ?? longest, longest)
        }
        guard let date = date(text) else { return nil }
        return min(max(.milliseconds(Int64(min(date.timeIntervalSince(now), 1e6) * 1000)), .zero), longest)
    }

    /// Reads the three forms of a date in HTTP (RFC 9110, section 5.6.7).
    private static func date(_ text: String) -> Date? {
        let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
        // Sun, 06 Nov 1994 08:49:37 GMT and Sunday, 06-Nov-94 08:49:37 GMT; or Sun Nov  6 08:49:37 1994.
        if words.count == 6, words[5] == "GMT" {
            return date(day: words[1], month: words[2], year: words[3], time: words[4])
        }
        return words.count == 5 ? date(day: words[2], month: words[1], year: words[4], time: words[3]) : nil
    }

    private static func date(day: String, month: String, year: String, time: String) -> Date? {
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let clock = time.split(separator: ":").compactMap { Int($0) }
        guard let day = Int(day), let month = names.firstIndex(of: month), var year = Int(year),
            clock.count == 3,
            (1...31).contains(day), (0...9999).contains(year), (0...23).contains(clock[0]),
            (0...59).contains(clock[1]), (0...60).contains(clock[2])
        else { return nil }
        if year < 100 { year += year < 70 ? 2000 : 1900 }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar.date(
            from: DateComponents(
                year: year,
                month: month + 1,
                day: day,
                hour: clock[0],
                minute: clock[1],
                second: clock[2]
            )
        )
    }
}
