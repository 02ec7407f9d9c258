package import Foundation

/// Dates in header fields (RFC 9110, section 5.6.7).
package enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT` and the two obsolete forms; nil if it is none of them.
    ///
    /// The name of the day is not compared with the date. A year of two digits is the one that is not more than
    /// 50 years after `now`.
    package static func date(_ text: String, now: Date = Date()) -> Date? {
        let words = text.split { $0 == " " || $0 == "," || $0 == "-" }
        // Sun, 06 Nov 1994 08:49:37 GMT and Sunday, 06-Nov-94 08:49:37 GMT; or Sun Nov  6 08:49:37 1994.
        if words.count == 6, words[5] == "GMT" {
            return date(day: words[1], month: words[2], year: words[3], time: words[4], now: now)
        }
        guard words.count == 5 else { return nil }
        return date(day: words[2], month: words[1], year: words[4], time: words[3], now: now)
    }

    private static func date(
        day: Substring,
        month: Substring,
        year: Substring,
        time: Substring,
        now: Date
    ) -> Date? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number($0, 2...2) }
        guard let day = number(day, 1...2), let month = months.firstIndex(of: String(month)),
            let year = year.utf8.count == 2
                ? number(year, 2...2).map({ nearest($0, to: now) }) : number(year, 4...4),
            clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
            hour < 24, minute < 60, second <= 60
        else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year - 1900), Int32(month), Int32(day))
        let midnight = timegm(&parts)
        // 31 November became 1 December.
        guard parts.tm_mday == day else { return nil }
        return Date(timeIntervalSince1970: Double(midnight + hour * 3600 + minute * 60 + second))
    }

    /// The year that ends with these two digits.
    private static func nearest(_ digits: Int, to now: Date) -> Int {
        var (seconds, parts) = (time_t(now.timeIntervalSince1970.rounded(.down)), tm())
        gmtime_r(&seconds, &parts)
        let current = Int(parts.tm_year) + 1900
        let year = current - current % 100 + digits
        return year > current + 50 ? year - 100 : year
    }

    private static func number(_ text: Substring, _ lengths: ClosedRange<Int>) -> Int? {
        guard lengths.contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}
