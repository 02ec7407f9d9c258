import Foundation
import FoundationNetworking
import LoopbackServer
import Nuke
import Synchronization
import TestSupport
import Testing

/// The delegate's hook before each load: once, in the slot of the load, and what it answers is what is sent.
@Suite("willLoadData", .timeLimit(.minutes(10)))
struct WillLoadDataTests {
    enum Loader: String, CaseIterable {
        case session, curl, rateLimitedCurl, watchedCurl, layered, layeredSession

        func make() -> any DataLoading {
            switch self {
            case .session: DataLoader()
            case .curl: CurlDataLoader()
            case .watchedCurl: NetworkLog().watching(CurlDataLoader())
            case .layered: RetryingDataLoader(CurlDataLoader())
            case .layeredSession: RetryingDataLoader(DataLoader())
            case .rateLimitedCurl:
                {
                    var configuration = CurlDataLoader.Configuration()
                    configuration.rateLimiter = HostRateLimiter(
                        limits: HostRateLimiter.Limits(rate: 1000, burst: 100, concurrency: 100)
                    )
                    return CurlDataLoader(configuration: configuration)
                }()
            }
        }

        /// True if the slot is held from the hook to the end of the load; layers release it in between.
        var keepsPlace: Bool { self != .layered && self != .layeredSession }
    }

    /// Signs each request, and looks at the queue meanwhile.
    private final class Signing: ImagePipeline.Delegate {
        struct Refused: Error {}

        let log = Log()
        let queue: OperationQueue
        let refusals = Counter()
        /// Lets the first one go on.
        let (opened, open) = AsyncStream<Void>.makeStream()
        let waits: Bool

        init(_ queue: OperationQueue, waits: Bool = false) {
            self.queue = queue
            self.waits = waits
        }

        func willLoadData(for request: ImageRequest, urlRequest: URLRequest, pipeline: ImagePipeline)
            async throws -> URLRequest
        {
            let path = urlRequest.url?.path ?? ""
            log.add(
                "\(path) \(queue.operations.count { $0.isExecuting }) \(urlRequest.value(forHTTPHeaderField: "Range") ?? "all")"
            )
            if path == "/refused" { throw Refused() }
            // Whichever is the first: tasks begin in no order.
            if waits, log.all.count == 1 { for await _ in opened { break } }
            var urlRequest = urlRequest
            urlRequest.setValue("token \(path)", forHTTPHeaderField: "Authorization")
            return urlRequest
        }
    }

    private func pipeline(_ loader: Loader, waits: Bool = false) -> (ImagePipeline, Signing) {
        var configuration = ImagePipeline.Configuration(dataLoader: loader.make())
        configuration.dataLoadingQueue.maxConcurrentOperationCount = 1
        configuration.imageCache = nil
        configuration.isRateLimiterEnabled = false
        let delegate = Signing(configuration.dataLoadingQueue, waits: waits)
        return (ImagePipeline(configuration: configuration, delegate: delegate), delegate)
    }

    @Test(arguments: Loader.allCases)
    func isCalledOnceInThePlaceOfTheLoad(loader: Loader) async throws {
        let server = try LoopbackServer { .data(Data($0.path.utf8)) }
        let (pipeline, delegate) = pipeline(loader, waits: true)
        let tasks = (0..<4).map { pipeline.dataTask(with: ImageRequest(url: server.url("/\($0)"))) }
        // All that can are waiting for the slot that the first has while it is asked.
        try await eventually { !delegate.log.all.isEmpty && delegate.queue.operationCount >= 4 }
        #expect(delegate.log.all.count == 1)
        #expect(server.requests.isEmpty)
        delegate.open.yield()
        for (number, task) in tasks.enumerated() {
            #expect(try await task.value.0 == Data("/\(number)".utf8))
        }
        #expect(delegate.log.all.sorted() == (0..<4).map { "/\($0) 1 all" })
        for request in server.requests {
            #expect(request.headers["authorization"] == "token \(request.path)")
        }
        #expect(server.requests.count == 4)
    }

    @Test(arguments: Loader.allCases.filter(\.keepsPlace))
    func isCalledForTheNextWhenTheLoadHasEnded(loader: Loader) async throws {
        let held = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { request in
            if request.path == "/first" { held.wait() }
            return .data(Data([1]))
        }
        let (pipeline, delegate) = pipeline(loader)
        let first = pipeline.dataTask(with: ImageRequest(url: server.url("/first")))
        _ = await server.requests(atLeast: 1)
        let second = pipeline.dataTask(with: ImageRequest(url: server.url("/second")))
        try await eventually { delegate.queue.operationCount >= 2 }
        #expect(delegate.log.all == ["/first 1 all"])
        held.signal()
        _ = try await (first.value, second.value)
        #expect(delegate.log.all == ["/first 1 all", "/second 1 all"])
    }

    @Test(arguments: Loader.allCases)
    func aRefusalIsTheErrorAndGivesThePlaceBack(loader: Loader) async throws {
        let server = try LoopbackServer { .data(Data($0.path.utf8)) }
        let (pipeline, _) = pipeline(loader)
        let error = await pipelineError {
            _ = try await pipeline.data(for: ImageRequest(url: server.url("/refused")))
        }
        #expect(error?.dataLoadingError is Signing.Refused)
        #expect(try await pipeline.data(for: ImageRequest(url: server.url("/next"))).0 == Data("/next".utf8))
        #expect(server.requests.map(\.path) == ["/next"])
    }

