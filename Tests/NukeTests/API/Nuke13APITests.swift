import Foundation
import LoopbackServer
import Nuke
import TestSupport
import Testing

/// Declarations that code written for Nuke 13 uses, and that have another form or no effect here.
@Suite("API: names of Nuke 13", .timeLimit(.minutes(10)))
struct Nuke13APITests {
    private final class Signing: ImagePipeline.Delegate {
        @ImagePipelineActor private var count = 0

        @ImagePipelineActor
        func willLoadData(for request: ImageRequest, urlRequest: URLRequest, pipeline: ImagePipeline)
            async throws -> URLRequest
        {
            count += 1
            var signed = urlRequest
            signed.setValue("\(count)", forHTTPHeaderField: "X-Count")
            return signed
        }
    }

    @Test func aDelegateHasStateOfItsOwnOnTheActor() async throws {
        let server = try LoopbackServer { .data(Data(($0.headers["x-count"] ?? "none").utf8)) }
        let pipeline = ImagePipeline(delegate: Signing()) { $0.dataLoader = CurlDataLoader() }
        for count in 1...3 {
            #expect(try await pipeline.data(for: server.url("/\(count)")).0 == Data("\(count)".utf8))
        }
        let actor: ImagePipelineActor = .shared
        #expect(actor === ImagePipelineActor.shared)
    }

    @Test func queues() {
        let queue = TaskQueue(maxConcurrentOperationCount: 3)
        #expect(queue.maxConcurrentOperationCount == 3 && !queue.isSuspended)
        var configuration = ImagePipeline.Configuration()
        configuration.dataLoadingQueue = queue
        configuration.dataLoadingQueue.isSuspended = true
        #expect(queue.isSuspended)
    }

    @Test func flagsWithoutEffect() {
        var configuration = ImagePipeline.Configuration()
        #expect(!configuration.isUsingPrepareForDisplay)
        configuration.isUsingPrepareForDisplay = true
        #expect(configuration.isUsingPrepareForDisplay)
        #expect(!ImagePipeline.Configuration.isSignpostLoggingEnabled)
        ImagePipeline.Configuration.isSignpostLoggingEnabled = true
        #expect(ImagePipeline.Configuration.isSignpostLoggingEnabled)
        ImagePipeline.Configuration.isSignpostLoggingEnabled = false
        var encoder = ImageEncoders.Default()
        #expect(!encoder.isHEIFPreferred)
        encoder.isHEIFPreferred = true
        #expect(encoder.encode(MadeImages.plain(8, 6)).flatMap { AssetType($0) } == .png)
    }

    @Test func imagesDescribeThemselves() throws {
        #expect(PlatformImage().description == "0 × 0" && PlatformImage().size == .zero)
        let made = MadeImages.plain(8, 6)
        #expect(made.size == CGSize(width: 8, height: 6))
        #expect(made.description == "8 × 6, RGB with alpha, 8 bit")
        let photo = try MadeImages.photo(64, 48)
        #expect("\(photo)" == "64 × 48, YCbCr, 8 bit")
    }

    @Test func loadDataReturnsAnImageTask() async throws {
        let loader = ManualLoader()
        let events = Log()
        let pipeline = ImagePipeline.testing(loader, delegate: Silent(events))
        let told = Log()
        let task: ImageTask = pipeline.loadData(
            with: "http://example.com/a",
            progress: { completed, total in told.add("\(completed)/\(total)") },
            completion: { told.add("\((try? $0.get())?.data.count ?? -1)") }
        )
        let load = await loader.load(0)
        task.priority = .high
        #expect(task.priority == .high && task.state == .running)
        load.send(Data(count: 5), of: 8)
        load.send(Data(count: 3), of: 8)
        load.end()
        let response = try await task.response
        #expect(response.container.data == Data(count: 8) && response.image.width == 0)
        #expect(response.urlResponse != nil && task.state == .completed)
        #expect(task.currentProgress == ImageTask.Progress(completed: 8, total: 8))
        try await eventually { told.all == ["5/8", "8/8", "8"] }
        #expect(events.all.isEmpty)

        let cancelled = pipeline.loadData(with: "http://example.com/b") { _ in told.add("never") }
        let second = await loader.load(1)
        cancelled.cancel()
        #expect(cancelled.state == .cancelled)
        try await eventually { second.isCancelled }
        let failing = pipeline.loadData(with: "http://example.com/c") { result in
            if case .failure(let error) = result { told.add(error.description) }
        }
        await loader.load(2).end()
        #expect(await pipelineError { _ = try await failing.response } != nil)
        try await eventually { told.all.last == "Data loader returned empty data." }
        #expect(!told.all.contains("never"))
    }

    /// Of data it must hear nothing.
    private final class Silent: ImagePipeline.Delegate {
        private let log: Log

        init(_ log: Log) { self.log = log }

        func imageTaskCreated(_ task: ImageTask, pipeline: ImagePipeline) { log.add("created") }

        func imageTask(_ task: ImageTask, didReceiveEvent event: ImageTask.Event, pipeline: ImagePipeline) {
            log.add("event")
        }
    }
}
