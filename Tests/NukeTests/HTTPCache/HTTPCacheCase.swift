import Foundation
import Nuke
import Testing

/// Two requests of one URL, the second some time after the first, and what the cache must make of the second.
struct HTTPCacheCase: Sendable, CustomTestStringConvertible {
    /// Header fields in their order, also several of one name.
    struct Fields: Sendable, ExpressibleByDictionaryLiteral {
        let pairs: [(name: String, value: String)]

        init(_ pairs: [(name: String, value: String)]) {
            self.pairs = pairs
        }

        init(dictionaryLiteral elements: (String, String)...) {
            pairs = elements.map { (name: $0, value: $1) }
        }
    }

    /// The server's response to the second request, if there is one.
    enum Answer: Sendable {
        /// 304 with these fields if the request has the first answer's validator, or else 200 and another body.
        case honest(Fields)
        /// 200 and another body.
        case changed
        /// This status.
        case status(Int)
        /// A broken connection.
        case reset
    }

    enum Outcome: Sendable, Hashable {
        /// The first body, without the network.
        case cached
        /// The first body, after a 304.
        case confirmed
        /// The second body, in answer to a conditional request.
        case replaced
        /// The second body, in answer to a plain request.
        case loaded
        /// The first body, instead of an error.
        case excused
        /// The error of the server.
        case failed
        /// An error without the network.
        case refused
    }

    let name: String
    var status = 200
    /// Fields of the first answer.
    ///
    /// A number of seconds in braces is the date so long after it. `Date` is added unless given; an empty one is
    /// left out.
    var response: Fields = [:]
    /// Fields of the first request.
    var first: Fields = [:]
    /// Seconds until the second request.
    var wait: Double = 0
    /// Fields of the second request.
    var second: Fields = [:]
    var policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    var answer: Answer = .honest([:])
    var isShared = false
    let outcome: Outcome
    /// The `Age` that the second response must have.
    var age: String?

    var testDescription: String { name }
}

extension HTTPCacheCase {
    /// The value of `Cache-Control`, and other fields.
    static func with(_ control: String, _ more: Fields = ["ETag": "\"a\""]) -> Fields {
        Fields([(name: "Cache-Control", value: control)] + more.pairs)
    }

    /// Cases about freshness lifetimes (RFC 9111, section 4.2.1).
    static let lifetimes: [HTTPCacheCase] = [
        .init(
            name: "max-age, just fresh",
            response: with("max-age=60"),
            wait: 59,
            outcome: .cached,
            age: "59"
        ),
        .init(name: "max-age, just stale", response: with("max-age=60"), wait: 60, outcome: .confirmed),
        .init(name: "max-age=0", response: with("max-age=0"), outcome: .confirmed),
        .init(name: "max-age quoted", response: with("max-age=\"60\""), wait: 59, outcome: .cached),
        .init(name: "MAX-AGE", response: with("MAX-AGE=60"), wait: 59, outcome: .cached),
        .init(
            name: "max-age before a past Expires",
            response: with("max-age=60", ["ETag": "\"a\"", "Expires": "{-60}"]),
            wait: 59,
            outcome: .cached
        ),
        .init(
            name: "max-age=0 before a later Expires",
            response: with("max-age=0", ["ETag": "\"a\"", "Expires": "{60}"]),
            outcome: .confirmed
        ),
        .init(name: "max-age twice", response: with("max-age=60, max-age=0"), wait: 59, outcome: .cached),
        .init(
            name: "Cache-Control in two lines",
            response: with("public", ["ETag": "\"a\"", "Cache-Control": "max-age=60"]),
            wait: 59,
            outcome: .cached
        ),
        .init(name: "max-age is no number", response: with("max-age=abc"), outcome: .confirmed),
        .init(name: "max-age without argument", response: with("max-age"), outcome: .confirmed),
        .init(name: "max-age negative", response: with("max-age=-60"), outcome: .confirmed),
        .init(name: "max-age with a fraction", response: with("max-age=60.5"), outcome: .confirmed),
        .init(name: "max-age after a space", response: with("max-age= 60"), outcome: .confirmed),
        .init(
            name: "max-age beyond every integer",
            response: with("max-age=99999999999999999999"),
            wait: 1e9,
            outcome: .cached
        ),
        .init(
            name: "a quoted comma before max-age",
            response: with("x=\"a, max-age=0\", max-age=60"),
            wait: 59,
            outcome: .cached
        ),
        .init(name: "nonsense before max-age", response: with("=5, ,,x y;z, max-age=60"), outcome: .cached),
        .init(
            name: "s-maxage in a private cache",
            response: with("s-maxage=0, max-age=60"),
            wait: 59,
            outcome: .cached
        ),
        .init(
            name: "s-maxage in a shared cache",
            response: with("s-maxage=60, max-age=0"),
            wait: 59,
            isShared: true,
            outcome: .cached
        ),
        .init(
            name: "s-maxage over",
            response: with("s-maxage=10, max-age=60"),
            wait: 10,
            isShared: true,
            outcome: .confirmed
        ),
    ]

