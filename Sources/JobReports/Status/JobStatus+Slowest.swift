import Foundation
import JobManifest
import JobStorage

extension JobStatus {
    /// The hosts and URLs that took longest to respond, slowest first.
    public struct Slowest: Sendable, Encodable {
        /// The newest requests of a log that a status looks at: it takes milliseconds to read them.
        static let requestsRead = 10_000
        /// The most hosts, and the most URLs.
        static let rows = 10

        /// The durations of the requests to one host or for one URL, in milliseconds without the time in the queue.
        public struct Times: Sendable, Encodable {
            /// The host with its port, or the URL with the values of its query hidden.
            public let name: String
            /// The number of requests, and of those without a response.
            public let requests, failures: Int
            /// The median, the 95th percentile and the longest of the durations.
            public let p50, p95, max: Double

            init(_ times: ResponseTimes) {
                (name, requests, failures) = (times.name, times.requests, times.failures)
                p50 = Double(times.median) / 1000
                p95 = Double(times.percentile95) / 1000
                max = Double(times.maximum) / 1000
            }
        }

        /// The number of requests that were looked at.
        public let requests: Int
        /// The slowest hosts.
        public let hosts: [Times]
        /// The slowest URLs.
        public let urls: [Times]

        init(_ slowest: SlowestResponses) {
            requests = slowest.requests
            hosts = slowest.hosts.map(Times.init)
            urls = slowest.urls.map(Times.init)
        }
    }
}

extension JobStatus.Slowest {
    /// The most hosts and URLs that the text has.
    private static let rowsOfText = 3

    /// The hosts and URLs in lines below headings; none without requests.
    var lines: [String] {
        guard !hosts.isEmpty else { return [] }
        return ["slowest of the last \(Quantity.count(requests, "request"))"]
            + hosts.prefix(Self.rowsOfText).map(\.line) + urls.prefix(Self.rowsOfText).map(\.line)
    }
}

extension JobStatus.Slowest.Times {
    fileprivate var line: String {
        let failed = failures > 0 ? "  \(Quantity.grouped(failures)) without a response" : ""
        return
            "  p50 \(Self.text(p50))  p95 \(Self.text(p95))  \(Quantity.count(requests, "request"))\(failed)  \(name)"
    }

    /// Formats milliseconds, such as `1.2 ms`, `340 ms` and `2.5 s`.
    static func text(_ milliseconds: Double) -> String {
        switch milliseconds {
        case ..<1: "\(Int((milliseconds * 1000).rounded())) µs"
        case ..<10: String(format: "%.1f ms", milliseconds)
        case ..<1000: "\(Int(milliseconds)) ms"
        case ..<60_000: String(format: "%.1f s", milliseconds / 1000)
        default: Quantity.duration(milliseconds / 1000)
        }
    }
}
