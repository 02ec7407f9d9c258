import Foundation
import JobStorage
import Nuke
import Synchronization
import Transport

/// The network log of a run: takes the transfers of its loader and writes them into the job's state, many at once.
///
/// A run that is killed loses the last few of them, and nothing else.
final class RequestLog: Sendable {
    private static let batch = 32
    /// Of the request's fields only what the loader itself says is shown; others may come from a manifest's secrets.
    private static let shown: Set<String> = ["range", "if-range", "if-none-match", "if-modified-since"]

    let counts: RequestCounts
    private let redaction = Mutex(NetworkLog.Redaction())
    private let pending = Mutex<[TransferRecord]>([])

    init(counts: RequestCounts) {
        self.counts = counts
    }

    /// Never writes these values of variables.
    func hide(_ values: [String: String]) {
        redaction.withLock { $0.hide(values) }
    }

    /// Takes a transfer that has ended; called on the thread of all transfers, so that the rest is done later.
    func add(_ transfer: TransferRecord) {
        pending.withLock { $0.append(transfer) }
    }

    /// Writes what has come since, if it is worth a transaction or `all` is to be written.
    /// - Throws: `JobStoreError`.
    func write(to store: JobStore, all: Bool = false) async throws(JobStoreError) {
        let transfers: [TransferRecord] = pending.withLock { pending in
            guard all || pending.count >= Self.batch else { return [] }
            defer { pending = [] }
            return pending
        }
        guard !transfers.isEmpty else { return }
        let redaction = redaction.withLock { $0 }
        let entries = transfers.map { NetworkLog.Entry($0, redaction) }
        for entry in entries { counts.add(url: entry.url, status: entry.status) }
        try await store.record(entries.map { RequestRecord($0, showing: Self.shown) })
    }
}

extension RequestRecord {
    fileprivate init(_ entry: NetworkLog.Entry, showing shown: Set<String>) {
        let microseconds = { (phase: Duration) in Int(phase / .microseconds(1)) }
        let requestHeaders = entry.requestHeaders.map { header in
            let isShown = shown.contains(header.name.lowercased())
            return isShown ? header : TransferRequest.Header(header.name, NetworkLog.Redaction.replacement)
        }
        self.init(
            load: Int64(clamping: entry.request),
            redirects: entry.redirects,
            started: Int64(entry.start.timeIntervalSince1970 * 1000),
            method: entry.method,
            url: entry.url,
            requestHeaders: Self.text(requestHeaders),
            requestHeadBytes: entry.requestHeadBytes,
            status: entry.status,
            responseHeaders: Self.text(entry.responseHeaders),
            responseHeadBytes: entry.responseHeadBytes,
            responseBodyBytes: entry.responseBodyBytes,
            protocolName: entry.protocolName,
            address: entry.address,
            isConnectionReused: entry.isConnectionReused,
            phases: Phases(
                blocked: entry.timings.blocked.map(microseconds),
                dns: entry.timings.dns.map(microseconds),
                connect: entry.timings.connect.map(microseconds),
                tls: entry.timings.ssl.map(microseconds),
                wait: microseconds(entry.timings.wait),
                receive: microseconds(entry.timings.receive)
            ),
            error: entry.error
        )
    }

    private static func text(_ headers: [TransferRequest.Header]) -> String {
        headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }
}

extension NetworkLog.Redaction {
    /// Shows the names of variables in the place of their `values`.
    mutating func hide(_ values: [String: String]) {
        for (name, value) in values { texts[value] = "${\(name)}" }
    }
}
