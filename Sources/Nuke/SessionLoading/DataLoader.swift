import Files
public import Foundation
public import FoundationNetworking
import Synchronization

/// A loader on top of URLSession, for code that sets its configuration or delegate; ``CurlDataLoader`` is the fast one.
///
/// A 401 is put to the ``delegate`` (`urlSession(_:task:didReceive:completionHandler:)`) if it asks for Basic or
/// Digest (RFC 7617, RFC 7616), and is judged if the delegate has no credential, or the same again. `ftp:` URLs are
/// loaded as ``CurlDataLoader`` does, without the session; their errors are ``DataLoadingError``.
///
/// - Warning: Foundation's HTTP on Linux (Swift 6.3) ends the process if a server declares a `Content-Length` just below
///   2⁶³, before any delegate is asked. For servers that are not trusted, use ``CurlDataLoader``.
public final class DataLoader: ResponseReportingDataLoading, Sendable {
    /// The session, which is invalidated with the loader.
    public let session: URLSession
    private let sessionDelegate: DataLoaderDelegate
    private let settings = Mutex(false)
    /// The cache that the configuration named.
    private let urlCache: URLCache?

    /// True if each chunk is wanted as soon as possible, which Foundation on Linux always does.
    public var prefersIncrementalDelivery: Bool {
        get { settings.withLock { $0 } }
        set { settings.withLock { $0 = newValue } }
    }

    /// A delegate that also receives the session's events; the loader retains it.
    ///
    /// The request is sent again with the credential by another task: the delegate sees the events of that one.
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
        urlCache = configuration.urlCache
        let own = configuration.copy() as? URLSessionConfiguration ?? configuration
        // Foundation on Linux would answer from it by rules of its own, and without a pipeline's knowledge.
        if urlCache is HTTPURLCache { own.urlCache = nil }
        session = URLSession(configuration: own, delegate: sessionDelegate, delegateQueue: queue)
        session.sessionDescription = "Nuke URLSession"
    }

    deinit {
        let session = session
        session.delegateQueue.addOperation { session.invalidateAndCancel() }
    }

    /// Foundation's default configuration with ``sharedUrlCache``, which a pipeline puts in front of the loader.
    ///
    /// For no HTTP cache set its `urlCache` to nil.
    public static var defaultConfiguration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.default
        configuration.urlCache = sharedUrlCache
        return configuration
    }

    /// The HTTP cache that the configuration has as its `urlCache`; nil for none, and for a cache of Foundation's.
    var httpCache: HTTPCache? { (urlCache as? HTTPURLCache)?.cache }

    /// Accepts the statuses 200 to 299, and every non-HTTP response.
    @Sendable public static func validate(response: URLResponse) -> (any Swift.Error)? {
        guard let response = response as? HTTPURLResponse, !response.isSuccess else { return nil }
        return Error.statusCodeUnacceptable(response.statusCode)
    }

    /// The ``HTTPCache`` of ``ImagePipeline/Configuration/withURLCache`` as a `URLCache`: 150 MiB on disk, none in memory.
    ///
    /// Reading, storing, removing and a change of `diskCapacity` act on that cache; `memoryCapacity` stays 0. It is
    /// opened when it is first used, and stores nothing if its folder cannot be created.
    public static let sharedUrlCache: URLCache = HTTPURLCache(.shared)

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
        if let scheme = request.url?.scheme?.lowercased(), Self.schemesOfFTP.contains(scheme) {
            return Self.ftp.load(request, into: sink)
        }
        let load = SessionLoad(sink, on: session) { [weak self] request, load in
            guard let self else { return load.end(URLError(.cancelled)) }
            run(load, request)
        }
        run(load, request)
        return load
    }

    private func run(_ load: SessionLoad, _ request: URLRequest) {
        // The session's methods wait for its queue, which a fast body can keep busy: no thread of a
        // pool may block there. The thread retains the loader, since an invalidated session accepts no tasks.
        do {
            try SystemThread.start("data-loader") { [self] in
                guard let number = load.nextTask() else { return load.end(URLError(.cancelled)) }
                // Foundation on Linux would send the request.
                if request.cachePolicy == .returnCacheDataDontLoad { return answerFromCache(load, request) }
                let task = session.dataTask(with: request.withLowerCaseScheme)
                sessionDelegate.register(task, for: load)
                task.resume()
                load.begin(task, number: number)
            }
        } catch {
            load.end(error)
        }
    }

    /// Delivers what the session's `URLCache` has, fresh or not.
    private func answerFromCache(_ load: SessionLoad, _ request: URLRequest) {
        guard let cached = urlCache?.cachedResponse(for: request) else {
            return load.end(HTTPCacheError.notCached(request.url))
        }
        load.sink?.didReceiveResponse?(cached.response)
        if let error = sessionDelegate.validate(cached.response) { return load.end(error) }
        load.sink?.didReceiveData(cached.data, cached.response)
        load.end(nil)
    }

    /// The schemes of Foundation's own FTP client, which ends the process if a server answers RETR with 125.
    private static let schemesOfFTP: Set<String> = ["ftp", "ftps", "sftp"]

    private static let ftp: CurlDataLoader = {
        var configuration = CurlDataLoader.Configuration()
        configuration.schemes = ["ftp"]
        return CurlDataLoader(configuration: configuration)
    }()

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

extension DataLoader.Error: StatusError {
    package var statusCode: Int? {
        switch self {
        case .statusCodeUnacceptable(let code): code
        }
    }
}

extension URLRequest {
    /// The request as Foundation on Linux knows it; schemes may be in any case (RFC 3986, section 3.1).
    var withLowerCaseScheme: URLRequest {
        guard let url, let scheme = url.scheme, scheme != scheme.lowercased(),
            let lowered = URL(string: scheme.lowercased() + url.absoluteString.dropFirst(scheme.count))
        else { return self }
        var request = self
        request.url = lowered
        return request
    }
}
