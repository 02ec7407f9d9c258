import Foundation
import Nuke

/// Cases about storing responses and reusing them.
extension HTTPCacheCase {
    /// Cases about storing responses (RFC 9111, sections 3, 3.5 and 5.2.2).
    static let storing: [HTTPCacheCase] = [
        .init(name: "no-store", response: with("no-store, max-age=60"), outcome: .loaded),
        .init(name: "private in a private cache", response: with("private, max-age=60"), outcome: .cached),
        .init(
            name: "private in a shared cache",
            response: with("private, max-age=60"),
            isShared: true,
            outcome: .loaded
        ),
        .init(
            name: "private fields in a shared cache",
            response: with("private=\"x-user\", max-age=60"),
            isShared: true,
            outcome: .cached
        ),
        .init(
            name: "Authorization in a private cache",
            response: with("max-age=60"),
            first: ["Authorization": "Basic eDp5"],
            outcome: .cached
        ),
        .init(
            name: "Authorization in a shared cache",
            response: with("max-age=60"),
            first: ["Authorization": "Basic eDp5"],
            isShared: true,
            outcome: .loaded
        ),
        .init(
            name: "Authorization and public",
            response: with("public, max-age=60"),
            first: ["Authorization": "Basic eDp5"],
            isShared: true,
            outcome: .cached
        ),
        .init(
            name: "Authorization and s-maxage",
            response: with("s-maxage=60"),
            first: ["Authorization": "Basic eDp5"],
            isShared: true,
            outcome: .cached
        ),
        .init(
            name: "Authorization and must-revalidate",
            response: with("must-revalidate, max-age=60"),
            first: ["Authorization": "Basic eDp5"],
            isShared: true,
            outcome: .cached
        ),
        .init(
            name: "must-understand of a known status",
            response: with("must-understand, no-store, max-age=60"),
            outcome: .cached
        ),
        .init(
            name: "must-understand of an unknown status",
            status: 299,
            response: with("must-understand, max-age=60"),
            outcome: .loaded
        ),
        .init(
            name: "206 that nobody asked for",
            status: 206,
            response: with("max-age=60", ["ETag": "\"a\"", "Content-Range": "bytes 0-2/9"]),
            outcome: .loaded
        ),
        .init(
            name: "a request with no-store",
            response: with("max-age=60"),
            first: ["Cache-Control": "no-store"],
            outcome: .loaded
        ),
        .init(
            name: "Pragma in a response",
            response: with("max-age=60", ["Pragma": "no-cache"]),
            outcome: .cached
        ),
    ]

    /// Cases about validation (RFC 9111, sections 4.2.4, 4.3 and 5.2.2).
    static let validation: [HTTPCacheCase] = [
        .init(name: "a weak ETag", response: with("max-age=0", ["ETag": "W/\"a\""]), outcome: .confirmed),
        .init(
            name: "Last-Modified alone",
            response: with("max-age=0", ["Last-Modified": "{-1000}"]),
            outcome: .confirmed
        ),
        .init(
            name: "a 304 that makes the tag weak",
            response: with("max-age=0"),
            answer: .honest(["ETag": "W/\"a\""]),
            outcome: .confirmed
        ),
        .init(
            name: "the server has another",
            response: with("max-age=0"),
            answer: .changed,
            outcome: .replaced
        ),
        .init(name: "no-cache", response: with("no-cache, max-age=60"), outcome: .confirmed),
        .init(
            name: "no-cache for fields",
            response: with("no-cache=\"Set-Cookie\", max-age=60"),
            outcome: .cached
        ),
        .init(
            name: "no-cache for fields and for all",
            response: with("no-cache=\"Set-Cookie\", no-cache, max-age=60"),
            outcome: .confirmed
        ),
        .init(
            name: "must-revalidate while fresh",
            response: with("must-revalidate, max-age=60"),
            wait: 59,
            outcome: .cached
        ),
        .init(
            name: "must-revalidate against max-stale",
            response: with("must-revalidate, max-age=60"),
            wait: 61,
            second: ["Cache-Control": "max-stale"],
            outcome: .confirmed
        ),
        .init(
            name: "proxy-revalidate in a private cache",
            response: with("proxy-revalidate, max-age=60"),
            wait: 61,
            second: ["Cache-Control": "max-stale"],
            outcome: .cached
        ),
        .init(
            name: "proxy-revalidate in a shared cache",
            response: with("proxy-revalidate, max-age=60"),
            wait: 61,
            second: ["Cache-Control": "max-stale"],
            isShared: true,
            outcome: .confirmed
        ),
        .init(
            name: "s-maxage against max-stale",
            response: with("s-maxage=60"),
            wait: 61,
            second: ["Cache-Control": "max-stale"],
            isShared: true,
            outcome: .confirmed
        ),
    ]

