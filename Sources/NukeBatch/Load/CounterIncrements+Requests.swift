import JobStorage
import Originals
import Transport

extension CounterIncrements {
    /// The statuses that are counted one by one; the others count by their first digit, since a server may send any.
    private static let statuses: Set<Int> = [
        200, 206, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405, 407, 408, 410, 412, 416, 421, 425,
        429, 451,
        500, 501, 502, 503, 504,
    ]

    /// Adds a request that has ended, with its duration, to those of its class of hosts.
    mutating func add(_ transfer: TransferRecord, hostClass: String) {
        let seconds = transfer.metrics.total / .seconds(1)
        add(to: .requests, hostClass: hostClass, detail: Self.status(transfer.head?.status))
        add(to: .requestBuckets, hostClass: hostClass, detail: LatencyBuckets.text(of: seconds))
        add(seconds, to: .requestSeconds, hostClass: hostClass)
        add(Double(transfer.metrics.bodyBytes), to: .responseBytes, hostClass: hostClass)
        if let edge = transfer.edge { add(to: .edgeResponses, hostClass: hostClass, detail: edge.rawValue) }
    }

    /// The text of a status, such as `404` or `5xx`; `none` without an answer.
    static func status(_ status: Int?) -> String {
        guard let status else { return "none" }
        if statuses.contains(status) { return String(status) }
        return (100..<600).contains(status) ? "\(status / 100)xx" : "other"
    }
}
