import Foundation
import TestSupport
import Testing
import Transport

@Suite struct HTTPDateTests {
    static let moment = Date(timeIntervalSince1970: 784_111_777)

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func readsAllForms(text: String) {
        #expect(HTTPDate.date(text, now: Self.moment) == Self.moment)
    }

    @Test(arguments: [
        "", "0", "-1", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
        "Wed, 29 Feb 1995 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 199 08:49:37 GMT",
        "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z",
    ])
    func refusesWhatIsNone(text: String) {
        #expect(HTTPDate.date(text) == nil)
    }

    @Test func takesTheNearestCentury() {
        let now = HTTPDate.date("Thu, 01 Jan 2026 00:00:00 GMT")
        for (digits, year) in [
            ("76", "2076"), ("77", "1977"), ("00", "2000"), ("99", "1999"), ("26", "2026"),
        ] {
            let full = HTTPDate.date("Sun, 06 Nov \(year) 08:49:37 GMT")
            #expect(HTTPDate.date("Sunday, 06-Nov-\(digits) 08:49:37 GMT", now: now ?? Date()) == full)
        }
    }

    /// Against Foundation's calendar, which counts by other means.
    @Test func agreesWithTheCalendar() throws {
        let seed: UInt64 = 2
        var generator = SeededGenerator(seed: seed)
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        for _ in 0..<2_000 {
            // From 1600 to 9999.
            let date = Date(
                timeIntervalSince1970: Double(
                    Int.random(in: -11_676_096_000..<253_402_300_800, using: &generator)
                )
            )
            #expect(HTTPDate.date(formatter.string(from: date)) == date, "seed \(seed)")
        }
    }
}