    /// `Expires` (RFC 9111, section 5.3) in all forms of dates (RFC 9110, section 5.6.7).
    static let expiry: [HTTPCacheCase] = [
        .init(
            name: "Expires, just fresh",
            response: ["ETag": "\"a\"", "Expires": "{60}"],
            wait: 59,
            outcome: .cached
        ),
        .init(
            name: "Expires, just stale",
            response: ["ETag": "\"a\"", "Expires": "{60}"],
            wait: 60,
            outcome: .confirmed
        ),
        .init(name: "Expires past", response: ["ETag": "\"a\"", "Expires": "{-1}"], outcome: .confirmed),
        .init(name: "Expires: 0", response: ["ETag": "\"a\"", "Expires": "0"], outcome: .confirmed),
        .init(
            name: "Expires is no date, with Last-Modified",
            response: ["Last-Modified": "{-9000}", "Expires": "tomorrow"],
            outcome: .confirmed
        ),
        .init(
            name: "Expires on a day that is none",
            response: ["ETag": "\"a\"", "Expires": "Tue, 31 Feb 2026 00:00:00 GMT"],
            outcome: .confirmed
        ),
        .init(
            name: "Expires in another time zone",
            response: ["ETag": "\"a\"", "Expires": "Fri, 02 Jan 2026 00:00:00 CET"],
            outcome: .confirmed
        ),
        .init(
            name: "Expires twice",
            response: ["ETag": "\"a\"", "Expires": "{60}", "expires": "{90}"],
            outcome: .confirmed
        ),
        .init(
            name: "Expires by RFC 850",
            response: ["ETag": "\"a\"", "Expires": "Thursday, 01-Jan-26 00:01:00 GMT"],
            wait: 59,
            outcome: .cached
        ),
        .init(
            name: "Expires by RFC 850 in the last century",
            response: ["ETag": "\"a\"", "Expires": "Friday, 01-Jan-99 00:01:00 GMT"],
            outcome: .confirmed
        ),
        .init(
            name: "Expires by asctime",
            response: ["ETag": "\"a\"", "Expires": "Thu Jan  1 00:01:00 2026"],
            wait: 59,
            outcome: .cached
        ),
        .init(
            name: "Expires by a server whose clock is ahead",
            response: ["ETag": "\"a\"", "Date": "{3600}", "Expires": "{3660}"],
            wait: 59,
            outcome: .cached
        ),
        .init(
            name: "Expires by a server whose clock is ahead, over",
            response: ["ETag": "\"a\"", "Date": "{3600}", "Expires": "{3660}"],
            wait: 60,
            outcome: .confirmed
        ),
        .init(
            name: "Expires without Date",
            response: ["ETag": "\"a\"", "Date": "", "Expires": "{60}"],
            wait: 59,
            outcome: .cached
        ),
    ]

