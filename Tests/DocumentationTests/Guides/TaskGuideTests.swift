import LoopbackServer
import Nuke
import Synchronization
import Testing

/// Tasks, their events and their ends, as code for Nuke 12 and 13 uses them.
@Suite("Guide: tasks", .timeLimit(.minutes(10)))
struct TaskGuideTests {
    private func makePipeline() -> ImagePipeline {
        ImagePipeline {
            $0.imageCache = ImageCache()
        }
    }

    @Test func aURLAStringAndARequest() async throws {
        let server = try Photographs.server()
        let pipeline = makePipeline()
        let image = try await pipeline.image(for: server.url("/photo.jpg"))
        let request: ImageRequest = "http://example.com/photo.jpg"
        #expect(request.url?.host == "example.com")
        #expect(request.priority == .normal)
        let resized = ImageRequest(url: server.url("/photo.jpg"), processors: [.resize(width: 320)])
        #expect(try await pipeline.image(for: resized).height == 240)
        #expect(image.width == 640)
        #expect(server.requests.count == 1)
        let (data, _) = try await pipeline.data(for: server.url("/photo.jpg"))
        #expect(try data == Photographs.jpeg())
    }

    @Test func aClosureIsToldOnItsQueue() async throws {
        let server = try Photographs.server()
        let pipeline = makePipeline()
        let queue = DispatchQueue(label: "callbacks")
        let calls = Mutex<[String]>([])
        let note: @Sendable (String) -> Void = { call in
            dispatchPrecondition(condition: .onQueue(queue))
            calls.withLock { $0.append(call) }
        }
        await withCheckedContinuation { continuation in
            pipeline.loadImage(
                with: ImageRequest(url: server.url("/photo.jpg")),
                queue: queue,
                progress: { response, completed, total in
                    note(response == nil && completed <= total ? "progress" : "preview")
                },
                completion: { result in
                    note((try? result.get())?.image.width == 640 ? "image" : "failure")
                    continuation.resume()
                }
            )
        }
        #expect(calls.withLock { $0.last } == "image")
        #expect(calls.withLock { $0.contains("progress") })
        let data = await withCheckedContinuation { continuation in
            pipeline.loadData(with: ImageRequest(url: server.url("/photo.jpg"))) { result in
                continuation.resume(returning: try? result.get().data)
            }
        }
        #expect(try data == Photographs.jpeg())
    }

    @Test func cancellingTheSwiftTaskCancelsTheRequest() async throws {
        let server = try LoopbackServer { _ in .init(body: .endless(Data(count: 1_000))) }
        let pipeline = makePipeline()
        let url = server.url("/endless")
        let task = Task { () -> ImagePipeline.Error? in
            do throws(ImagePipeline.Error) {
                _ = try await pipeline.image(for: url)
                return nil
            } catch {
                return error
            }
        }
        _ = await server.requests(atLeast: 1)
        task.cancel()
        let error = await task.value
        #expect(error?.description == "The image task was cancelled.")
        _ = await server.abandoned(atLeast: 1)
    }

    @Test func onlyTheLastOfTwoCancelsTheDownload() async throws {
        let gate = Gate()
        let photo = try Photographs.jpeg()
        let server = try LoopbackServer { _ in
            .init(body: .data(photo), hold: { if $0 == .beforeHead { gate.wait() } })
        }
        let pipeline = makePipeline()
        let first = pipeline.imageTask(with: server.url("/photo.jpg"))
        let second = pipeline.imageTask(with: server.url("/photo.jpg"))
        _ = await server.requests(atLeast: 1)
        first.cancel()
        gate.open()
        #expect(try await second.image.width == 640)
        #expect(first.state == .cancelled)
        #expect(second.state == .completed)
        #expect(server.requests.count == 1)
    }

    @Test func previewsComeAsAStream() async throws {
        let (server, delegate) = try Photographs.pieceByPiece()
        let pipeline = ImagePipeline(delegate: delegate) {
            $0.imageCache = ImageCache()
            $0.isProgressiveDecodingEnabled = true
            $0.progressiveDecodingInterval = 0
        }
        let task = pipeline.imageTask(with: server.url("/photo.jpg"))
        var scans: [Int] = []
        for await preview in task.previews {
            #expect(preview.isPreview)
            scans.append(preview.container.userInfo[.scanNumberKey] as? Int ?? 0)
        }
        let response = try await task.response
        #expect(!response.isPreview)
        #expect(!scans.isEmpty)
        #expect(scans == scans.sorted())
        #expect(pipeline.cache[server.url("/photo.jpg")]?.isPreview == false)
    }

    @Test func anInvalidatedPipelineRefuses() async throws {
        let server = try Photographs.server()
        let pipeline = makePipeline()
        pipeline.invalidate()
        do {
            _ = try await pipeline.image(for: server.url("/photo.jpg"))
            Issue.record("an image of an invalidated pipeline")
        } catch {
            guard case .pipelineInvalidated = error else { throw error }
        }
        #expect(server.requests.isEmpty)
    }

    @Test func settingsOfNuke12GoByUserInfo() async throws {
        let server = try Photographs.server()
        let request = ImageRequest(
            url: server.url("/photo.jpg"),
            userInfo: [
                .thumbnailKey: ImageRequest.ThumbnailOptions(maxPixelSize: 64), .scaleKey: 2,
            ]
        )
        #expect(request.scale == 2)
        #expect(try await makePipeline().image(for: request).width == 64)
    }
}
