import DataLoadingConformance
import LoopbackServer
import Nuke
import Synchronization
import Testing

// sample
/// Loads over a client that delivers bodies as streams.
struct StreamingDataLoader: DataLoading {
    let session = StreamingSession()

    func loadData(
        with request: URLRequest,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) -> any Cancellable {
        let stream = session.streamRequest(request).validate()
        stream.responseStream { [weak stream] event in
            // The client also tells the end of a stream that was cancelled.
            guard let stream, !stream.isCancelled else { return }
            switch event {
            case .stream(let chunk):
                if let response = stream.response { didReceiveData(chunk, response) }
            case .complete(let error):
                completion(error)
            }
        }
        return StreamCancellation(stream: stream)
    }
}

struct StreamCancellation: Cancellable {
    let stream: StreamRequest

    func cancel() { stream.cancel() }
}
// end

// sample
/// Signs requests to one host with a token that may have to be fetched first.
final class AuthenticatingDelegate: ImagePipeline.Delegate {
    let host: String
    let token: @Sendable () async throws -> String

    init(host: String, token: @escaping @Sendable () async throws -> String) {
        self.host = host
        self.token = token
    }

    func willLoadData(
        for request: ImageRequest,
        urlRequest: URLRequest,
        pipeline: ImagePipeline
    ) async throws -> URLRequest {
        guard urlRequest.url?.host == host else { return urlRequest }
        var urlRequest = urlRequest
        urlRequest.setValue("Bearer \(try await token())", forHTTPHeaderField: "Authorization")
        return urlRequest
    }
}
// end

@Suite("Samples: custom networking", .timeLimit(.minutes(10)))
struct NetworkingSamples {
    private typealias MyLoader = StreamingDataLoader

    @Test func streamingLoader() async throws {
        let server = try Photographs.server()
        let url = server.url("/photo.jpg")
        // sample
        let pipeline = ImagePipeline {
            $0.dataLoader = StreamingDataLoader()
        }
        // end
        let (data, _) = try await pipeline.data(for: ImageRequest(url: url))
        #expect(try data == Photographs.jpeg())
        let missing = server.url("/missing")
        let error = await #expect(throws: ImagePipeline.Error.self) { try await pipeline.data(for: missing) }
        #expect(error?.dataLoadingError as? StreamRequest.UnacceptableStatus == .init(code: 404))
    }

    @Test func conformance() async throws {
        // sample
        let conformance = DataLoadingConformance { MyLoader() }
        for finding in await conformance.run() { #expect(finding.isMet, "\(finding)") }
        // end
    }

    @Test func signing() async throws {
        let server = try LoopbackServer { request in
            request.headers["authorization"] == "Bearer 1a2b" ? .data(Data([1])) : .status(401)
        }
        let url = server.url("/photo.jpg")
        let session = Session()
        // sample
        let delegate = AuthenticatingDelegate(host: "127.0.0.1") { try await session.token() }
        let pipeline = ImagePipeline(delegate: delegate) {
            $0.dataLoader = CurlDataLoader()
        }
        // end
        #expect(try await pipeline.data(for: url).0 == Data([1]))
        // The control.
        let stranger = ImagePipeline { $0.dataLoader = CurlDataLoader() }
        await #expect(throws: ImagePipeline.Error.self) { try await stranger.data(for: url) }
    }

    private struct Session {
        func token() async throws -> String { "1a2b" }
    }

    @Test func retries() async throws {
        let answers = Mutex(0)
        let server = try LoopbackServer { _ in
            answers.withLock { $0 += 1 }
            return answers.withLock { $0 } < 3
                ? .status(503, headers: [("Retry-After", "0")]) : .data(Data([1]))
        }
        let url = server.url("/photo.jpg")
        // sample
        var policy = RetryingDataLoader.Policy()
        policy.attempts = 5
        policy.longestRetryAfter = .seconds(30)
        let pipeline = ImagePipeline {
            $0.dataLoader = RetryingDataLoader(CurlDataLoader(), policy: policy)
        }
        // end
        #expect(try await pipeline.data(for: url).0 == Data([1]))
        #expect(server.requests.count == 3)
    }

    @Test func faults() async throws {
        let server = try Photographs.server()
        let url = server.url("/photo.jpg")
        // sample
        let faulty = FaultInjectingDataLoader(
            CurlDataLoader(),
            faults: [[.status(503)], [.fail(URLError(.timedOut))]]
        )
        let pipeline = ImagePipeline {
            $0.dataLoader = RetryingDataLoader(faulty, random: { 0 })
        }
        let (data, _) = try await pipeline.data(for: ImageRequest(url: url))
        #expect(faulty.requests.count == 3)
        // end
        #expect(try data == Photographs.jpeg())
        #expect(server.requests.count == 1)
    }

    @Test func limits() async throws {
        let server = try Photographs.server()
        let url = server.url("/photo.jpg")
        // sample
        var configuration = CurlDataLoader.Configuration()
        configuration.rateLimiter = HostRateLimiter(
            limits: HostRateLimiter.Limits(rate: 20, burst: 5, concurrency: 4),
            hosts: ["images.example.com": HostRateLimiter.Limits(rate: 2, burst: 1, concurrency: 1)]
        )
        configuration.addressPolicy = .publicOnly
        configuration.limits.maxBytes = 50_000_000
        let loader = CurlDataLoader(configuration: configuration)
        // end
        let pipeline = ImagePipeline { $0.dataLoader = loader }
        let error = await #expect(throws: ImagePipeline.Error.self) { try await pipeline.data(for: url) }
        #expect((error?.dataLoadingError as? DataLoadingError)?.reason == .address)
    }
}
