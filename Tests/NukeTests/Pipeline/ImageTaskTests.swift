import Foundation
import FoundationNetworking
import Nuke
import TestSupport
import Testing

/// One task from its beginning to its end.
@Suite("ImageTask", .timeLimit(.minutes(10)))
struct ImageTaskTests {
    private let loader = ManualLoader()
    private let counter = Counter()
    private let request: ImageRequest = "http://example.com/a.jpg"

    /// Writes down what a pipeline tells its delegate.
    private final class Recorder: ImagePipeline.Delegate {
        private let log = Log()
        var all: [String] { log.all }

        func imageTaskCreated(_ task: ImageTask, pipeline: ImagePipeline) { add("created") }

        func imageTask(_ task: ImageTask, didReceiveEvent event: ImageTask.Event, pipeline: ImagePipeline) {
            switch event {
            case .started: add("started")
            case .progress(let progress): add("\(progress.completed)/\(progress.total)")
            case .preview: add("preview")
            case .finished(.success): add("success")
            case .finished(.failure(let error)): add("\(error)")
            }
        }

        private func add(_ event: String) { log.add(event) }
    }

    @Test func tellsItsDelegateEverythingInOrder() async throws {
        let recorder = Recorder()
        let pipeline = ImagePipeline.testing(loader, counter, delegate: recorder)
        let task = pipeline.imageTask(with: request)
        let load = await loader.load(0)
        load.send(Data(count: 5), of: 8)
        load.send(Data(count: 3), of: 8)
        load.end()
        _ = try await task.response
        let memory = pipeline.imageTask(with: request)
        #expect(try await memory.response.cacheType == .memory)
        try await eventually { recorder.all.count { $0 == "success" } >= 2 }
        #expect(
            recorder.all == ["created", "started", "5/8", "8/8", "success", "created", "started", "success"]
        )
        #expect(task.currentProgress == ImageTask.Progress(completed: 8, total: 8))
        #expect(task.state == .completed)
        #expect(memory.taskId > task.taskId)
    }

    @Test func itsEventsGoToEveryStream() async throws {
        let pipeline = ImagePipeline.testing(loader, counter)
        let task = pipeline.imageTask(with: request)
        let (events, progress) = (task.events, task.progress)
        let load = await loader.load(0)
        load.send(Data(count: 5), of: 10)
        load.send(Data(count: 5), of: 10)
        load.end()
        var fractions: [Float] = []
        for await value in progress { fractions.append(value.fraction) }
        #expect(fractions == [0.5, 1])
        var names: [String] = []
        for await event in events {
            if case .finished(.success) = event { names.append("end") } else { names.append("progress") }
        }
        #expect(names == ["progress", "progress", "end"])
        var late = 0
        for await event in task.events { if case .finished(.success) = event { late += 1 } }
        #expect(late == 1)
    }

    @Test func theFirstStreamHasWhatWasBefore() async throws {
        let pipeline = ImagePipeline.testing(loader, counter) {
            $0.isProgressiveDecodingEnabled = true
            $0.progressiveDecodingInterval = 0
        }
        let gif = Data("GIF89a".utf8) + Data(count: 94)
        let task = pipeline.imageTask(with: request)
        let load = await loader.load(0)
        load.send(gif.prefix(50), of: 100)
        try await eventually { counter["preview"] == 1 && pipeline.cache[request] != nil }
        load.send(gif.suffix(50), of: 100)
        load.end()
        _ = try await task.response
        var names: [String] = []
        for await event in task.events {
            switch event {
            case .started: names.append("started")
            case .progress(let progress): names.append("\(progress.completed)")
            case .preview: names.append("preview")
            case .finished: names.append("end")
            }
        }
        #expect(names == ["50", "preview", "100", "end"])
        // Once: another stream begins where it is opened.
        var late = 0
        for await _ in task.events { late += 1 }
        #expect(late == 1)
    }

    @Test func ofManyEventsTheNewestAreKept() async throws {
        let pipeline = ImagePipeline.testing(loader, counter)
        let task = pipeline.imageTask(with: request)
        let load = await loader.load(0)
        for number in 1...1500 {
            load.send(Data(count: 1), of: 1500)
            // One at a time, since progress that waits is told in one go but not dropped.
            try await eventually { task.currentProgress.completed == number || number == 1500 }
        }
        load.end()
        _ = try await task.response
        var all: [Int64] = []
        for await progress in task.progress { all.append(progress.completed) }
        #expect(all == (501...1500).map { Int64($0) })
    }

    @Test func cancellationIsAtOnceAndOnce() async throws {
        let recorder = Recorder()
        let pipeline = ImagePipeline.testing(loader, counter, delegate: recorder)
        let task = pipeline.imageTask(with: request)
        let events = task.events
        let load = await loader.load(0)
        task.cancel()
        task.cancel()
        #expect(task.state == .cancelled)
        let error = await pipelineError { _ = try await task.image }
        if case .cancelled = error {} else { Issue.record("\(String(describing: error))") }
        var last: ImageTask.Event?
        for await event in events { last = event }
        if case .finished(.failure(.cancelled)) = last {} else { Issue.record("\(String(describing: last))") }
        load.answer(Data([1]))
        try await eventually { recorder.all.count >= 3 }
        #expect(recorder.all == ["created", "started", "\(ImagePipeline.Error.cancelled)"])
    }

    @Test func cancellingWhoWaitsCancelsIt() async throws {
        let pipeline = ImagePipeline.testing(loader, counter)
        let task = pipeline.imageTask(with: request)
        let waiting = Task { try await task.image }
        let load = await loader.load(0)
        waiting.cancel()
        try await eventually { load.isCancelled }
        #expect(task.state == .cancelled)
    }

    @Test func aCancelledTaskThatHasEndedStaysCompleted() async throws {
        let pipeline = ImagePipeline.testing(loader, counter)
        let task = pipeline.imageTask(with: request)
        await loader.load(0).answer(Data([1]))
        _ = try await task.image
        task.cancel()
        #expect(task.state == .completed)
        #expect(try await task.image.width == 1)
    }

    @Test func anInvalidatedPipelineCancelsAndRefuses() async throws {
        let pipeline = ImagePipeline.testing(loader, counter)
        let task = pipeline.imageTask(with: request)
        _ = await loader.load(0)
        pipeline.invalidate()
        let first = await pipelineError { _ = try await task.image }
        if case .cancelled = first {} else { Issue.record("\(String(describing: first))") }
        let second = await pipelineError { _ = try await pipeline.image(for: request) }
        if case .pipelineInvalidated = second {} else { Issue.record("\(String(describing: second))") }
    }

    @Test func failuresAreNamed() async throws {
        struct Refusing: ImageProcessing {
            let identifier = "refusing"
            func process(_ image: PlatformImage) -> PlatformImage? { nil }
        }
        let none = ImagePipeline.testing(loader, counter) { $0.makeImageDecoder = { _ in nil } }
        let first = none.imageTask(with: request)
        await loader.load(0).answer(Data([1]))
        let noDecoder = await pipelineError { _ = try await first.image }
        #expect(noDecoder?.description == "No decoders registered for the downloaded data.")

        let counter = counter
        let failing = ImagePipeline.testing(loader, counter) {
            $0.makeImageDecoder = { _ in AnyDecoder(counter: counter, fails: true) }
        }
        let second = failing.imageTask(with: request)
        await loader.load(1).answer(Data([1]))
        let undecodable = await pipelineError { _ = try await second.image }
        #expect(undecodable?.description.hasPrefix("Failed to decode image data using decoder ") == true)

        let pipeline = ImagePipeline.testing(loader, counter)
        var processed = request
        processed.processors = [Mark("a"), Refusing(), Mark("b", counter)]
        let third = pipeline.imageTask(with: processed)
        await loader.load(2).answer(Data([1]))
        let error = await pipelineError { _ = try await third.image }
        #expect(error?.description.hasPrefix("Failed to process the image using processor ") == true)
        guard case .processingFailed(let processor, _, let cause) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(processor.identifier == "refusing")
        #expect(cause is ImageProcessingError)
        #expect(counter["b"] == 0)

        let empty = pipeline.imageTask(with: "http://example.com/empty")
        await loader.load(3).end()
        #expect(
            await pipelineError { _ = try await empty.image }?.description
                == "Data loader returned empty data."
        )
    }

    @Test func imagesOfClosuresAreKeptInMemoryOnly() async throws {
        let cache = DictionaryCache()
        let counter = counter
        let pipeline = ImagePipeline.testing(loader, counter) {
            $0.dataCache = cache
            $0.dataCachePolicy = .storeAll
        }
        let request = ImageRequest(
            id: "mine",
            image: {
                counter.add("closure")
                return ImageContainer(image: PlatformImage(width: 2, height: 1, rgba: Data(count: 8)))
            },
            processors: [Mark("a", counter)]
        )
        #expect(try await pipeline.image(for: request).width == 2)
        let second = try await pipeline.imageTask(with: request).response
        #expect(second.cacheType == .memory)
        #expect(second.container.marks == ["a"])
        #expect(counter["closure"] == 1)
        #expect(cache.keys.isEmpty)
        #expect(loader.count == 0)
    }

    @Test func closuresAreToldTheSame() async throws {
        let pipeline = ImagePipeline.testing(loader, counter)
        let told = Log()
        await withCheckedContinuation { continuation in
            Task {
                pipeline.loadImage(
                    with: request,
                    progress: { _, completed, total in told.add("\(completed)/\(total)") },
                    completion: { result in
                        told.add((try? result.get().image.width).map { "\($0)" } ?? "none")
                        continuation.resume()
                    }
                )
                await loader.load(0).answer(Data(count: 4))
            }
        }
        #expect(told.all == ["4/4", "1"])
        let data: Data? = await withCheckedContinuation { continuation in
            Task {
                var fresh = request
                fresh.options = .reloadIgnoringCachedData
                pipeline.loadData(with: fresh) { continuation.resume(returning: try? $0.get().data) }
                await loader.load(1).answer(Data([5]))
            }
        }
        #expect(data == Data([5]))
    }

    /// Also what waits on the queue already when the task is cancelled there.
    @Test func closuresAreNotCalledAfterACancellation() async throws {
        let pipeline = ImagePipeline.testing(loader, counter)
        let told = Log()
        let queue = DispatchQueue(label: "closures")
        queue.suspend()
        let image = pipeline.loadImage(
            with: request,
            queue: queue,
            progress: { _, _, _ in told.add("progress") },
            completion: { _ in told.add("image") }
        )
        await loader.load(0).answer(Data(count: 4))
        _ = try await image.response
        let data = pipeline.loadData(
            with: "http://example.com/b",
            queue: queue,
            progress: { _, _ in told.add("progress") },
            completion: { _ in told.add("data") }
        )
        await loader.load(1).answer(Data(count: 4))
        _ = try await data.response
        let running = pipeline.loadImage(with: "http://example.com/c") { _ in told.add("running") }
        _ = await loader.load(2)
        let kept = pipeline.loadImage(with: "http://example.com/d", queue: queue, progress: nil) { _ in
            told.add("kept")
        }
        await loader.load(3).answer(Data(count: 4))
        _ = try await kept.response
        for task in [image, data, running] { task.cancel() }
        queue.resume()
        try await eventually { told.all == ["kept"] }
        #expect(image.state == .completed && image.isCancelled && running.state == .cancelled)
    }
}
