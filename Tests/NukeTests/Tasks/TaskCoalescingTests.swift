import Foundation
import Nuke
import TestSupport
import Testing

/// Requests that share work.
@Suite("ImagePipeline shares work", .timeLimit(.minutes(10)))
struct TaskCoalescingTests {
    private let loader = ManualLoader()
    private let counter = Counter()
    private let url = "http://example.com/a.jpg"

    private func request(_ names: String..., options: ImageRequest.Options = []) -> ImageRequest {
        ImageRequest(url: URL(string: url), processors: names.map { Mark($0, counter) }, options: options)
    }

    @Test func requestsForABeginningShareTheDownloadTheDecodeAndTheirFirstProcessor() async throws {
        let pipeline = ImagePipeline.testing(loader, counter)
        let tasks = [request("a"), request("a", "b"), request("a", "c")].map(pipeline.imageTask)
        let load = try await loader.load(0, of: tasks, pipeline)
        load.answer(Data([1]))
        var marks: [[String]] = []
        for task in tasks { marks.append(try await task.response.container.marks) }
        #expect(marks == [["a"], ["a", "b"], ["a", "c"]])
        #expect(loader.count == 1)
        #expect(counter["decode"] == 1)
        #expect(["a", "b", "c"].map { counter[$0] } == [1, 1, 1])
    }

    @Test func withoutCoalescingEachRequestHasWorkOfItsOwn() async throws {
        let pipeline = ImagePipeline.testing(loader, counter) { $0.isTaskCoalescingEnabled = false }
        let tasks = [request("a"), request("a")].map(pipeline.imageTask)
        for number in 0..<2 { await loader.load(number).answer(Data([1])) }
        for task in tasks { _ = try await task.response }
        #expect(counter["decode"] == 2)
        #expect(counter["a"] == 2)
    }

    @Test func otherOptionsShareTheDownloadAndTheDecode() async throws {
        let pipeline = ImagePipeline.testing(loader, counter)
        let tasks = [request("a"), request("a", options: .disableMemoryCache)].map(pipeline.imageTask)
        try await loader.load(0, of: tasks, pipeline).answer(Data([1]))
        for task in tasks { _ = try await task.response }
        #expect(loader.count == 1)
        #expect(counter["decode"] == 1)
        #expect(counter["a"] == 2)
    }

    @Test func imagesAndDataShareADownload() async throws {
        let pipeline = ImagePipeline.testing(loader, counter)
        let image = pipeline.imageTask(with: request("a"))
        let load = await loader.load(0)
        let data = pipeline.dataTask(with: request())
        // Joined or not is a matter of time: the second look into the caches comes first.
        let more = pipeline.imageTask(with: request("b"))
        load.answer(Data([7]))
        _ = try await image.response
        try await eventually { loader.count != 1 || counter["b"] != 0 }
        if loader.count > 1 { await loader.load(1).answer(Data([7])) }
        #expect(try await more.response.container.marks == ["b"])
        data.cancel()
    }

    @Test func theFailureOfSharedWorkIsEverybodys() async throws {
        let pipeline = ImagePipeline.testing(loader, counter)
        let tasks = [request("a"), request("b")].map(pipeline.imageTask)
        try await loader.load(0, of: tasks, pipeline).end(URLError(.timedOut))
        for task in tasks {
            let error = await pipelineError { _ = try await task.response }
            #expect((error?.dataLoadingError as? URLError)?.code == .timedOut)
            #expect(task.state == .completed)
        }
    }

    @Test func oneOfTwoCancelsAndTheWorkGoesOn() async throws {
        let pipeline = ImagePipeline.testing(loader, counter)
        let one = pipeline.imageTask(with: request("a"))
        let two = pipeline.imageTask(with: request("b"))
        let load = try await loader.load(0, of: [one, two], pipeline)
        one.cancel()
        #expect(one.state == .cancelled)
        load.answer(Data([1]))
        #expect(try await two.response.container.marks == ["b"])
        #expect(!load.isCancelled)
        #expect(counter["a"] == 0)
    }

    @Test func theLastCancellationEndsTheLoad() async throws {
        let pipeline = ImagePipeline.testing(loader, counter)
        let tasks = [request("a"), request("a", "b")].map(pipeline.imageTask)
        let load = try await loader.load(0, of: tasks, pipeline)
        for task in tasks { task.cancel() }
        try await eventually { load.isCancelled }
        // A new request begins anew.
        let again = pipeline.imageTask(with: request("a"))
        await loader.load(1).answer(Data([1]))
        _ = try await again.response
    }

    @Test func aRequestMadeAtTheEndOfAnotherIsNewWork() async throws {
        let pipeline = ImagePipeline.testing(loader, counter) { $0.imageCache = nil }
        let first = pipeline.imageTask(with: request())
        await loader.load(0).answer(Data([1]))
        _ = try await first.response
        let second = pipeline.imageTask(with: request())
        await loader.load(1).answer(Data([1]))
        _ = try await second.response
        #expect(loader.count == 2)
    }

    @Test func aDecoderIsToldWhatAllDoFirstAndNobodyElseJoins() async throws {
        let (loader, counter, seen) = (loader, counter, Log())
        let pipeline = ImagePipeline.testing(loader, counter) {
            $0.makeImageDecoder = { context in
                seen.add(context.request.processors.map(\.identifier).joined())
                return AnyDecoder(counter: counter)
            }
            $0.imageDecodingQueue.isSuspended = true
        }
        let first = [request("a"), request("a", "b")].map(pipeline.imageTask)
        try await loader.load(0, of: first, pipeline).answer(Data([1]))
        try await eventually { !seen.all.isEmpty }
        // The decode waits; who comes now wants more than it gives, but nothing is loaded again.
        let late = pipeline.imageTask(with: request("c"))
        try await eventually { seen.all.count >= 2 }
        pipeline.configuration.imageDecodingQueue.isSuspended = false
        for task in first + [late] { _ = try await task.response }
        #expect(seen.all == ["mark/a", "mark/c"])
        #expect(loader.count == 1)

        let both = ImagePipeline.testing(loader, counter) {
            $0.makeImageDecoder = { context in
                seen.add(context.request.processors.map(\.identifier).joined())
                return AnyDecoder(counter: counter)
            }
        }
        let tasks = [request("a"), request()].map(both.imageTask)
        try await loader.load(1, of: tasks, both).answer(Data([1]))
        for task in tasks { _ = try await task.response }
        #expect(seen.all.last == "")
    }
}

extension ManualLoader {
    /// Waits for a load that all of the tasks have joined.
    fileprivate func load(_ number: Int, of tasks: [ImageTask], _ pipeline: ImagePipeline) async throws
        -> Load
    {
        let load = await load(number)
        let queue = pipeline.configuration.dataLoadingQueue
        for task in tasks { try await queue.waitUntilJoined { task.priority = $0 } }
        return load
    }
}
