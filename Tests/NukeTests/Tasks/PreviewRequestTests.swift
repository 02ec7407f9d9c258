import Foundation
import FoundationNetworking
import Nuke
import Synchronization
import TestSupport
import Testing

/// The previews that a pipeline makes of partial data, and their delivery.
@Suite("ImagePipeline asks for previews", .timeLimit(.minutes(10)))
struct PreviewRequestTests {
    private let loader = ManualLoader()
    private let counter = Counter()
    private let request: ImageRequest = "http://example.com/a.jpg"

    private final class Policies: ImagePipeline.Delegate {
        let asked = Mutex<[Int]>([])
        let answer: @Sendable (Int) -> ImagePipeline.PreviewPolicy
        init(_ answer: @escaping @Sendable (Int) -> ImagePipeline.PreviewPolicy) { self.answer = answer }

        func previewPolicy(for context: ImageDecodingContext, pipeline: ImagePipeline)
            -> ImagePipeline.PreviewPolicy
        {
            asked.withLock { $0.append(context.data.count) }
            return answer(context.data.count)
        }
    }

    private func pipeline(
        _ policies: Policies,
        _ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) -> ImagePipeline {
        ImagePipeline.testing(loader, counter, delegate: policies) {
            $0.isProgressiveDecodingEnabled = true
            $0.progressiveDecodingInterval = 0
            configure(&$0)
        }
    }

    /// Sends so many bytes and waits until the task was told.
    private func send(_ count: Int, of total: Int, by load: ManualLoader.Load, to task: ImageTask)
        async throws
    {
        let before = task.currentProgress.completed
        load.send(Data(count: count), of: total)
        try await eventually { task.currentProgress.completed == before + Int64(count) }
    }

    @Test func aPolicyOfNoneIsAskedAgainWhenTheDataHasDoubledAndSixTimesAtMost() async throws {
        let policies = Policies { _ in .disabled }
        let pipeline = pipeline(policies)
        let task = pipeline.imageTask(with: request)
        let load = await loader.load(0)
        for _ in 0..<100 { try await send(1, of: 101, by: load, to: task) }
        load.send(Data(count: 1), of: 101)
        load.end()
        _ = try await task.image
        #expect(policies.asked.withLock { $0 } == [1, 2, 4, 8, 16, 32])
        #expect(counter["preview"] == 0)
    }

    @Test func aPolicyIsKeptOnceItWantsPreviewsAndOneDecoderMakesThemAll() async throws {
        let policies = Policies { $0 < 4 ? .disabled : .incremental }
        let chosen = Counter()
        let counter = counter
        let pipeline = pipeline(policies) {
            $0.makeImageDecoder = { context in
                chosen.add("\(context.previewPolicy), \(context.isCompleted)")
                return AnyDecoder(counter: counter, isAsynchronous: false)
            }
        }
        let task = pipeline.imageTask(with: request)
        let load = await loader.load(0)
        for number in 1...9 {
            try await send(1, of: 10, by: load, to: task)
            try await eventually { counter["preview"] == max(0, number - 3) }
        }
        load.send(Data(count: 1), of: 10)
        load.end()
        _ = try await task.image
        #expect(policies.asked.withLock { $0 } == [1, 2, 4])
        // From the fourth byte on; the last completes the data, which is no part any more.
        #expect(counter["preview"] == 6 && counter["decode"] == 1)
        #expect(chosen["incremental, false"] == 1 && chosen["incremental, true"] == 0)
    }

    @Test func whereNobodyKnowsTheLengthThereIsNoPart() async throws {
        let policies = Policies { _ in .incremental }
        let pipeline = pipeline(policies)
        let task = pipeline.imageTask(with: request)
        let load = await loader.load(0)
        try await send(4, of: -1, by: load, to: task)
        load.end()
        _ = try await task.image
        #expect(policies.asked.withLock { $0 }.isEmpty && counter["preview"] == 0)
    }

    @Test func previewsAreNeverOnDiskAndInMemoryOnlyIfWanted() async throws {
        for isKept in [true, false] {
            let cache = CountingDataCache()
            let pipeline = pipeline(Policies { _ in .incremental }) {
                $0.dataCache = cache
                $0.dataCachePolicy = .storeEncodedImages
                $0.isStoringPreviewsInMemoryCache = isKept
            }
            let number = loader.count
            let task = pipeline.imageTask(with: request)
            let previews = task.previews
            let load = await loader.load(number)
            load.send(Data(count: 4), of: 10)
            for await preview in previews {
                #expect(preview.isPreview)
                #expect((pipeline.cache[request]?.isPreview == true) == isKept)
                #expect(cache.writes.isEmpty)
                break
            }
            load.send(Data(count: 6), of: 10)
            load.end()
            _ = try await task.image
            try await eventually { cache.writes.count == 1 }
            #expect(pipeline.cache[request]?.isPreview == false)
        }
    }