    /// Cases about the age of responses (RFC 9111, section 4.2.3).
    static let ages: [HTTPCacheCase] = [
        .init(
            name: "Age, just fresh",
            response: with("max-age=60", ["ETag": "\"a\"", "Age": "50"]),
            wait: 9,
            outcome: .cached,
            age: "59"
        ),
        .init(
            name: "Age, just stale",
            response: with("max-age=60", ["ETag": "\"a\"", "Age": "50"]),
            wait: 10,
            outcome: .confirmed,
            age: "0"
        ),
        .init(
            name: "Age with two values",
            response: with("max-age=60", ["ETag": "\"a\"", "Age": "50, 0"]),
            wait: 10,
            outcome: .confirmed
        ),
        .init(
            name: "Age is no number",
            response: with("max-age=60", ["ETag": "\"a\"", "Age": "old"]),
            wait: 59,
            outcome: .cached,
            age: "59"
        ),
        .init(
            name: "Age negative",
            response: with("max-age=60", ["ETag": "\"a\"", "Age": "-50"]),
            wait: 59,
            outcome: .cached,
            age: "59"
        ),
        .init(
            name: "Age beyond every integer",
            response: with("max-age=60", ["ETag": "\"a\"", "Age": "99999999999999999999"]),
            outcome: .confirmed
        ),
        .init(
            name: "an old Date, just fresh",
            response: with("max-age=60", ["ETag": "\"a\"", "Date": "{-50}"]),
            wait: 9,
            outcome: .cached,
            age: "59"
        ),
        .init(
            name: "an old Date, just stale",
            response: with("max-age=60", ["ETag": "\"a\"", "Date": "{-50}"]),
            wait: 10,
            outcome: .confirmed
        ),
        .init(
            name: "an old Date and a larger Age",
            response: with("max-age=60", ["ETag": "\"a\"", "Date": "{-20}", "Age": "50"]),
            wait: 9,
            outcome: .cached,
            age: "59"
        ),
        .init(
            name: "a Date that is none",
            response: with("max-age=60", ["ETag": "\"a\"", "Date": "now"]),
            wait: 59,
            outcome: .cached,
            age: "59"
        ),
        .init(
            name: "a clock that was set back",
            response: with("max-age=60"),
            wait: -1000,
            outcome: .cached,
            age: "0"
        ),
    ]

    /// Guessed freshness (RFC 9111, section 4.2.2).
    static let heuristics: [HTTPCacheCase] = [
        .init(
            name: "a tenth of Last-Modified, just fresh",
            response: ["Last-Modified": "{-1000}"],
            wait: 99,
            outcome: .cached
        ),
        .init(
            name: "a tenth of Last-Modified, just stale",
            response: ["Last-Modified": "{-1000}"],
            wait: 100,
            outcome: .confirmed
        ),
        .init(
            name: "a day at most, just fresh",
            response: ["Last-Modified": "{-99999999}"],
            wait: 86399,
            outcome: .cached
        ),
        .init(
            name: "a day at most, just stale",
            response: ["Last-Modified": "{-99999999}"],
            wait: 86400,
            outcome: .confirmed
        ),
        .init(
            name: "Last-Modified in the future",
            response: ["Last-Modified": "{1000}"],
            outcome: .confirmed
        ),
        .init(name: "an ETag alone", response: ["ETag": "\"a\""], outcome: .confirmed),
        .init(name: "nothing at all", outcome: .loaded),
        .init(name: "203", status: 203, response: ["Last-Modified": "{-1000}"], wait: 99, outcome: .cached),
        .init(
            name: "201 is not kept unasked",
            status: 201,
            response: ["Last-Modified": "{-1000}"],
            outcome: .loaded
        ),
        .init(name: "201 with max-age", status: 201, response: with("max-age=60"), outcome: .cached),
        .init(
            name: "201 with public",
            status: 201,
            response: with("public", ["Last-Modified": "{-1000}"]),
            wait: 99,
            outcome: .cached
        ),
    ]
}
