import Foundation
import FoundationNetworking
import LoopbackServer
import Nuke
import Synchronization
import TestSupport
import Testing

/// The results of a load: progress, completion and errors.
@Suite("ImagePipeline loads images", .timeLimit(.minutes(10)))
struct LoadingFlowTests {
    private let loader = ManualLoader()
    private let queued = QueuedLoader()
    private let counter = Counter()
    private let request: ImageRequest = "http://example.com/a.jpg"

    private func pipeline(_ configure: (inout ImagePipeline.Configuration) -> Void = { _ in })
        -> ImagePipeline
    {
        ImagePipeline.testing(loader, counter) {
            $0.imageCache = nil
            configure(&$0)
        }
    }

    @Test func progressIsOfBytesInAll() async throws {
        let pipeline = ImagePipeline.testing(queued, counter) { $0.imageCache = nil }
        let url = try #require(request.url)
        queued.answer(url, .success((Data(count: 20), QueuedLoader.response(url, length: 20))))
        let task = pipeline.imageTask(with: request)
        var progress: [ImageTask.Progress] = []
        for await value in task.progress { progress.append(value) }
        #expect(progress == [.init(completed: 10, total: 20), .init(completed: 20, total: 20)])
        #expect(task.currentProgress.fraction == 1)
    }

    /// Nothing but the caller cancels a request, though its loader, decoder or processor says so.
    @Test(arguments: [true, false])
    func theCancellationOfSomethingElseIsAFailure(isAsynchronous: Bool) async throws {
        struct Cancelled: ImageDecoding {
            let isAsynchronous: Bool
            func decode(_ data: Data) throws -> ImageContainer { throw CancellationError() }
        }
        struct Cancelling: ImageProcessing {
            let identifier = "cancelling"
            func process(_ image: PlatformImage) -> PlatformImage? { nil }
            func process(_ container: ImageContainer, context: ImageProcessingContext) throws
                -> ImageContainer
            {
                throw CancellationError()
            }
        }
        for (number, isLayered) in [false, true].enumerated() {
            let pipeline = pipeline { if isLayered { $0.dataLoader = RetryingDataLoader(loader) } }
            let task = pipeline.imageTask(with: request)
            await loader.load(number).end(CancellationError())
            let error = await pipelineError { _ = try await task.image }
            #expect(error?.dataLoadingError is CancellationError)
        }
        let data = ImageRequest(id: "a", data: { Data([1]) })
        let decoding = pipeline { $0.makeImageDecoder = { _ in Cancelled(isAsynchronous: isAsynchronous) } }
        let undecoded = await pipelineError { _ = try await decoding.image(for: data) }
        #expect(undecoded?.description.hasPrefix("Failed to decode image data") == true)
        let processed = ImageRequest(id: "b", data: { Data([1]) }, processors: [Cancelling()])
        let unprocessed = await pipelineError { _ = try await pipeline().image(for: processed) }
        #expect(unprocessed?.description.hasPrefix("Failed to process the image") == true)
    }

    /// Holds the books of all pipelines until its gate is open.
    private final class HoldingDelegate: ImagePipeline.Delegate {
        let (held, hold) = AsyncStream<Void>.makeStream()
        let gate = Gate()

        func imageTask(
            _ task: ImageTask,
            didReceiveEvent event: ImageTask.Event,
            pipeline: ImagePipeline
        ) {
            guard case .started = event else { return }
            hold.finish()
            gate.wait()
        }
    }

    @Test func whatHasComeWholeIsKeptThoughNobodyWaitsForItAnyMore() async throws {
        let cache = DictionaryCache()
        let pipeline = pipeline { $0.dataCache = cache }
        let wanted = Task { [request] in try await pipeline.data(for: request) }
        let load = await loader.load(0)
        let delegate = HoldingDelegate()
        let holding = ImagePipeline.testing(queued, counter, delegate: delegate).imageTask(with: request)
        for await _ in delegate.held {}
        // It comes to its end before anybody can tell it that it was cancelled.
        wanted.cancel()
        load.answer(Data("whole".utf8))
        delegate.gate.open()
        holding.cancel()
        await #expect(throws: ImagePipeline.Error.self) { try await wanted.value }
        try await eventually { cache.cachedData(for: "http://example.com/a.jpg") == Data("whole".utf8) }
        #expect(!load.isCancelled)
    }

    @Test func aLengthThatNobodyKnowsIsMinusOne() async throws {
        let pipeline = ImagePipeline.testing(queued, counter) { $0.imageCache = nil }
        let url = try #require(request.url)
        queued.answer(url, .success((Data(count: 20), QueuedLoader.response(url, length: -1))))
        let task = pipeline.imageTask(with: request)
        _ = try await task.image
        #expect(task.currentProgress == .init(completed: 20, total: -1))
        #expect(task.currentProgress.fraction == 0)
    }

