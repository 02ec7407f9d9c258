import LoopbackServer
import Nuke
import Synchronization
import TestSupport
import Testing

@Suite("Samples: loading", .timeLimit(.minutes(10)))
struct LoadingSamples {
    private let screen = Screen()

    private func show(_ image: PlatformImage) { screen.show(image) }

    private func makePipeline() -> ImagePipeline {
        ImagePipeline {
            $0.dataLoader = CurlDataLoader()
            $0.imageCache = ImageCache()
            $0.isProgressiveDecodingEnabled = true
            $0.progressiveDecodingInterval = 0
        }
    }

    @Test func image() async throws {
        let server = try Photographs.server()
        let (url, pipeline) = (server.url("/photo.jpg"), makePipeline())
        // sample
        let image = try await pipeline.image(for: url)
        print("\(image.width) by \(image.height) pixels")
        // end
        #expect(image.width == 640)
    }

    @Test func request() async throws {
        let server = try Photographs.server()
        let (url, pipeline) = (server.url("/photo.jpg"), makePipeline())
        // sample
        let request = ImageRequest(
            url: url,
            processors: [.resize(width: 320), .roundedCorners(radius: 16)],
            priority: .high,
            options: [.reloadIgnoringCachedData]
        )
        let image = try await pipeline.image(for: request)
        // end
        #expect((image.width, image.height) == (320, 240))
    }

    @Test func thumbnail() async throws {
        let server = try Photographs.server()
        let (url, pipeline) = (server.url("/photo.jpg"), makePipeline())
        // sample
        var request = ImageRequest(url: url)
        request.thumbnail = ImageRequest.ThumbnailOptions(maxPixelSize: 256)
        let thumbnail = try await pipeline.image(for: request)
        // end
        #expect((thumbnail.width, thumbnail.height) == (256, 192))
    }

    @Test func data() async throws {
        let server = try Photographs.server()
        let (url, pipeline) = (server.url("/photo.jpg"), makePipeline())
        // sample
        let (data, response) = try await pipeline.data(for: ImageRequest(url: url))
        let origin = response == nil ? "a cache" : "the network"
        print("\(data.count) bytes from \(origin)")
        // end
        #expect(try data == Photographs.jpeg())
        #expect(origin == "the network")
    }

    @Test func ownSource() async throws {
        let pipeline = makePipeline()
        @Sendable func renderChart() async throws -> Data { try Photographs.jpeg() }
        // sample
        let request = ImageRequest(id: "chart-42", data: { try await renderChart() })
        let chart = try await pipeline.image(for: request)
        // end
        #expect(chart.width == 640)
        #expect(pipeline.cache[request]?.image == chart)
    }

    @Test func events() async throws {
        let (server, delegate) = try Photographs.pieceByPiece()
        let url = server.url("/photo.jpg")
        let pipeline = ImagePipeline(delegate: delegate) {
            $0.dataLoader = CurlDataLoader()
            $0.isProgressiveDecodingEnabled = true
            $0.progressiveDecodingInterval = 0
        }
        // sample
        let task = pipeline.imageTask(with: url)
        for await event in task.events {
            switch event {
            case .started: break
            case .progress(let progress): print("\(progress.completed) of \(progress.total) bytes")
            case .preview(let response): show(response.image)
            case .finished(.success(let response)): show(response.image)
            case .finished(.failure(let error)): print(error)
            }
        }
        // end
        #expect(screen.images.count >= 2)
        #expect(task.state == .completed)
    }

    @Test func priorityAndCancellation() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in
            .init(body: .data(Data([1])), hold: { if $0 == .beforeHead { gate.wait() } })
        }
        defer { gate.open() }
        let (url, pipeline) = (server.url("/photo.jpg"), makePipeline())
        // sample
        let task = pipeline.imageTask(with: url)
        task.priority = .veryHigh
        task.cancel()
        // end
        await #expect(throws: ImagePipeline.Error.self) { try await task.image }
        #expect(task.state == .cancelled)
    }

    @Test func errors() async throws {
        let server = try Photographs.server()
        let (url, pipeline) = (server.url("/missing"), makePipeline())
        let reported = Mutex("")
        @Sendable func report(_ text: String) { reported.withLock { $0 = text } }
        // sample
        do throws(ImagePipeline.Error) {
            show(try await pipeline.image(for: url))
        } catch {
            switch error {
            case .cancelled: break
            case .dataLoadingFailed(let cause): report("could not be loaded: \(cause)")
            default: report(error.description)
            }
        }
        // end
        #expect(reported.withLock { $0 }.contains("404"))
    }

    @Test func closures() async throws {
        let server = try Photographs.server()
        let (url, pipeline) = (server.url("/photo.jpg"), makePipeline())
        // sample
        let task = pipeline.loadImage(with: url) { result in
            switch result {
            case .success(let response): show(response.image)
            case .failure(let error): print(error)
            }
        }
        // end
        _ = try await task.image
        try await eventually { !screen.images.isEmpty }
    }

    @Test func shared() async throws {
        defer { remove("com.example.shared") }
        // sample
        ImagePipeline.shared = ImagePipeline(configuration: .forServer(name: "com.example.shared"))
        // end
        #expect(ImagePipeline.shared.configuration.dataLoader is CurlDataLoader)
        #expect(ImagePipeline.shared.configuration.dataCache is DataCache)
        ImagePipeline.shared = ImagePipeline()
    }
}

/// Removes what a sample has left in the user's folder of caches.
func remove(_ name: String) {
    let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)
    for folder in caches { try? FileManager.default.removeItem(at: folder.appendingPathComponent(name)) }
}
