public import Foundation
public import FoundationNetworking
import Synchronization

/// A loader on top of URLSession, for code that sets its configuration or delegate; ``CurlDataLoader`` is the fast one.
public final class DataLoader: ResponseReportingDataLoading, Sendable {
    /// The session, which is invalidated with the loader.
    public let session: URLSession
    private let sessionDelegate: DataLoaderDelegate
    private let settings = Mutex(false)

    /// True if each chunk is wanted as soon as possible, which Foundation on Linux always does.
    public var prefersIncrementalDelivery: Bool {
        get { settings.withLock { $0 } }
        set { settings.withLock { $0 = newValue } }
    }

    /// A delegate that also receives the session's events; the loader retains it.
    public var delegate: (any URLSessionDelegate)? {
        get { sessionDelegate.forwarded }
        set { sessionDelegate.forwarded = newValue }
    }

    /// Creates a loader with a session of its own.
    /// - Parameters:
    ///   - configuration: The session's configuration.
    ///   - validate: Returns the error of a response that must not be delivered; nil accepts it.
    public init(
        configuration: URLSessionConfiguration = DataLoader.defaultConfiguration,
        validate: @Sendable @escaping (URLResponse) -> (any Swift.Error)? = DataLoader.validate
    ) {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        sessionDelegate = DataLoaderDelegate(validate: validate)
        session = URLSession(configuration: configuration, delegate: sessionDelegate, delegateQueue: queue)
        session.sessionDescription = "Nuke URLSession"
    }

    deinit {
        session.invalidateAndCancel()
    }

    /// Foundation's default configuration without a cache.
    ///
    /// On Linux `URLCache` is never filled by a session, and looks responses up without their queries.
    public static var defaultConfiguration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.default
        configuration.urlCache = nil
        return configuration
    }

    /// Accepts the statuses 200 to 299, and every non-HTTP response.
    @Sendable public static func validate(response: URLResponse) -> (any Swift.Error)? {
        guard let response = response as? HTTPURLResponse, !(200..<300).contains(response.statusCode) else {
            return nil
        }
        return Error.statusCodeUnacceptable(response.statusCode)
    }

    /// A cache of 150 MiB on disk and none in memory, for compatibility; no loader uses it by itself.
    public static let sharedUrlCache = URLCache(
        memoryCapacity: 0,
        diskCapacity: 150 * 1024 * 1024,
        diskPath: FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first?
            .appendingPathComponent("com.github.kean.Nuke.Cache").path
    )

    /// Starts loading.
    public func loadData(
        with request: URLRequest,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) -> any Cancellable {
        start(request, for: LoadSink(didReceiveData: didReceiveData, completion: completion))
    }

    /// Starts loading, and shows each response before it is validated.
    public func loadData(
        with request: URLRequest,
        didReceiveResponse: @escaping @Sendable (URLResponse) -> Void,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) -> any Cancellable {
        let sink = LoadSink(
            didReceiveResponse: didReceiveResponse,
            didReceiveData: didReceiveData,
            completion: completion
        )
        return start(request, for: sink)
    }

    private func start(_ request: URLRequest, for sink: LoadSink) -> any Cancellable {
        let load = SessionLoad()
        // The session's methods wait for its queue, which a fast body can keep busy: no thread of a
        // pool may block there. The thread retains the loader, since an invalidated session accepts no tasks.
        Thread.detachNewThread { [self] in
            guard !load.isCancelled else { return sink.completion(URLError(.cancelled)) }
            let task = session.dataTask(with: request)
            sessionDelegate.register(task, for: sink)
            task.resume()
            load.begin(task)
        }
        return load
    }

    /// An error of ``DataLoader`` itself.
    public enum Error: Swift.Error, CustomStringConvertible {
        /// The response's status, which ``DataLoader/validate(response:)`` does not accept.
        case statusCodeUnacceptable(Int)

        /// The status in a sentence.
        public var description: String {
            switch self {
            case .statusCodeUnacceptable(let code): "Response status code was unacceptable: \(code)"
            }
        }
    }
}

/// A load whose task may not exist yet.
private final class SessionLoad: Cancellable {
    private let state = Mutex<(task: URLSessionTask?, isCancelled: Bool)>((nil, false))

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func begin(_ task: URLSessionTask) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancelOnItsOwnThread()
    }
}
