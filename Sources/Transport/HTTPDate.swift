package import Foundation

/// Dates in header fields (RFC 9110, section 5.6.7).
package enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

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

    /// The date in the form that is sent, as `Sun, 06 Nov 1994 08:49:37 GMT`; parts of a second are dropped.
    package static func text(_ date: Date) -> String {
        let seconds = Int(date.timeIntervalSince1970.rounded(.down))
        let days = Int((Double(seconds) / 86400).rounded(.down))
        let (year, month, day) = civil(days)
        let ofDay = seconds - days * 86400
        let clock = [ofDay / 3600, ofDay / 60 % 60, ofDay % 60].map { digits($0, 2) }.joined(separator: ":")
        let weekday = weekdays[((days % 7) + 7) % 7]
        return "\(weekday), \(digits(day, 2)) \(months[month - 1]) \(digits(year, 4)) \(clock) GMT"
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
            (1...length(ofMonth: month + 1, year)).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = days(year, month + 1, day: day)
        return Date(timeIntervalSince1970: Double(days * 86400 + hour * 3600 + minute * 60 + second))
    }

    /// The year that ends with these two digits.
    private static func nearest(_ digits: Int, to now: Date) -> Int {
        let current = civil(Int((now.timeIntervalSince1970 / 86400).rounded(.down))).year
        let year = current - current % 100 + digits
        return year > current + 50 ? year - 100 : year
    }

    private static func number(_ text: Substring, _ lengths: ClosedRange<Int>) -> Int? {
        guard lengths.contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }

    private static func length(ofMonth month: Int, _ year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// Days from 1970 to a day of the Gregorian calendar, whose years are counted from March on.
    private static func days(_ year: Int, _ month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return 365 * year + year / 4 - year / 100 + year / 400 + ofYear - 719_468
    }

    /// The day of the Gregorian calendar so many days after 1970, in the years that HTTP can write.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let ofEra = shifted % 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * ofYear + 2) / 153
        let month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
        let day = ofYear - (153 * shiftedMonth + 2) / 5 + 1
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
    }
}
