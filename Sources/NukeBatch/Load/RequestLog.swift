import Foundation
import JobManifest
import JobStorage
import Originals
import ObjectStorage
import Synchronization
import Transport

/// The network log of a run: collects the transfers of its loader, and writes them to the job's state in batches together with
/// what they add to its counters.
///
/// A run that is killed loses at most the last batch, both of log entries and of counts.
final class RequestLog: Sendable {
    private static let batch = 32
    /// The most requests of listings that are kept before the run begins; of more, the oldest are only counted.
    private static let mostOfListings = 10_000

    private struct State {
        var pending: [TransferRecord] = []
        /// The counts of requests that are not logged.
        var forgotten = CounterIncrements()
        /// The classes of hosts; nil before the first write, since they depend on the plan.
        var classes: HostClasses?
    }

    /// Hides what the manifest keeps secret; made once, as each request asks it.
    let redaction: NetworkLog.Redaction
    private let state = Mutex(State())

    /// Creates the log of a run, which hides the secrets of the manifest and of each request.
    init(_ manifest: Manifest) {
        redaction = manifest.redaction
    }

    /// Adds a transfer that has ended; runs on the transfer thread, so entries are made later.
    func add(_ transfer: TransferRecord) {
        state.withLock { $0.pending.append(transfer) }
    }

    /// Adds a request to an object store that has ended, such as one of a listing.
    ///
    /// A bucket of 100,000,000 objects takes 100,000 of them before the log can be written.
    func add(_ exchange: S3Exchange) {
        let transfer = TransferRecord(
            exchange.request,
            host: "s3://",
            start: exchange.start,
            blocked: exchange.blocked,
            head: exchange.head,
            metrics: exchange.metrics,
            error: exchange.error
        )
        state.withLock { state in
            state.pending.append(transfer)
            guard state.pending.count >= 2 * Self.mostOfListings else { return }
            for forgotten in state.pending.prefix(Self.mostOfListings) {
                let hostClass = HostClasses().name(of: forgotten.host)
                state.forgotten.add(forgotten, hostClass: hostClass)
            }
            state.pending.removeFirst(Self.mostOfListings)
        }
    }

    /// Writes the transfers added since the last write, if they fill a batch or `all` is true.
    /// - Throws: `JobStoreError`.
    func write(to store: JobStore, all: Bool = false) async throws(JobStoreError) {
        guard state.withLock({ $0.pending.count }) >= (all ? 1 : Self.batch) else { return }
        let known = state.withLock { $0.classes }
        let classes = if let known { known } else { try HostClasses(store.reader) }
        let (transfers, increments) = state.withLock { state in
            state.classes = state.classes ?? classes
            defer { (state.pending, state.forgotten) = ([], CounterIncrements()) }
            return (state.pending, Self.increments(&state))
        }
        guard !transfers.isEmpty else { return }
        let requests = transfers.map { RequestRecord(NetworkLog.Entry($0, redaction)) }
        try await store.record(requests, counting: increments)
    }

    /// Returns what the pending and the forgotten transfers add to the counters.
    private static func increments(_ state: inout State) -> CounterIncrements {
        var increments = state.forgotten
        var classes = state.classes ?? HostClasses()
        for transfer in state.pending {
            increments.add(transfer, hostClass: classes.claimName(of: transfer.host))
        }
        state.classes = classes
        return increments
    }
}

extension RequestRecord {
    fileprivate init(_ entry: NetworkLog.Entry) {
        let microseconds = { (phase: Duration) in Int(phase / .microseconds(1)) }
        self.init(
            load: Int64(clamping: entry.request),
            started: Int64(entry.start.timeIntervalSince1970 * 1000),
            url: entry.url,
            status: entry.status,
            phases: Phases(
                blocked: entry.timings.blocked.map(microseconds),
                dns: entry.timings.dns.map(microseconds),
                connect: entry.timings.connect.map(microseconds),
                tls: entry.timings.ssl.map(microseconds),
                wait: microseconds(entry.timings.wait),
                receive: microseconds(entry.timings.receive)
            )
        ) {
            $0.redirects = entry.redirects
            $0.method = entry.method
            $0.requestHeaders = Self.text(entry.requestHeaders)
            $0.requestHeadBytes = entry.requestHeadBytes
            $0.responseHeaders = Self.text(entry.responseHeaders)
            $0.responseHeadBytes = entry.responseHeadBytes
            $0.responseBodyBytes = entry.responseBodyBytes
            $0.protocolName = entry.protocolName
            $0.address = entry.address
            $0.isConnectionReused = entry.isConnectionReused
            $0.error = entry.error
        }
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
