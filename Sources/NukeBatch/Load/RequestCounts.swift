import Foundation
import Synchronization

/// The number of requests that a run has sent, by host and status, with a bounded number of entries.
package final class RequestCounts: Sendable {
    /// A host and a status.
    package struct Key: Hashable, Sendable {
        /// The host, with its port if the URL names one; `other` after the first few hundred.
        package let host: String
        /// The HTTP status; 0 if there was no response.
        package let status: Int

        /// Creates a key from its parts.
        package init(host: String, status: Int) {
            (self.host, self.status) = (host, status)
        }
    }

    /// The most entries; each is a time series in the collector.
    private static let most = 500
    private let counts = Mutex<[Key: Int]>([:])

    /// Creates empty counts.
    package init() {}

    /// The counts so far.
    package var all: [Key: Int] {
        counts.withLock { $0 }
    }

    /// Counts a request for a URL.
    package func add(url: String, status: Int?) {
        let key = Key(host: Self.host(of: url), status: status ?? 0)
        counts.withLock { counts in
            let isKnown = counts[key] != nil || counts.count < Self.most
            counts[isKnown ? key : Key(host: "other", status: key.status), default: 0] += 1
        }
    }

    /// The text between `//` and the next `/`, `?` or `#`, in lower case; empty if there is none.
    private static func host(of url: String) -> String {
        guard let slash = url.utf8.firstIndex(of: UInt8(ascii: "/")) else { return "" }
        let rest = url.utf8[slash...].drop { $0 == UInt8(ascii: "/") }
        return Substring(rest.prefix { !"/?#".utf8.contains($0) }).lowercased()
    }
}