    @Test func aPreviewThatCannotBeProcessedIsLeftOut() async throws {
        struct WholeOnly: ImageProcessing {
            let identifier = "whole only"
            func process(_ image: PlatformImage) -> PlatformImage? { image }
            func process(_ container: ImageContainer, context: ImageProcessingContext) throws
                -> ImageContainer
            {
                if !context.isCompleted { throw ImageProcessingError.unknown }
                return container
            }
        }
        let pipeline = pipeline(Policies { _ in .incremental })
        let task = pipeline.imageTask(with: ImageRequest(url: request.url, processors: [WholeOnly()]))
        let previews = task.previews
        let load = await loader.load(0)
        try await send(4, of: 10, by: load, to: task)
        load.send(Data(count: 6), of: 10)
        load.end()
        _ = try await task.image
        for await _ in previews { Issue.record("a preview that could not be processed") }
    }

    @Test func whileAPreviewIsDecodedOthersAreDroppedAndTheWholeTakesItsPlace() async throws {
        let pipeline = pipeline(Policies { _ in .incremental }) { $0.imageDecodingQueue.isSuspended = true }
        let queue = pipeline.configuration.imageDecodingQueue
        let task = pipeline.imageTask(with: request)
        let load = await loader.load(0)
        for _ in 0..<5 { try await send(1, of: 10, by: load, to: task) }
        try await eventually { queue.operationCount == 1 }
        let partial = try #require(queue.operations.first)
        load.send(Data(count: 5), of: 10)
        load.end()
        try await eventually { partial.isCancelled && queue.operationCount == 2 }
        queue.isSuspended = false
        #expect(try await !task.response.isPreview)
        #expect(counter["preview"] == 0 && counter["decode"] == 1)
    }

    @Test func whileAPreviewIsProcessedOthersAreDroppedAndTheWholeTakesItsPlace() async throws {
        let counter = counter
        let pipeline = pipeline(Policies { _ in .incremental }) {
            $0.imageProcessingQueue.isSuspended = true
            $0.makeImageDecoder = { _ in AnyDecoder(counter: counter, isAsynchronous: false) }
        }
        let queue = pipeline.configuration.imageProcessingQueue
        let task = pipeline.imageTask(with: ImageRequest(url: request.url, processors: [Mark("a", counter)]))
        let load = await loader.load(0)
        for number in 1...5 {
            try await send(1, of: 10, by: load, to: task)
            try await eventually { counter["preview"] == number }
        }
        try await eventually { queue.operationCount == 1 }
        let partial = try #require(queue.operations.first)
        load.send(Data(count: 5), of: 10)
        load.end()
        try await eventually { partial.isCancelled && queue.operationCount == 2 }
        queue.isSuspended = false
        #expect(try await task.response.container.marks == ["a"])
        #expect(counter["a"] == 1)
    }

    @Test(arguments: [true, false])
    func aQueuedPreviewIsNotProcessedAfterAFailure(isOfDecoder: Bool) async throws {
        let counter = counter
        let pipeline = pipeline(Policies { _ in .incremental }) {
            $0.imageProcessingQueue.isSuspended = true
            $0.makeImageDecoder = { _ in AnyDecoder(counter: counter, isAsynchronous: false, fails: true) }
        }
        let queue = pipeline.configuration.imageProcessingQueue
        let task = pipeline.imageTask(with: ImageRequest(url: request.url, processors: [Mark("a", counter)]))
        let load = await loader.load(0)
        try await send(5, of: 10, by: load, to: task)
        try await eventually { queue.operationCount == 1 }
        let partial = try #require(queue.operations.first)
        if isOfDecoder { load.send(Data(count: 5), of: 10) }
        load.end(isOfDecoder ? nil : URLError(.networkConnectionLost))
        #expect(await pipelineError { _ = try await task.response } != nil)
        try await eventually { partial.isCancelled }
        queue.isSuspended = false
        try await eventually { queue.operationCount == 0 }
        #expect(counter["a"] == 0)
    }

    @Test func aPreviewInMemoryIsProcessedFurther() async throws {
        let pipeline = pipeline(Policies { _ in .disabled }) { $0.imageProcessingQueue.isSuspended = true }
        let first = ImageRequest(url: request.url, processors: [Mark("1")])
        pipeline.cache[first] = ImageContainer(image: PlatformImage(), isPreview: true)
        let task = pipeline.imageTask(
            with: ImageRequest(url: request.url, processors: [Mark("1"), Mark("2")])
        )
        let previews = task.previews
        pipeline.configuration.imageProcessingQueue.isSuspended = false
        for await preview in previews {
            #expect(preview.container.marks == ["2"] && preview.isPreview)
            break
        }
        task.cancel()
    }
}
