import SQLite

/// The durations of the requests to a host or for a URL in the network log, in microseconds without the time in the queue.
///
/// A request without a response has failed, and has no duration.
public struct ResponseTimes: Hashable, Sendable {
    /// The host as in URLs, with a port other than the default; or the URL as the log writes it.
    public let name: String
    /// The number of requests.
    public let requests: Int
    /// The number of requests without a response.
    public let failures: Int
    /// The median; the mean of the two middle values if their number is even.
    public let median: Int
    /// The smallest duration that at least 95 % of all do not exceed.
    public let percentile95: Int
    /// The longest duration.
    public let maximum: Int

    /// Summarizes durations, of which there is at least one, and requests that failed.
    fileprivate init(_ name: String, _ times: [Int], failures: Int) {
        let sorted = times.sorted()
        let count = sorted.count
        let (lower, upper) = (sorted[(count - 1) / 2], sorted[count / 2])
        (self.name, self.failures) = (name, failures)
        requests = count + failures
        median = lower + (upper - lower) / 2
        // Whole numbers: 95 % of 20 values are 19, which 0.95 * 20 may exceed.
        percentile95 = sorted[(count * 95 + 99) / 100 - 1]
        maximum = sorted[count - 1]
    }
}

/// The hosts and URLs of the network log that took longest, by their 95th percentile.
public struct SlowestResponses: Sendable {
    /// The number of requests that were looked at.
    public internal(set) var requests = 0
    /// The slowest hosts, slowest first.
    public internal(set) var hosts: [ResponseTimes] = []
    /// The slowest URLs, slowest first.
    public internal(set) var urls: [ResponseTimes] = []
}

extension [JobReader] {
    /// Returns up to `limit` hosts and URLs that took longest among the newest `last` requests of each state's log.
    ///
    /// The log keeps 100,000 requests: their durations and URLs are held meanwhile, about 20 MB.
    /// - Throws: `JobStoreError`.
    public func slowestResponses(last: Int = .max, limit: Int) throws(JobStoreError) -> SlowestResponses {
        var (hosts, urls) = (DurationsByName(), DurationsByName())
        for reader in self {
            for request in try reader.durations(last: last) {
                hosts.add(request.duration, of: Self.host(of: request.url))
                urls.add(request.duration, of: request.url)
            }
        }
        return SlowestResponses(requests: hosts.count, hosts: hosts.slowest(limit), urls: urls.slowest(limit))
    }

    /// The host of a URL with its port, without a user; `url` itself if it has none.
    private static func host(of url: String) -> String {
        guard let scheme = url.utf8.firstRange(of: "://".utf8) else { return url }
        let authority = url.utf8[scheme.upperBound...].prefix { !"/?#".utf8.contains($0) }
        let start = authority.lastIndex(of: UInt8(ascii: "@")).map { url.utf8.index(after: $0) }
        return String(url[(start ?? authority.startIndex)..<authority.endIndex])
    }
}

extension JobReader {
    /// Returns the URL and the duration of the newest `last` requests; no duration without a response.
    fileprivate func durations(last: Int) throws(JobStoreError) -> [(url: String, duration: Int?)] {
        try read(
            """
            SELECT url, CASE WHEN status IS NOT NULL THEN \(Measure.time) END AS duration FROM request
            WHERE request_id > (SELECT max(request_id) FROM request) - ?
            """
        ) { try $0.rows(last) { ($0["url"], $0["duration"]) } }
    }
}

/// The durations of requests by a name.
private struct DurationsByName {
    private(set) var count = 0
    private var known: [String: (times: [Int], failures: Int)] = [:]

    mutating func add(_ duration: Int?, of name: String) {
        count += 1
        if let duration {
            known[name, default: ([], 0)].times.append(duration)
        } else {
            known[name, default: ([], 0)].failures += 1
        }
    }

    /// Names of whose requests none had a response are left out: they are among the failures.
    func slowest(_ limit: Int) -> [ResponseTimes] {
        let all = known.filter { !$0.value.times.isEmpty }.map { name, durations in
            ResponseTimes(name, durations.times, failures: durations.failures)
        }
        let sorted = all.sorted {
            ($1.percentile95, $1.maximum, $0.name) < ($0.percentile95, $0.maximum, $1.name)
        }
        return [ResponseTimes](sorted.prefix(limit))
    }
}
