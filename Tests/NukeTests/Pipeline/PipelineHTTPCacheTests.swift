import Foundation
import LoopbackServer
import Nuke
import TestSupport
import Testing

/// A pipeline keeps responses by the rules of HTTP where it is told to.
@Suite(.timeLimit(.minutes(10)))
struct PipelineHTTPCacheTests {
    private let storage = DictionaryCache()

    /// Answers with what may be kept for a minute, or for no time at `/stale`, where it confirms.
    private func server() throws -> LoopbackServer {
        try LoopbackServer { request in
            let age = request.path == "/stale" ? 0 : 60
            let headers = [("Cache-Control", "max-age=\(age)"), ("ETag", "\"1\"")]
            return request.headers["if-none-match"] == nil
                ? .init(headers: headers, body: .data(Data(request.path.utf8)))
                : .init(status: 304, headers: headers)
        }
    }

    private func pipeline(_ loader: any DataLoading, delegate: (any ImagePipeline.Delegate)? = nil)
        -> ImagePipeline
    {
        ImagePipeline(delegate: delegate) {
            $0.dataLoader = loader
            $0.httpCache = HTTPCache(storage: storage)
        }
    }

    @Test(arguments: [true, false])
    func answersFromIt(isCurl: Bool) async throws {
        let server = try server()
        defer { server.stop() }
        let pipeline = pipeline(isCurl ? CurlDataLoader() : DataLoader())
        for path in ["/fresh", "/fresh", "/stale", "/stale"] {
            #expect(try await pipeline.data(for: server.url(path)).0 == Data(path.utf8))
        }
        #expect(server.requests.map(\.path) == ["/fresh", "/stale", "/stale"])
        #expect(server.requests.last?.headers["if-none-match"] == "\"1\"")
        // The control: without it each load is a request.
        let without = ImagePipeline { $0.dataLoader = CurlDataLoader() }
        for _ in 0..<2 { _ = try await without.data(for: server.url("/fresh")) }
        #expect(server.requests.count == 5)
    }

    @Test func standsBeforeTheLoadersOfADelegate() async throws {
        final class Chooser: ImagePipeline.Delegate {
            let loader = CurlDataLoader()

            func dataLoader(for request: ImageRequest, pipeline: ImagePipeline) -> any DataLoading { loader }
        }
        let server = try server()
        defer { server.stop() }
        let pipeline = pipeline(DataLoader(), delegate: Chooser())
        for _ in 0..<2 { _ = try await pipeline.data(for: server.url("/fresh")) }
        #expect(server.requests.count == 1)
    }

    /// In a process of its own, whose folder of caches is not the user's.
    @Test func withURLCacheAndTheSharedPipelineHaveOne() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            setenv("XDG_CACHE_HOME", folder.path, 1)
            let first = try #require(ImagePipeline.Configuration.withURLCache.httpCache)
            let second = try #require(ImagePipeline.shared.configuration.httpCache)
            #expect(first === second)
            #expect(ImagePipeline.shared.configuration.dataLoader is DataLoader)
            #expect(ImagePipeline.Configuration().httpCache == nil)
            let entries = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(entries.contains("com.github.kean.Nuke.HTTPCache"))
        }
    }
}