    @Test func whoJoinsLateIsToldWhatComesNext() async throws {
        let pipeline = pipeline { $0.isProgressiveDecodingEnabled = true }
        let first = pipeline.imageTask(with: request)
        let early = first.progress
        let load = await loader.load(0)
        load.send(Data(count: 4), of: 10)
        for await value in early {
            #expect(value.completed == 4)
            break
        }
        let second = pipeline.imageTask(with: request)
        let late = second.events
        second.priority = .high
        try await eventually {
            pipeline.configuration.dataLoadingQueue.operations.contains { $0.queuePriority == .high }
        }
        load.send(Data(count: 6), of: 10)
        load.end()
        var told: [Int64] = []
        for await event in late { if case .progress(let value) = event { told.append(value.completed) } }
        #expect(told == [10], "no replay of what was before")
        #expect(loader.count == 1)
    }

    @Test func theSameRequestAtTheEndOfAnotherIsNewWork() async throws {
        final class Again: ImagePipeline.Delegate {
            let next = Mutex<ImageTask?>(nil)
            func imageTask(_ task: ImageTask, didReceiveEvent event: ImageTask.Event, pipeline: ImagePipeline)
            {
                guard case .finished = event, task.request.userInfo["again"] != nil else { return }
                next.withLock { $0 = pipeline.imageTask(with: ImageRequest(url: task.request.url)) }
            }
        }
        let again = Again()
        let pipeline = ImagePipeline.testing(queued, counter, delegate: again) { $0.imageCache = nil }
        _ = try await pipeline.image(for: ImageRequest(url: request.url, userInfo: ["again": true]))
        try await eventually { again.next.withLock { $0 != nil } }
        _ = try await again.next.withLock { $0 }?.image
        #expect(queued.createdTaskCount == 2)
        #expect(counter["decode"] == 2)
    }

    @Test func theResponsesOfOneLoadAreTheirTasksOwn() async throws {
        let pipeline = ImagePipeline.testing(queued, counter) { $0.imageCache = nil }
        queued.isSuspended = true
        let requests = ["1", "2"].map {
            ImageRequest(url: request.url, processors: [Mark("a")], userInfo: ["n": $0])
        }
        let tasks = requests.map(pipeline.imageTask)
        try await eventually { queued.createdTaskCount == 1 }
        queued.isSuspended = false
        for (task, number) in zip(tasks, ["1", "2"]) {
            let response = try await task.response
            #expect(response.request.userInfo["n"] as? String == number)
            #expect(response.request.processors.count == 1)
            #expect(response.urlResponse != nil && response.cacheType == nil)
        }
        #expect(queued.createdTaskCount == 1)
    }

    @Test(arguments: [(11, 11), (-1, 11)])
    func aResponseThatIsTooLargeEndsTheLoad(declared: Int, sent: Int) async throws {
        let pipeline = pipeline { $0.maximumResponseDataSize = 10 }
        let task = pipeline.imageTask(with: request)
        let load = await loader.load(0)
        load.send(Data(count: declared < 0 ? sent : 1), of: declared)
        let error = await pipelineError { _ = try await task.image }
        guard case .dataDownloadExceededMaximumSize = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(load.isCancelled)
        // What is exactly as large is not too large.
        let fits = pipeline.imageTask(with: "http://example.com/fits.jpg")
        await loader.load(1).answer(Data(count: 10))
        _ = try await fits.image
    }

