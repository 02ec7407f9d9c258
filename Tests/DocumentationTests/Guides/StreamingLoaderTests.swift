import DataLoadingConformance
import LoopbackServer
import Nuke
import Synchronization
import Testing

/// A loader over a streaming client of a third party, as guides for Nuke have it.
@Suite("Guide: streaming loader", .timeLimit(.minutes(10)))
struct StreamingLoaderTests {
    private func makePipeline() -> ImagePipeline {
        ImagePipeline {
            $0.dataLoader = StreamingDataLoader()
            $0.imageCache = nil
        }
    }

    @Test(arguments: DataLoadingConformance.Rule.allCases)
    func keepsTheContract(rule: DataLoadingConformance.Rule) async {
        // Beside tests that keep every core busy, what needs a turn may wait for long.
        let conformance = DataLoadingConformance(timeLimit: .seconds(60)) { StreamingDataLoader() }
        let finding = await conformance.check(rule)
        #expect(finding.isMet, "\(finding)")
    }

    @Test func bringsImages() async throws {
        let server = try Photographs.server()
        let response = try await makePipeline().imageTask(with: server.url("/photo.jpg")).response
        #expect(response.image.width == 640)
        #expect(response.container.type == .jpeg)
        #expect((response.urlResponse as? HTTPURLResponse)?.statusCode == 200)
        #expect(response.cacheType == nil)
        #expect(!response.isPreview)
    }

    @Test func itsErrorsComeThrough() async throws {
        let server = try Photographs.server()
        do {
            _ = try await makePipeline().image(for: server.url("/missing"))
            Issue.record("an image of an error page")
        } catch ImagePipeline.Error.dataLoadingFailed(let error) {
            #expect(error as? StreamRequest.UnacceptableStatus == .init(code: 404))
        }
    }

    @Test func showsProgressAndPreviews() async throws {
        let (server, delegate) = try Photographs.pieceByPiece()
        let pipeline = ImagePipeline(delegate: delegate) {
            $0.dataLoader = StreamingDataLoader()
            $0.isProgressiveDecodingEnabled = true
            $0.progressiveDecodingInterval = 0
        }
        let task = pipeline.imageTask(with: server.url("/photo.jpg"))
        let (progress, shown) = (task.progress, task.previews)
        async let previews = shown.reduce(into: 0) { $0 += $1.isPreview ? 1 : 0 }
        var last: ImageTask.Progress?
        for await next in progress { last = next }
        let image = try await task.image
        #expect(image.width == 640)
        #expect(await previews > 0)
        #expect(last?.fraction == 1)
        #expect(task.currentProgress == last)
    }

    @Test func cancellingTheTaskCancelsTheStream() async throws {
        let server = try LoopbackServer { _ in .init(body: .endless(Data(count: 1_000))) }
        let pipeline = makePipeline()
        let url = server.url("/endless")
        let task = Task { try await pipeline.image(for: url) }
        _ = await server.requests(atLeast: 1)
        task.cancel()
        await #expect(throws: ImagePipeline.Error.self) { try await task.value }
        _ = await server.abandoned(atLeast: 1)
    }

    @Test func goesOnWhereADownloadBrokeOff() async throws {
        let photo = try Photographs.jpeg()
        let isFirst = Mutex(true)
        let server = try LoopbackServer { request in
            let breaks = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard breaks else { return .resource(photo, type: "image/jpeg", etag: "\"1\"", for: request) }
            return .init(
                headers: [("ETag", "\"1\""), ("Accept-Ranges", "bytes")],
                body: .truncated(photo.prefix(5_000), declaredLength: photo.count)
            )
        }
        let pipeline = makePipeline()
        let url = server.url("/photo.jpg")
        await #expect(throws: ImagePipeline.Error.self) { try await pipeline.image(for: url) }
        #expect(try await pipeline.image(for: url).width == 640)
        #expect(server.requests.map { $0.headers["range"] } == [nil, "bytes=5000-"])
    }
}
