import Foundation
import LoopbackServer
import Nuke
import Synchronization
import TestSupport
import Testing

/// Images of parts of the data.
@Suite("ImagePipeline shows previews", .timeLimit(.minutes(10)))
struct PreviewTests {
    private let loader = ManualLoader()
    private let counter = Counter()
    /// The head of a GIF, for which previews are made.
    private let gif = Data("GIF89a".utf8) + Data(count: 94)

    private func pipeline(_ configure: (inout ImagePipeline.Configuration) -> Void = { _ in })
        -> ImagePipeline
    {
        ImagePipeline.testing(loader, counter) {
            $0.isProgressiveDecodingEnabled = true
            $0.progressiveDecodingInterval = 0
            configure(&$0)
        }
    }

    @Test func aPartIsShownProcessedAndThenTheWhole() async throws {
        let pipeline = pipeline()
        let request = ImageRequest(url: URL(string: "http://example.com/a.gif"), processors: [Mark("a")])
        let task = pipeline.imageTask(with: request)
        let events = task.events
        let load = await loader.load(0)
        load.send(gif.prefix(50), of: 100)
        for await event in events {
            guard case .preview(let preview) = event else { continue }
            #expect(preview.isPreview)
            #expect(preview.container.marks == ["a"])
            #expect(pipeline.cache[request]?.isPreview == true)
            break
        }
        load.send(gif.suffix(50), of: 100)
        load.end()
        let response = try await task.response
        #expect(!response.isPreview)
        #expect(pipeline.cache[request]?.isPreview == false)
        #expect(counter["preview"] == 1)
    }

    @Test func thereAreNoneUnlessTheyAreAskedFor() async throws {
        for configure: (inout ImagePipeline.Configuration) -> Void in [
            { $0.isProgressiveDecodingEnabled = false }, { $0.progressiveDecodingInterval = 3600 },
        ] {
            let before = (loads: loader.count, previews: counter["preview"])
            let pipeline = pipeline(configure)
            let task = pipeline.imageTask(with: "http://example.com/a.gif")
            let load = await loader.load(before.loads)
            for _ in 0..<9 { load.send(gif.prefix(10), of: 100) }
            load.send(gif.suffix(10), of: 100)
            load.end()
            _ = try await task.response
            // With an interval the first of them alone.
            #expect(counter["preview"] - before.previews <= (before.loads == 0 ? 0 : 1))
        }
    }

    /// Stops at a preview until the gate is open, and notes calls that come meanwhile.
    private final class StoppingDecoder: ImageDecoding {
        let gate = Gate()
        let counter = Counter()
        private let running = Atomic(0)

        func decode(_ data: Data) throws -> ImageContainer { call { ImageContainer(image: PlatformImage()) } }

        func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? {
            call {
                counter.add("preview")
                gate.wait()
                return nil
            }
        }

        private func call<Output>(_ work: () -> Output) -> Output {
            if running.add(1, ordering: .acquiringAndReleasing).newValue > 1 { counter.add("at once") }
            defer { running.subtract(1, ordering: .acquiringAndReleasing) }
            return work()
        }
    }

    @Test func theWholeIsDecodedOnceTheLastPreviewIsMade() async throws {
        let decoder = StoppingDecoder()
        let pipeline = pipeline {
            $0.imageDecodingQueue.maxConcurrentOperationCount = 2
            $0.makeImageDecoder = { _ in decoder }
        }
        let task = pipeline.imageTask(with: "http://example.com/a.gif")
        let progress = task.progress
        let load = await loader.load(0)
        load.send(gif.prefix(50), of: 100)
        try await eventually { decoder.counter["preview"] == 1 }
        load.send(gif.suffix(50), of: 100)
        load.end()
        for await part in progress where part.completed == 100 { break }
        // Time for a decode that does not wait.
        for _ in 0..<100 { await Task.yield() }
        decoder.gate.open()
        _ = try await task.response
        #expect(decoder.counter["at once"] == 0)
    }

    @Test func aCachedPreviewIsShownWhileTheImageIsLoaded() async throws {
        let pipeline = pipeline()
        let request: ImageRequest = "http://example.com/a.gif"
        pipeline.cache[request] = ImageContainer(image: PlatformImage(), isPreview: true)
        let task = pipeline.imageTask(with: request)
        let previews = task.previews
        await loader.load(0).answer(gif)
        var shown = 0
        for await preview in previews { shown += preview.cacheType == .memory ? 1 : 0 }
        #expect(shown == 1)
        #expect(try await !task.response.isPreview)
    }
}