    /// Cases about request directives (RFC 9111, section 5.2.1) and cache policies of requests.
    static let requests: [HTTPCacheCase] = [
        .init(
            name: "a request with no-cache",
            response: with("max-age=60"),
            second: ["Cache-Control": "no-cache"],
            outcome: .confirmed
        ),
        .init(
            name: "a request's max-age, young enough",
            response: with("max-age=60"),
            wait: 10,
            second: ["Cache-Control": "max-age=10"],
            outcome: .cached
        ),
        .init(
            name: "a request's max-age, too old",
            response: with("max-age=60"),
            wait: 11,
            second: ["Cache-Control": "max-age=10"],
            outcome: .confirmed
        ),
        .init(
            name: "any staleness",
            response: with("max-age=60"),
            wait: 1e6,
            second: ["Cache-Control": "max-stale"],
            outcome: .cached
        ),
        .init(
            name: "max-stale, just within",
            response: with("max-age=60"),
            wait: 70,
            second: ["Cache-Control": "max-stale=10"],
            outcome: .cached
        ),
        .init(
            name: "max-stale, just beyond",
            response: with("max-age=60"),
            wait: 71,
            second: ["Cache-Control": "max-stale=10"],
            outcome: .confirmed
        ),
        .init(
            name: "max-stale is no number",
            response: with("max-age=60"),
            wait: 61,
            second: ["Cache-Control": "max-stale=much"],
            outcome: .confirmed
        ),
        .init(
            name: "min-fresh, just enough",
            response: with("max-age=60"),
            wait: 30,
            second: ["Cache-Control": "min-fresh=30"],
            outcome: .cached
        ),
        .init(
            name: "min-fresh, too little",
            response: with("max-age=60"),
            wait: 31,
            second: ["Cache-Control": "min-fresh=30"],
            outcome: .confirmed
        ),
        .init(
            name: "only-if-cached, fresh",
            response: with("max-age=60"),
            second: ["Cache-Control": "only-if-cached"],
            outcome: .cached
        ),
        .init(
            name: "only-if-cached, stale",
            response: with("max-age=60"),
            wait: 61,
            second: ["Cache-Control": "only-if-cached"],
            outcome: .refused
        ),
        .init(
            name: "only-if-cached, not stored",
            response: with("no-store"),
            second: ["Cache-Control": "only-if-cached"],
            outcome: .refused
        ),
        .init(
            name: "reloadIgnoringLocalCacheData",
            response: with("max-age=60"),
            policy: .reloadIgnoringLocalCacheData,
            outcome: .loaded
        ),
        .init(
            name: "reloadRevalidatingCacheData",
            response: with("max-age=60"),
            policy: .reloadRevalidatingCacheData,
            outcome: .confirmed
        ),
        .init(
            name: "returnCacheDataElseLoad, stale",
            response: with("no-cache, max-age=60"),
            wait: 61,
            policy: .returnCacheDataElseLoad,
            outcome: .cached
        ),
        .init(
            name: "returnCacheDataElseLoad, not stored",
            response: with("no-store"),
            policy: .returnCacheDataElseLoad,
            outcome: .loaded
        ),
        .init(
            name: "returnCacheDataDontLoad, stale",
            response: with("max-age=60"),
            wait: 61,
            policy: .returnCacheDataDontLoad,
            outcome: .cached
        ),
        .init(
            name: "returnCacheDataDontLoad, not stored",
            response: with("no-store"),
            policy: .returnCacheDataDontLoad,
            outcome: .refused
        ),
        .init(
            name: "a request for a part",
            response: with("max-age=60"),
            second: ["Range": "bytes=0-1"],
            outcome: .loaded
        ),
        .init(
            name: "a request for the rest of a download",
            response: with("max-age=60"),
            second: ["Range": "bytes=1-", "If-Range": "\"0\""],
            outcome: .cached
        ),
        .init(
            name: "a request for the rest of a download, stale",
            response: with("max-age=60"),
            wait: 61,
            second: ["Range": "bytes=1-", "If-Range": "\"0\""],
            outcome: .loaded
        ),
    ]
}
