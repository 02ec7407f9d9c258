import Foundation

/// Dates in the forms that S3 reads and writes.
enum SignedDate {
    /// Parses `20130524T000000Z`.
    static func parse(basic text: String) -> Date? {
        let digits = Array(text.utf8)
        guard digits.count == 16, digits[8] == UInt8(ascii: "T"), digits[15] == UInt8(ascii: "Z") else {
            return nil
        }
        let numbers = [0..<4, 4..<6, 6..<8, 9..<11, 11..<13, 13..<15].compactMap { range in
            Int32(String(decoding: digits[range], as: UTF8.self))
        }
        return numbers.count == 6 ? date(numbers) : nil
    }

    /// Parses `Fri, 24 May 2013 00:00:00 GMT` (RFC 9110, section 5.6.7).
    static func parse(http text: String) -> Date? {
        let parts = text.split { " :".contains($0) }.map(String.init)
        guard parts.count == 8, parts[7] == "GMT", let day = Int32(parts[1]), let year = Int32(parts[3]),
            let month = months.firstIndex(of: parts[2]), let hour = Int32(parts[4]),
            let minute = Int32(parts[5]), let second = Int32(parts[6])
        else { return nil }
        return date([year, Int32(month) + 1, day, hour, minute, second])
    }

    /// As `Fri, 24 May 2013 00:00:00 GMT`.
    static func http(_ date: Date) -> String {
        text(date, "%a, %d %b %Y %H:%M:%S GMT")
    }

    /// As `2013-05-24T00:00:00Z`.
    static func instant(_ date: Date) -> String {
        text(date, "%Y-%m-%dT%H:%M:%SZ")
    }

    /// As `2013-05-24T00:00:00.000Z`, in whole seconds.
    static func extended(_ date: Date) -> String {
        text(date, "%Y-%m-%dT%H:%M:%S.000Z")
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The time of year, month, day, hour, minute and second in UTC.
    private static func date(_ numbers: [Int32]) -> Date {
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[3], numbers[4], numbers[5])
        return Date(timeIntervalSince1970: Double(timegm(&parts)))
    }

    private static func text(_ date: Date, _ format: String) -> String {
        var seconds = time_t(date.timeIntervalSince1970.rounded(.down))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            strftime(start, buffer.count, format, &parts)
            return String(cString: start)
        }
    }
}