    @Test func errorsAreWordForWordAsNukes() throws {
        let context = ImageDecodingContext(request: request, data: Data())
        let response = ImageResponse(container: ImageContainer(image: PlatformImage()), request: request)
        let processing = ImageProcessingContext(request: request, response: response, isCompleted: true)
        let texts: [(ImagePipeline.Error, String)] = [
            (.dataMissingInCache, "Failed to load data from cache and download is disabled."),
            (
                .dataLoadingFailed(error: DataLoader.Error.statusCodeUnacceptable(404)),
                "Failed to load image data. Underlying error: Response status code was unacceptable: 404."
            ),
            (.dataIsEmpty, "Data loader returned empty data."),
            (.decoderNotRegistered(context: context), "No decoders registered for the downloaded data."),
            (
                .decodingFailed(
                    decoder: ImageDecoders.Empty(),
                    context: context,
                    error: ImageDecodingError.unknown
                ),
                "Failed to decode image data using decoder \(ImageDecoders.Empty())."
            ),
            (
                .decodingFailed(
                    decoder: ImageDecoders.Empty(),
                    context: context,
                    error: DataLoader.Error.statusCodeUnacceptable(404)
                ),
                "Failed to decode image data using decoder \(ImageDecoders.Empty()). "
                    + "Underlying error: Response status code was unacceptable: 404."
            ),
            (
                .processingFailed(
                    processor: .process(id: "mine") { $0 },
                    context: processing,
                    error: ImageProcessingError.unknown
                ),
                "Failed to process the image using processor \(ImageProcessors.Anonymous(id: "mine") { $0 })."
            ),
        ]
        for (error, text) in texts { #expect("\(error)" == text) }
        #expect((ImagePipeline.Error.dataIsEmpty).dataLoadingError == nil)
    }

    @Test func aLoadersOwnPipelineErrorIsPassedAsItIs() async throws {
        let pipeline = pipeline()
        let task = pipeline.imageTask(with: request)
        await loader.load(0).end(ImagePipeline.Error.dataIsEmpty)
        let error = await pipelineError { _ = try await task.image }
        guard case .dataIsEmpty = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: ["", "http://exa mple.com/ü"])
    func aURLThatIsNoneFailsWhenItIsLoaded(text: String) async throws {
        let error = await pipelineError {
            _ = try await pipeline().image(for: ImageRequest(url: URL(string: "")))
        }
        #expect((error?.dataLoadingError as? URLError)?.code == .badURL)
        let literal = ImageRequest(stringLiteral: text)
        if literal.url == nil {
            let error = await pipelineError { _ = try await pipeline().image(for: literal) }
            #expect((error?.dataLoadingError as? URLError)?.code == .badURL)
        }
        #expect(loader.count == 0)
    }

    @Test func closuresOfCancelledTasksAreNotCalled() async throws {
        let pipeline = ImagePipeline.testing(queued, counter) { $0.imageCache = nil }
        let told = Log()
        queued.isSuspended = true
        let image = pipeline.loadImage(
            with: request,
            progress: { _, _, _ in told.add("progress") },
            completion: { _ in told.add("image") }
        )
        let data = pipeline.loadData(
            with: request,
            progress: { _, _ in told.add("progress") },
            completion: { _ in told.add("data") }
        )
        let kept = Log()
        pipeline.loadData(with: "http://example.com/b.jpg") { _ in kept.add("end") }
        try await eventually { queued.createdTaskCount == 2 }
        image.cancel()
        data.cancel()
        // The second joins the load of the first, or has begun one of its own.
        try await eventually { queued.cancelledTaskCount == queued.createdTaskCount - 1 }
        queued.isSuspended = false
        try await eventually { kept.all == ["end"] }
        _ = try await pipeline.image(for: "http://example.com/c.jpg")
        #expect(told.all.isEmpty)
    }

    /// A closure that takes its time holds up no other request; in a process of its own, of whose few threads it blocks one.
    @Test(.enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1, "there is but one thread"))
    func theProgressOfDataHoldsUpNothing() async {
        await #expect(processExitsWith: .success) {
            let pipeline = ImagePipeline.testing(QueuedLoader())
            let (gate, order) = (Gate(), Log())
            pipeline.loadData(
                with: "http://example.com/a.jpg",
                progress: { _, _ in
                    order.add("begin")
                    gate.wait(atMost: .seconds(60))
                    order.add("end")
                },
                completion: { _ in }
            )
            try await eventually { !order.all.isEmpty }
            _ = try await pipeline.image(for: "http://example.com/b.jpg")
            order.add("other")
            gate.open()
            try await eventually { order.all.contains("end") }
            #expect(order.all.prefix(2) == ["begin", "other"])
        }
    }

    @Test func decodersThatAreQuickRunAtOnce() async throws {
        let counter = counter
        let pipeline = pipeline {
            $0.makeImageDecoder = { _ in AnyDecoder(counter: counter, isAsynchronous: false) }
            $0.imageDecodingQueue.isSuspended = true
        }
        let task = pipeline.imageTask(with: request)
        await loader.load(0).answer(Data([1]))
        _ = try await task.image
        #expect(counter["decode"] == 1)
    }

    @Test func cancellingAtRandomMomentsIsNeverLost() async throws {
        queued.isSuspended = true
        let pipeline = ImagePipeline.testing(queued, counter) { $0.imageCache = nil }
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<300 {
                group.addTask {
                    let task = pipeline.imageTask(with: ImageRequest(url: URL(string: "http://h/\(number)")))
                    if number.isMultiple(of: 2) { await Task.yield() }
                    task.cancel()
                    let error = await pipelineError { _ = try await task.response }
                    guard case .cancelled = error else { return false }
                    return true
                }
            }
            for await isCancelled in group { #expect(isCancelled) }
        }
        queued.isSuspended = false
        try await eventually { pipeline.configuration.dataLoadingQueue.operationCount == 0 }
    }
}
