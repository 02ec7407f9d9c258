import Foundation
import Synchronization

/// How many requests a run has sent, by host and status, within a bound.
package final class RequestCounts: Sendable {
    /// What requests have in common.
    package struct Key: Hashable, Sendable {
        /// With its port where the URL names one; `other` after the first few hundred.
        package let host: String
        /// The HTTP status; 0 without an answer.
        package let status: Int

        /// Names what requests have in common.
        package init(host: String, status: Int) {
            (self.host, self.status) = (host, status)
        }
    }

    /// A time series each: what collects them must not drown.
    private static let most = 500
    private let counts = Mutex<[Key: Int]>([:])

    /// No requests.
    package init() {}

    /// The counts so far.
    package var all: [Key: Int] {
        counts.withLock { $0 }
    }

    /// Counts a request for a URL.
    package func add(url: String, status: Int?) {
        let parts = url.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 2)
        let authority = parts.dropFirst().first?.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let key = Key(host: authority.map { Substring($0).lowercased() } ?? "", status: status ?? 0)
        counts.withLock { counts in
            let isKnown = counts[key] != nil || counts.count < Self.most
            counts[isKnown ? key : Key(host: "other", status: key.status), default: 0] += 1
        }
    }
}
