import LoopbackServer
import Nuke
import Synchronization
import Testing

/// Code as plug-ins for Nuke were written before Swift 6: its closures and classes promise nothing about threads.
@Suite("Guide: earlier code", .timeLimit(.minutes(10)))
struct EarlierCodeTests {
    private final class Loader: DataLoading, @unchecked Sendable {
        let session = URLSession(configuration: .default)

        func loadData(
            with request: URLRequest,
            didReceiveData: @escaping (Data, URLResponse) -> Void,
            completion: @escaping ((any Error)?) -> Void
        ) -> any Cancellable {
            let (receive, end) = (Box(didReceiveData), Box(completion))
            let task = session.dataTask(with: request) { data, response, error in
                if let data, let response { receive.value(data, response) }
                end.value(error)
            }
            task.resume()
            return AnyCancellable { task.cancel() }
        }
    }

    /// The type that such code uses to pass closures through a session.
    private struct Box<Value>: @unchecked Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private struct AnyCancellable: Cancellable {
        let closure: @Sendable () -> Void

        init(_ closure: @escaping @Sendable () -> Void) { self.closure = closure }

        func cancel() { closure() }
    }

    private class Delegate: ImagePipelineDelegate, @unchecked Sendable {
        let loader = Loader()
        var keys: [String] = []
        let lock = NSLock()

        func dataLoader(for request: ImageRequest, pipeline: ImagePipeline) -> any DataLoading { loader }

        func willCache(
            data: Data,
            image: ImageContainer?,
            for request: ImageRequest,
            pipeline: ImagePipeline,
            completion: @escaping (Data?) -> Void
        ) {
            lock.withLock { keys.append(pipeline.cache.makeDataCacheKey(for: request)) }
            DispatchQueue.global().async { [completion = Box(completion)] in completion.value(data) }
        }
    }

    private class Cache: DataCaching, @unchecked Sendable {
        private var values: [String: Data] = [:]
        private let lock = NSLock()

        func cachedData(for key: String) -> Data? { lock.withLock { values[key] } }
        func containsData(for key: String) -> Bool { lock.withLock { values[key] != nil } }
        func storeData(_ data: Data, for key: String) { lock.withLock { values[key] = data } }
        func removeData(for key: String) { lock.withLock { values[key] = nil } }
        func removeAll() { lock.withLock { values = [:] } }
    }

    @Test func loadsAndStores() async throws {
        let server = try Photographs.server()
        let (delegate, cache) = (Delegate(), Cache())
        var configuration = ImagePipeline.Configuration(dataLoader: DataLoader())
        configuration.dataCache = cache
        configuration.imageCache = nil
        let pipeline = ImagePipeline(configuration: configuration, delegate: delegate)
        let url = server.url("/photo.jpg")
        for _ in 0..<2 {
            let result = await withCheckedContinuation { continuation in
                _ = pipeline.loadImage(with: url) { continuation.resume(returning: $0) }
            }
            #expect(try result.get().image.width == 640)
        }
        #expect(server.requests.count == 1)
        #expect(delegate.lock.withLock { delegate.keys } == [url.absoluteString])
        #expect(try cache.cachedData(for: url.absoluteString) == Photographs.jpeg())
    }

    @Test func cancelsItsTasks() async throws {
        let server = try LoopbackServer { _ in .init(body: .endless(Data(count: 1_000))) }
        let pipeline = ImagePipeline { $0.dataLoader = Loader() }
        let task = pipeline.loadData(with: ImageRequest(url: server.url("/endless"))) { _ in }
        _ = await server.requests(atLeast: 1)
        task.cancel()
        _ = await server.abandoned(atLeast: 1)
    }
}
