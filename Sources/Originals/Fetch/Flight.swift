import Foundation
import FoundationNetworking
import Synchronization

/// One download for all who ask for the same bytes while it lasts.
final class Flight: Sendable {
    private struct State {
        var passengers: [Passenger]
        var work: Task<Void, Never>?
        /// True if nobody waits any more, or the fetcher was stopped.
        var isCancelled = false
    }

    let key: FlightKey
    private let fetcher: OriginalFetcher
    /// The request of the first passenger.
    private let request: FetchRequest
    private let download: Download
    private let state: Mutex<State>

    init(_ key: FlightKey, first passenger: Passenger, of fetcher: OriginalFetcher) {
        self.key = key
        self.fetcher = fetcher
        request = passenger.request
        download = fetcher.download(of: request)
        state = Mutex(State(passengers: [passenger]))
    }

    /// Adds somebody who waits; ``updatePriority()`` comes after it.
    func board(_ passenger: Passenger) {
        state.withLock { $0.passengers.append(passenger) }
    }

    /// Removes somebody who no longer waits; without anybody the download ends.
    func leave(_ passenger: Passenger) {
        passenger.end(.failure(FetchError.cancelled))
        state.withLock { state in state.passengers.removeAll { $0 === passenger } }
        // Nobody may join what ends.
        if fetcher.close(self, if: { isDeserted }) { cancel() } else { updatePriority() }
    }

    /// Ends the download, and the waiting for it.
    func stop() {
        for passenger in state.withLock({ $0.passengers }) { leave(passenger) }
    }

    /// Begins the download, unless the bytes were stored since the store count was `look`.
    func begin(since look: Int) {
        updatePriority()
        let work = Task { [self] in
            await fly(since: look)
            fetcher.end(self)
        }
        let isCancelled = state.withLock { state in
            state.work = work
            return state.isCancelled
        }
        if isCancelled { work.cancel() }
    }

    /// Sets the priority of the download to the highest of those who wait.
    func updatePriority() {
        let highest = state.withLock { state in state.passengers.map(\.request.priority.rawValue).max() }
        guard let highest, let priority = Operation.QueuePriority(rawValue: highest) else { return }
        download.setPriority(priority)
    }

    private var isDeserted: Bool { state.withLock { $0.passengers.isEmpty } }

    private func cancel() {
        let work = state.withLock { state in
            state.isCancelled = true
            return state.work
        }
        work?.cancel()
    }

    private func fly(since look: Int) async {
        do {
            // Somebody among them may want the bytes of now.
            if requests.allSatisfy(\.isReadFromCache),
                let stored = try await fetcher.stored(request, key, since: look)
            {
                return land(.success(stored))
            }
            var loaded = try await download.run()
            guard !loaded.data.isEmpty else { throw FetchError.empty }
            loaded.metadata = DataCache.Metadata(loaded.received, to: request.urlRequest.url)
            // Nothing in it heeds a cancellation: a complete download is kept even if nobody waits for it any more.
            let isKept = await store(loaded)
            // Those who wait may keep the bytes for long.
            if !isKept { (loaded.partial, loaded.file) = (nil, nil) }
            land(.success(loaded))
        } catch {
            land(.failure(error is CancellationError ? FetchError.cancelled : error))
        }
    }

    /// Stores the bytes for everybody who wants that, under each key once, and lets nobody join any more.
    /// - Returns: True if somebody else stores them.
    private func store(_ loaded: LoadedData) async -> Bool {
        var keys: Set<String> = []
        // Others may join meanwhile, with keys of their own.
        while !fetcher.close(self, if: { missing(keys).isEmpty }) {
            for request in missing(keys) where keys.insert(request.key).inserted {
                await fetcher.store(loaded, for: request)
            }
            fetcher.noteStored(key)
        }
        return requests.contains(where: \.isStoredByCaller)
    }

    /// The requests whose bytes are to be stored under other keys than these; also if nobody waits any more.
    private func missing(_ keys: Set<String>) -> [FetchRequest] {
        let waiting = requests
        return (waiting.isEmpty ? [request] : waiting).filter {
            !$0.isStoredByCaller && !keys.contains($0.key)
        }
    }

    /// The requests of all who wait.
    private var requests: [FetchRequest] { state.withLock { state in state.passengers.map(\.request) } }

    /// Gives everybody the result; all but the first have got it from another's download.
    private func land(_ result: Result<LoadedData, any Error>) {
        fetcher.close(self)
        let passengers = state.withLock { exchange(&$0.passengers, with: []) }
        for (number, passenger) in passengers.enumerated() {
            passenger.end(number == 0 ? result : result.map(\.shared))
        }
    }
}

/// Somebody who waits for a download.
final class Passenger: Sendable {
    private enum State {
        case waiting(CheckedContinuation<LoadedData, any Error>?)
        case ended(Result<LoadedData, any Error>)
    }

    let request: FetchRequest
    private let state = Mutex(State.waiting(nil))

    init(_ request: FetchRequest) {
        self.request = request
    }

    /// The bytes; waits for them, once.
    var result: LoadedData {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                let ended: Result<LoadedData, any Error>? = state.withLock { state in
                    if case .ended(let result) = state { return result }
                    state = .waiting(continuation)
                    return nil
                }
                if let ended { continuation.resume(with: ended) }
            }
        }
    }

    /// Ends the waiting; only the first call counts.
    func end(_ result: Result<LoadedData, any Error>) {
        let continuation: CheckedContinuation<LoadedData, any Error>? = state.withLock { state in
            guard case .waiting(let continuation) = state else { return nil }
            state = .ended(result)
            return continuation
        }
        continuation?.resume(with: result)
    }
}
