import Foundation

/// Cases about selecting one of several responses, and about stale responses in place of errors.
extension HTTPCacheCase {
    /// `Vary` (RFC 9111, section 4.1).
    static let varying: [HTTPCacheCase] = [
        .init(
            name: "Vary, the same",
            response: with("max-age=60", ["Vary": "X-Size"]),
            first: ["X-Size": "1"],
            second: ["X-Size": "1"],
            outcome: .cached
        ),
        .init(
            name: "Vary, another",
            response: with("max-age=60", ["Vary": "X-Size"]),
            first: ["X-Size": "1"],
            second: ["X-Size": "2"],
            outcome: .loaded
        ),
        .init(
            name: "Vary, missing in both",
            response: with("max-age=60", ["Vary": "X-Size"]),
            outcome: .cached
        ),
        .init(
            name: "Vary, missing in the second",
            response: with("max-age=60", ["Vary": "X-Size"]),
            first: ["X-Size": "1"],
            outcome: .loaded
        ),
        .init(
            name: "Vary, missing in the first",
            response: with("max-age=60", ["Vary": "X-Size"]),
            second: ["X-Size": ""],
            outcome: .loaded
        ),
        .init(
            name: "Vary, other white space in a list",
            response: with("max-age=60", ["Vary": "Accept"]),
            first: ["Accept": "image/avif,image/*"],
            second: ["Accept": " image/avif,  image/*"],
            outcome: .cached
        ),
        .init(
            name: "Vary, other case of the name",
            response: with("max-age=60", ["Vary": "x-SIZE"]),
            first: ["X-Size": "1"],
            second: ["X-Size": "2"],
            outcome: .loaded
        ),
        .init(
            name: "Vary, other case of the value",
            response: with("max-age=60", ["Vary": "X-Size"]),
            first: ["X-Size": "a"],
            second: ["X-Size": "A"],
            outcome: .loaded
        ),
        .init(
            name: "Vary of two, one differs",
            response: with("max-age=60", ["Vary": "Accept, X-Size"]),
            first: ["X-Size": "1", "Accept": "image/*"],
            second: ["X-Size": "2", "Accept": "image/*"],
            outcome: .loaded
        ),
        .init(
            name: "Vary in two lines, one differs",
            response: with("max-age=60", ["Vary": "Accept", "vary": "X-Size"]),
            first: ["X-Size": "1", "Accept": "image/*"],
            second: ["X-Size": "2", "Accept": "image/*"],
            outcome: .loaded
        ),
        .init(
            name: "a field that Vary does not name",
            response: with("max-age=60", ["Vary": "Accept"]),
            first: ["X-Size": "1"],
            second: ["X-Size": "2"],
            outcome: .cached
        ),
        .init(name: "Vary: *", response: with("max-age=60", ["Vary": "*"]), outcome: .loaded),
        .init(
            name: "Vary: * among others",
            response: with("max-age=60", ["Vary": "Accept, *"]),
            outcome: .loaded
        ),
    ]

    /// `stale-if-error` and `stale-while-revalidate` (RFC 5861).
    static let errors: [HTTPCacheCase] = [
        .init(
            name: "503 without a word",
            response: with("max-age=60"),
            wait: 61,
            answer: .status(503),
            outcome: .failed
        ),
        .init(
            name: "503 within stale-if-error",
            response: with("max-age=60, stale-if-error=100"),
            wait: 159,
            answer: .status(503),
            outcome: .excused,
            age: "159"
        ),
        .init(
            name: "503 beyond stale-if-error",
            response: with("max-age=60, stale-if-error=100"),
            wait: 160,
            answer: .status(503),
            outcome: .failed
        ),
        .init(
            name: "500 within stale-if-error",
            response: with("max-age=60, stale-if-error=100"),
            wait: 61,
            answer: .status(500),
            outcome: .excused
        ),
        .init(
            name: "504 within stale-if-error",
            response: with("max-age=60, stale-if-error=100"),
            wait: 61,
            answer: .status(504),
            outcome: .excused
        ),
        .init(
            name: "501 within stale-if-error",
            response: with("max-age=60, stale-if-error=100"),
            wait: 61,
            answer: .status(501),
            outcome: .failed
        ),
        .init(
            name: "404 within stale-if-error",
            response: with("max-age=60, stale-if-error=100"),
            wait: 61,
            answer: .status(404),
            outcome: .failed
        ),
        .init(
            name: "a broken connection within stale-if-error",
            response: with("max-age=60, stale-if-error=100"),
            wait: 61,
            answer: .reset,
            outcome: .excused
        ),
        .init(
            name: "stale-if-error without a validator",
            response: with("max-age=60, stale-if-error=100", [:]),
            wait: 61,
            answer: .reset,
            outcome: .excused
        ),
        .init(
            name: "stale-if-error of the request",
            response: with("max-age=60"),
            wait: 159,
            second: ["Cache-Control": "stale-if-error=100"],
            answer: .status(503),
            outcome: .excused
        ),
        .init(
            name: "stale-if-error against must-revalidate",
            response: with("max-age=60, stale-if-error=100, must-revalidate"),
            wait: 61,
            answer: .status(503),
            outcome: .failed
        ),
        .init(
            name: "stale-if-error against no-cache",
            response: with("no-cache, stale-if-error=100", ["Last-Modified": "{-1000}"]),
            answer: .status(503),
            outcome: .failed
        ),
        .init(
            name: "stale-if-error against a request's no-cache",
            response: with("max-age=60, stale-if-error=100"),
            second: ["Cache-Control": "no-cache"],
            answer: .status(503),
            outcome: .failed
        ),
        .init(
            name: "beyond stale-while-revalidate",
            response: with("max-age=60, stale-while-revalidate=100"),
            wait: 160,
            outcome: .confirmed
        ),
        .init(
            name: "stale-while-revalidate against a request's max-age",
            response: with("max-age=60, stale-while-revalidate=100"),
            wait: 61,
            second: ["Cache-Control": "max-age=3600"],
            outcome: .confirmed
        ),
        .init(
            name: "stale-while-revalidate against must-revalidate",
            response: with("max-age=60, stale-while-revalidate=100, must-revalidate"),
            wait: 61,
            outcome: .confirmed
        ),
    ]

    static let all =
        lifetimes + expiry + ages + heuristics + storing + validation + requests + varying + errors
}
