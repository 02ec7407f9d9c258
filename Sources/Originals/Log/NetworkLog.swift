import Foundation
import Synchronization

/// An in-memory log of network traffic: the newest entries, without secrets.
///
/// ``observer`` takes the transfers of a ``CurlDataLoader``, each with its timings:
///
///     let log = NetworkLog()
///     var configuration = CurlDataLoader.Configuration()
///     configuration.observer = log.observer
///     let loader = log.watching(CurlDataLoader(configuration: configuration), reportsTransfers: true)
///
/// ``watching(_:reportsTransfers:)`` takes any loader and groups its attempts. All methods are safe to call
/// from any thread.
public final class NetworkLog: Sendable {
    /// The bounds of a log, and its redaction.
    public struct Configuration: Sendable {
        /// The most entries.
        public var maxEntries = 1_000
        /// The approximate bound on the memory of all entries, in bytes.
        public var maxBytes = 16 * 1024 * 1024
        /// The secrets that the log hides.
        public var redaction = Redaction()

        /// Creates the defaults: a thousand entries, 16 MiB.
        public init() {}
    }

    private struct State {
        var entries: [Entry] = []
        var bytes = 0
        /// The running watched requests: the current load, and the numbers of attempts and transfers.
        var watched: [UInt64: (load: UInt64, attempts: Int, transfers: Int)] = [:]
    }

    /// The settings.
    public let configuration: Configuration
    private let state = Mutex(State())

    /// Creates an empty log.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// The entries, in the order of their ends.
    public var entries: [Entry] { state.withLock { $0.entries } }

    /// Removes all entries.
    public func removeAll() {
        state.withLock { ($0.entries, $0.bytes) = ([], 0) }
    }

    /// A receiver of a loader's transfers: for ``CurlDataLoader/Configuration/observer``.
    public var observer: @Sendable (TransferRecord) -> Void {
        { [self] record in
            var entry = Entry(record, configuration.redaction)
            state.withLock { state in
                if let watch = record.watch, var known = state.watched[watch] {
                    if known.load != record.load {
                        known = (record.load, known.attempts + 1, known.transfers)
                    }
                    known.transfers += 1
                    entry.attempt = known.attempts
                    state.watched[watch] = known
                }
                append(entry, &state)
            }
        }
    }

    /// Starts grouping the loads of one request.
    package func beginWatch() -> UInt64 {
        let watch = LoadNumber.request ?? LoadNumber.next()
        state.withLock { $0.watched[watch] = (load: 0, attempts: 0, transfers: 0) }
        return watch
    }

    /// Ends the grouping, and logs the request as a whole if there is an entry and none of its transfers was logged.
    package func endWatch(_ watch: UInt64, _ entry: @autoclosure () -> Entry?) {
        state.withLock { state in
            guard let known = state.watched.removeValue(forKey: watch), known.transfers == 0,
                let entry = entry()
            else { return }
            append(entry, &state)
        }
    }

    private func append(_ entry: Entry, _ state: inout State) {
        state.entries.append(entry)
        state.bytes += entry.cost
        var surplus = 0
        while surplus < state.entries.count,
            state.entries.count - surplus > configuration.maxEntries || state.bytes > configuration.maxBytes
        {
            state.bytes -= state.entries[surplus].cost
            surplus += 1
        }
        state.entries.removeFirst(surplus)
    }
}
