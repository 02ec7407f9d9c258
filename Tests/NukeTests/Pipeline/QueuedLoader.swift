import Foundation
import FoundationNetworking
import Nuke
import Synchronization

/// A loader as users' own tests have it: it answers from an operation queue, which can be suspended, and counts.
final class QueuedLoader: DataLoading {
    private struct State {
        var results: [URL: Result<(Data, URLResponse), any Error>] = [:]
        var requests: [URLRequest] = []
        var cancelled = 0
    }

    private final class Load: Cancellable {
        let onCancel: @Sendable () -> Void
        init(_ onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }
        func cancel() { onCancel() }
    }

    let queue = OperationQueue()
    private let state = Mutex(State())

    /// Answers every URL with these bytes unless told otherwise.
    private let usual = Data((0..<40).map { UInt8($0) })

    /// The number of loads started.
    var createdTaskCount: Int { state.withLock { $0.requests.count } }
    /// The number of loads cancelled.
    var cancelledTaskCount: Int { state.withLock { $0.cancelled } }
    /// The requests, in order.
    var requests: [URLRequest] { state.withLock { $0.requests } }

    var isSuspended: Bool {
        get { queue.isSuspended }
        set { queue.isSuspended = newValue }
    }

    func answer(_ url: URL, _ result: Result<(Data, URLResponse), any Error>) {
        state.withLock { $0.results[url] = result }
    }

    func loadData(
        with request: URLRequest,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) -> any Cancellable {
        let result = state.withLock { state in
            state.requests.append(request)
            return request.url.flatMap { state.results[$0] }
        }
        queue.addOperation { [usual] in
            switch result {
            case .failure(let error): completion(error)
            case .success(let (data, response)):
                // In two halves, as upstream's and everybody's mocks do.
                let half = data.count / 2
                for part in [data.prefix(half), data.dropFirst(half)] where !part.isEmpty {
                    didReceiveData(Data(part), response)
                }
                completion(nil)
            case nil:
                didReceiveData(usual, Self.response(request.url, length: usual.count))
                completion(nil)
            }
        }
        return Load { [weak self] in self?.state.withLock { $0.cancelled += 1 } }
    }

    static func response(_ url: URL?, length: Int) -> URLResponse {
        URLResponse(
            url: url ?? URL(fileURLWithPath: "/"),
            mimeType: "image/jpeg",
            expectedContentLength: length,
            textEncodingName: nil
        )
    }
}

/// A data cache that counts how often it is read and written.
final class CountingDataCache: DataCaching {
    private struct State {
        var entries: [String: Data] = [:]
        var reads: [String] = []
        var writes: [String] = []
    }

    private let state = Mutex(State())

    var reads: [String] { state.withLock { $0.reads } }
    var writes: [String] { state.withLock { $0.writes } }
    var entries: [String: Data] { state.withLock { $0.entries } }

    func cachedData(for key: String) -> Data? {
        state.withLock { state in
            state.reads.append(key)
            return state.entries[key]
        }
    }

    func containsData(for key: String) -> Bool { state.withLock { $0.entries[key] != nil } }

    func storeData(_ data: Data, for key: String) {
        state.withLock { state in
            state.writes.append(key)
            state.entries[key] = data
        }
    }

    func removeData(for key: String) { state.withLock { $0.entries[key] = nil } }
    func removeAll() { state.withLock { $0.entries = [:] } }
    func resetCounts() { state.withLock { ($0.reads, $0.writes) = ([], []) } }
}

/// An image cache that keeps everything and counts how often it is read and written.
final class CountingImageCache: ImageCaching {
    private struct State {
        var entries: [ImageCacheKey: ImageContainer] = [:]
        var reads = 0
        var writes = 0
    }

    private let state = Mutex(State())

    var reads: Int { state.withLock { $0.reads } }
    var writes: Int { state.withLock { $0.writes } }

    subscript(key: ImageCacheKey) -> ImageContainer? {
        get {
            state.withLock { state in
                state.reads += 1
                return state.entries[key]
            }
        }
        set {
            state.withLock { state in
                state.writes += 1
                state.entries[key] = newValue
            }
        }
    }

    func removeAll() { state.withLock { $0.entries = [:] } }
    func resetCounts() { state.withLock { ($0.reads, $0.writes) = (0, 0) } }
}