    @Test(arguments: Loader.allCases)
    func whoIsCancelledMeanwhileIsNotLoaded(loader: Loader) async throws {
        let server = try LoopbackServer { .data(Data($0.path.utf8)) }
        let (pipeline, delegate) = pipeline(loader, waits: true)
        let task = pipeline.dataTask(with: ImageRequest(url: server.url("/0")))
        try await eventually { !delegate.log.all.isEmpty }
        task.cancel()
        try await eventually { pipeline.configuration.dataLoadingQueue.operationCount == 0 }
        delegate.open.yield()
        #expect(try await pipeline.data(for: ImageRequest(url: server.url("/next"))).0 == Data("/next".utf8))
        #expect(server.requests.map(\.path) == ["/next"])
    }

    @Test(arguments: Loader.allCases)
    func seesTheRange(loader: Loader) async throws {
        let body = LargeBody(cuts: [600_000])
        let server = try LoopbackServer { body.respond(to: $0) }
        let (pipeline, delegate) = pipeline(loader)
        let request = ImageRequest(url: server.url("/a"))
        _ = try? await pipeline.data(for: request)
        #expect(try await pipeline.data(for: request).0 == body.data)
        // Of the loader's own retries the pipeline knows nothing.
        if loader.keepsPlace { #expect(delegate.log.all == ["/a 1 all", "/a 1 bytes=583616-"]) }
        #expect(server.requests.allSatisfy { $0.headers["authorization"] == "token /a" })
    }

    /// An answer that the request's fields select is looked up with them, in case the hook sets them.
    @Test(arguments: Loader.allCases, [true, false])
    func isNotCalledWhereTheHTTPCacheAnswers(loader: Loader, isVaried: Bool) async throws {
        let server = try LoopbackServer { request in
            let vary = isVaried ? [("Vary", "Authorization")] : []
            let age = request.path == "/stale" ? 0 : 86_400
            let headers = [("Cache-Control", "max-age=\(age)"), ("ETag", "\"1\"")] + vary
            let isKnown = request.headers["if-none-match"] != nil
            return isKnown
                ? .init(status: 304, headers: headers) : .init(headers: headers, body: .data(Data([1])))
        }
        let (_, delegate) = pipeline(loader)
        var configuration = ImagePipeline.Configuration(dataLoader: loader.make())
        configuration.dataLoadingQueue = delegate.queue
        configuration.httpCache = HTTPCache(storage: DictionaryCache())
        let pipeline = ImagePipeline(configuration: configuration, delegate: delegate)
        for options: ImageRequest.Options in [[], [], .skipDataLoadingQueue] {
            _ = try await pipeline.data(for: ImageRequest(url: server.url("/fresh"), options: options))
        }
        #expect(delegate.log.all.count == (isVaried ? 3 : 1))
        #expect(server.requests.count == 1)
        // A confirmation is a request, too.
        for _ in 0..<2 { _ = try await pipeline.data(for: ImageRequest(url: server.url("/stale"))) }
        #expect(delegate.log.all.count == (isVaried ? 5 : 3))
        #expect(server.requests.count == 3)
        #expect(server.requests.allSatisfy { $0.headers["authorization"] == "token \($0.path)" })
    }

    /// Whatever the hook throws is the cause of a failure, even if it says that something else was cancelled.
    @Test(arguments: Loader.allCases)
    func theCancellationOfSomethingElseIsAFailure(loader: Loader) async throws {
        final class Failing: ImagePipeline.Delegate {
            let errors: [String: any Error] = [
                "/pipeline": ImagePipeline.Error.cancelled, "/task": CancellationError(),
                "/empty": ImagePipeline.Error.dataIsEmpty,
            ]

            func willLoadData(for request: ImageRequest, urlRequest: URLRequest, pipeline: ImagePipeline)
                async throws -> URLRequest
            {
                if let error = errors[urlRequest.url?.path ?? ""] { throw error }
                return urlRequest
            }
        }
        let server = try LoopbackServer { _ in .data(Data([1])) }
        let delegate = Failing()
        let pipeline = ImagePipeline(configuration: .init(dataLoader: loader.make()), delegate: delegate)
        for (path, thrown) in delegate.errors {
            let error = await pipelineError { _ = try await pipeline.data(for: server.url(path)) }
            let cause = error?.dataLoadingError
            #expect(cause.map { "\($0)" } == "\(thrown)", "\(String(describing: error))")
        }
        #expect(server.requests.isEmpty)
    }

    /// The slot that was waited for is another host's: the changed request waits for its own.
    @Test func mayChangeTheHost() async throws {
        final class Moving: ImagePipeline.Delegate {
            let target: URL

            init(_ target: URL) { self.target = target }

            func willLoadData(for request: ImageRequest, urlRequest: URLRequest, pipeline: ImagePipeline)
                async throws -> URLRequest
            {
                URLRequest(url: target)
            }
        }
        let server = try LoopbackServer { .data(Data($0.path.utf8)) }
        let configuration = ImagePipeline.Configuration(dataLoader: Loader.rateLimitedCurl.make())
        configuration.dataLoadingQueue.maxConcurrentOperationCount = 1
        let pipeline = ImagePipeline(configuration: configuration, delegate: Moving(server.url("/moved")))
        for _ in 0..<2 {
            let data = try await pipeline.data(for: "http://elsewhere.invalid/a").0
            #expect(data == Data("/moved".utf8))
        }
    }
}
