import LoopbackServer
import Nuke
import Synchronization
import Testing

@Suite("Samples: coming from Nuke", .timeLimit(.minutes(10)))
struct ComingFromNukeSamples {
    @Test func fastLoader() async throws {
        let server = try Photographs.server()
        let url = server.url("/photo.jpg")
        // sample
        let pipeline = ImagePipeline {
            $0.dataLoader = CurlDataLoader()
        }
        // end
        #expect(try await pipeline.data(for: url).0 == Photographs.jpeg())
    }

    private final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
        private let statuses = Mutex<[Int]>([])
        var all: [Int] { statuses.withLock { $0 } }

        func urlSession(
            _ session: URLSession,
            dataTask: URLSessionDataTask,
            didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            statuses.withLock { $0.append((response as? HTTPURLResponse)?.statusCode ?? 0) }
            completionHandler(.allow)
        }
    }

    @Test func sessionDelegate() async throws {
        let server = try Photographs.server()
        let url = server.url("/photo.jpg")
        let sessionDelegate = SessionDelegate()
        // sample
        let pipeline = ImagePipeline()
        (pipeline.configuration.dataLoader as? DataLoader)?.delegate = sessionDelegate
        // end
        _ = try await pipeline.data(for: url)
        #expect(sessionDelegate.all == [200])
    }
}
