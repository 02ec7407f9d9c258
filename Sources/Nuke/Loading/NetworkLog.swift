import Foundation
import Synchronization

/// A log of what went over the network, in memory: the newest entries, without the secrets in them.
///
/// ``observer`` takes the transfers of a ``CurlDataLoader``, each with its timings:
///
///     let log = NetworkLog()
///     var configuration = CurlDataLoader.Configuration()
///     configuration.observer = log.observer
///     let loader = log.watching(CurlDataLoader(configuration: configuration), reportsTransfers: true)
///
/// ``watching(_:reportsTransfers:)`` takes any loader, and ties its attempts together. All of it may be called
/// from any thread.
public final class NetworkLog: Sendable {
    /// What is kept, and what of it is hidden.
    public struct Configuration: Sendable {
        /// The most entries that are kept.
        public var maxEntries = 1_000
        /// About the most bytes that they take together.
        public var maxBytes = 16 * 1024 * 1024
        /// What must not be read in the log.
        public var redaction = Redaction()

        /// The defaults: a thousand entries, 16 MiB.
        public init() {}
    }

    private struct State {
        var entries: [Entry] = []
        var bytes = 0
        /// Of what is watched and still runs: its load of the moment, and how many there were.
        var watched: [UInt64: (load: UInt64, attempts: Int, transfers: Int)] = [:]
    }

    /// The settings.
    public let configuration: Configuration
    private let state = Mutex(State())

    /// An empty log.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// The entries, in the order of their ends.
    public var entries: [Entry] {
        state.withLock { $0.entries }
    }

    /// Forgets all entries.
    public func removeAll() {
        state.withLock { ($0.entries, $0.bytes) = ([], 0) }
    }

    /// Takes the transfers of a loader: for ``CurlDataLoader/Configuration/observer``.
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

    /// Begins to tie the loads together that are made for one request.
    func beginWatch() -> UInt64 {
        let watch = LoadNumber.next()
        state.withLock { $0.watched[watch] = (load: 0, attempts: 0, transfers: 0) }
        return watch
    }

    /// Ends it, and logs the request as a whole if none of its transfers was logged.
    func endWatch(_ watch: UInt64, _ entry: @autoclosure () -> Entry) {
        state.withLock { state in
            guard let known = state.watched.removeValue(forKey: watch), known.transfers == 0 else { return }
            append(entry(), &state)
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
