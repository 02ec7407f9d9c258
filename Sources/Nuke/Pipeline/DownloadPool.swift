import Foundation
import FoundationNetworking

/// The downloads under way: the one place where requests meet, so that equal ones share one download.
///
/// A download lasts while somebody wants it, and has the priority of the most urgent who does. It leaves the pool
/// only when its data is stored, so who comes later finds it in the cache.
actor DownloadPool {
    typealias Outcome = Result<LoadedData, ImagePipeline.Error>

    private final class Download {
        let load = OriginalLoad()
        var work: Task<Void, Never>?
        var subscribers: [ObjectIdentifier: Subscriber] = [:]

        var priority: ImageRequest.Priority {
            subscribers.values.map(\.task.priority).max() ?? .veryLow
        }

        /// Whether somebody wants the data loaded anew.
        var ignoresCache: Bool {
            subscribers.values.contains { $0.task.request.options.contains(.disableDiskCacheReads) }
        }
    }

    private struct Subscriber {
        let task: DataTask
        let continuation: CheckedContinuation<Outcome, Never>
    }

    private var downloads: [DownloadKey: Download] = [:]
    private var keys: [ObjectIdentifier: DownloadKey] = [:]
    private var isInvalidated = false

    /// The data of the task's request, by a download of its own or one that is under way.
    func data(for task: DataTask) async throws(ImagePipeline.Error) -> (Data, URLResponse?) {
        let outcome: Outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // A task that was cancelled before this point has no handler that would find it here.
                guard !Task.isCancelled else { return continuation.resume(returning: .failure(.cancelled)) }
                guard !isInvalidated else {
                    return continuation.resume(returning: .failure(.pipelineInvalidated))
                }
                join(Subscriber(task: task, continuation: continuation))
            }
        } onCancel: {
            Task { await self.leave(task) }
        }
        let loaded = try outcome.get()
        return (loaded.data, loaded.response)
    }

    /// Gives the task's download the priority that its subscribers have now.
    func updatePriority(of task: DataTask) {
        guard let key = keys[ObjectIdentifier(task)], let download = downloads[key] else { return }
        download.load.setPriority(download.priority.queuePriority)
    }

    /// Cancels every request, and refuses those that come later.
    func invalidate() {
        isInvalidated = true
        for key in downloads.keys { end(key, .failure(.cancelled)) }
    }

    private func join(_ subscriber: Subscriber) {
        let task = subscriber.task
        let key = DownloadKey(
            task.request,
            unique: task.pipeline.configuration.isTaskCoalescingEnabled ? nil : task
        )
        keys[ObjectIdentifier(task)] = key
        let download = downloads[key] ?? Download()
        download.subscribers[ObjectIdentifier(task)] = subscriber
        download.load.setPriority(download.priority.queuePriority)
        guard download.work == nil else { return }
        downloads[key] = download
        let load = download.load
        download.work = Task { await perform(task.request, load, key, task.pipeline) }
    }

    private func leave(_ task: DataTask) {
        guard let key = keys.removeValue(forKey: ObjectIdentifier(task)), let download = downloads[key] else {
            return
        }
        let subscriber = download.subscribers.removeValue(forKey: ObjectIdentifier(task))
        subscriber?.continuation.resume(returning: .failure(.cancelled))
        guard download.subscribers.isEmpty else {
            return download.load.setPriority(download.priority.queuePriority)
        }
        downloads[key] = nil
        download.work?.cancel()
    }

    private func perform(
        _ request: ImageRequest,
        _ load: OriginalLoad,
        _ key: DownloadKey,
        _ pipeline: ImagePipeline
    ) async {
        do {
            // It may have been stored between the first look of the request and its turn.
            let cached = try await pipeline.cachedOriginal(for: request)
            if let cached, let download = downloads[key], download.load === load, !download.ignoresCache {
                return end(key, .success(LoadedData(data: cached, response: nil, isStorable: false)))
            }
            let loaded = try await pipeline.load(request, by: load)
            var stored: Set<ObjectIdentifier> = []
            // Others may join while it is being stored, with keys of their own.
            while let download = downloads[key], download.load === load {
                let new = download.subscribers.filter { !stored.contains($0.key) }
                guard !new.isEmpty else { return end(key, .success(loaded)) }
                stored.formUnion(new.keys)
                await pipeline.store(loaded, for: new.values.map(\.task.request))
            }
        } catch {
            guard downloads[key]?.load === load else { return }
            end(key, .failure(ImagePipeline.Error(loading: error)))
        }
    }

    private func end(_ key: DownloadKey, _ outcome: Outcome) {
        guard let download = downloads.removeValue(forKey: key) else { return }
        download.work?.cancel()
        for (id, subscriber) in download.subscribers {
            keys[id] = nil
            subscriber.continuation.resume(returning: outcome)
        }
    }
}

/// What must be equal for two requests to share a download.
struct DownloadKey: Hashable, Sendable {
    private let id: String
    private let method: String?
    private let headers: [String: String]
    private let body: Data?
    private let cachePolicy: URLRequest.CachePolicy
    private let allowsCellularAccess: Bool
    /// The task, where downloads are not shared.
    private let unique: ObjectIdentifier?

    /// The key of `request`: its URL and all that may change the answer, any header field among it.
    init(_ request: ImageRequest, unique: DataTask?) {
        self.unique = unique.map { ObjectIdentifier($0) }
        // Most requests are a bare URL, and a URLRequest costs more than all the rest here.
        var urlRequest: URLRequest?
        switch request.resource {
        case .url(let url): id = url?.absoluteString ?? ""
        case .urlRequest(let request):
            urlRequest = request
            id = request.url?.absoluteString ?? ""
        // A control character, so that no URL is equal to it.
        case .data(let name, _), .image(let name, _): id = "\u{1F}" + name
        }
        method = urlRequest?.httpMethod ?? "GET"
        headers = urlRequest?.allHTTPHeaderFields ?? [:]
        body = urlRequest?.httpBody
        cachePolicy = urlRequest?.cachePolicy ?? .useProtocolCachePolicy
        allowsCellularAccess = urlRequest?.allowsCellularAccess ?? true
    }
}
