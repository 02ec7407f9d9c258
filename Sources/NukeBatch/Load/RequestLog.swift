import Foundation
import JobManifest
import JobPlanning
import JobStorage
import Originals
import ObjectStorage
import Synchronization
import Transport

/// The network log of a run: collects the transfers of its loader and writes them to the job's state in batches.
///
/// A run that is killed loses at most the last batch of log entries.
final class RequestLog: Sendable {
    private static let batch = 32
    /// The most requests of listings that are kept before the run begins; of more, the oldest are only counted.
    private static let mostOfListings = 10_000

    let counts: RequestCounts
    /// Hides what the manifest keeps secret; made once, as each request asks it.
    let redaction: NetworkLog.Redaction
    private let pending = Mutex<[TransferRecord]>([])

    /// Creates the log of a run, which hides the secrets of the manifest and of each request.
    init(_ manifest: Manifest, counts: RequestCounts) {
        redaction = manifest.redaction
        self.counts = counts
    }

    /// Adds a transfer that has ended; runs on the transfer thread, so entries are made later.
    func add(_ transfer: TransferRecord) {
        pending.withLock { $0.append(transfer) }
    }

    /// Adds a request to an object store that has ended, such as one of a listing.
    ///
    /// A bucket of 100,000,000 objects takes 100,000 of them before the log can be written.
    func add(_ exchange: S3Exchange) {
        let transfer = TransferRecord(
            exchange.request,
            start: exchange.start,
            blocked: exchange.blocked,
            head: exchange.head,
            metrics: exchange.metrics,
            error: exchange.error
        )
        let forgotten = pending.withLock { pending -> ArraySlice<TransferRecord> in
            pending.append(transfer)
            guard pending.count >= 2 * Self.mostOfListings else { return [] }
            defer { pending.removeFirst(Self.mostOfListings) }
            return pending.prefix(Self.mostOfListings)
        }
        for transfer in forgotten { counts.add(url: transfer.request.url, status: transfer.head?.status) }
    }

    /// Writes the transfers added since the last write, if they fill a batch or `all` is true.
    /// - Throws: `JobStoreError`.
    func write(to store: JobStore, all: Bool = false) async throws(JobStoreError) {
        let transfers: [TransferRecord] = pending.withLock { pending in
            guard all || pending.count >= Self.batch else { return [] }
            defer { pending = [] }
            return pending
        }
        guard !transfers.isEmpty else { return }
        let entries = transfers.map { NetworkLog.Entry($0, redaction) }
        for entry in entries { counts.add(url: entry.url, status: entry.status) }
        try await store.record(entries.map { RequestRecord($0) })
    }
}

extension RequestRecord {
    fileprivate init(_ entry: NetworkLog.Entry) {
        let microseconds = { (phase: Duration) in Int(phase / .microseconds(1)) }
        self.init(
            load: Int64(clamping: entry.request),
            redirects: entry.redirects,
            started: Int64(entry.start.timeIntervalSince1970 * 1000),
            method: entry.method,
            url: entry.url,
            requestHeaders: Self.text(entry.requestHeaders),
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
        var text = ""
        text.reserveCapacity(headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 3 })
        for header in headers {
            if !text.isEmpty { text += "\n" }
            text += header.name
            text += ": "
            text += header.value
        }
        return text
    }
}
