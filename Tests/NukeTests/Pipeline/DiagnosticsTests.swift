import Foundation
import LoopbackServer
import Nuke
import TestSupport
import Testing

/// The records of tasks, and their numbers in a network log.
@Suite(.timeLimit(.minutes(10)))
struct DiagnosticsTests {
    private let request: ImageRequest = "http://example.com/a.jpg?token=secret"

    private func pipeline(_ loader: any DataLoading = QueuedLoader(), _ cache: (any DataCaching)? = nil)
        -> ImagePipeline
    {
        ImagePipeline.testing(loader) {
            $0.isDiagnosticsEnabled = true
            $0.dataCache = cache
        }
    }

    @Test func nothingIsRecordedWithoutThem() async throws {
        let pipeline = ImagePipeline.testing(QueuedLoader())
        #expect(!pipeline.diagnostics.isEnabled && !pipeline.configuration.isDiagnosticsEnabled)
        pipeline.diagnostics.isEnabled = true
        #expect(!pipeline.diagnostics.isEnabled, "the configuration has turned them off")
        let task = pipeline.imageTask(with: request)
        _ = try await task.response
        #expect(task.metrics == nil)
    }

    @Test func aLoadIsRecorded() async throws {
        let cache = DictionaryCache()
        let pipeline = pipeline(QueuedLoader(), cache)
        var request = request
        request.processors = [Mark("a")]
        request.userInfo[.labelKey] = "cover"
        let task = pipeline.imageTask(with: request)
        let stream = task.events
        _ = try await task.response
        let metrics = try #require(task.metrics)
        #expect(metrics.outcome == .success && metrics.error == nil && metrics.source == .network)
        #expect(
            metrics.taskID == task.taskId && metrics.pipelineID == pipeline.id && metrics.label == "cover"
        )
        #expect(metrics.request.processors == ["mark/a"] && metrics.request.priority == .normal)
        #expect(metrics.request.url?.contains("secret") == false && !metrics.description.contains("secret"))
        #expect(!metrics.isCoalesced && metrics.sharedTaskIDs.isEmpty)
        #expect(
            metrics.jobs.map(\.kind) == [.loadImage, .loadImage, .fetchOriginalImage, .fetchOriginalData]
        )
        #expect(
            metrics.jobs.allSatisfy {
                $0.taskIDs == [task.taskId] && $0.outcome == .success && $0.joinedAt == nil
            }
        )
        #expect(metrics.jobs.map(\.parentID) == [nil] + metrics.jobs.dropLast().map(\.id))
        let stages = metrics.jobs.flatMap(\.stages)
        #expect(
            stages.map(\.kind)
                == [.memoryLookup, .diskLookup, .process, .memoryLookup, .diskLookup, .decode, .download]
        )
        #expect(stages.filter { $0.kind == .diskLookup }.allSatisfy { $0.result == .miss })
        #expect(stages.allSatisfy { $0.duration != nil && $0.attributedDuration ?? -1 >= 0 })
        #expect(metrics.bytes ?? 0 > 0 && metrics.image?.width == 1 && metrics.image?.memoryCost == 4)
        let started = try #require(metrics.startedAt)
        #expect(metrics.createdAt <= started && started <= metrics.endedAt && metrics.duration >= 0)
        for await event in stream {
            if case .finished = event { #expect(task.metrics === metrics) }
        }
        // It can be encoded, and is the same afterwards.
        let data = try JSONEncoder().encode(metrics)
        let read = try JSONDecoder().decode(ImageTask.Metrics.self, from: data)
        #expect(read.description == metrics.description && read.schemaVersion == 1)
        #expect(metrics.description.hasPrefix("ImageTask \(task.taskId): success after "))

        let again = pipeline.imageTask(with: request)
        _ = try await again.response
        #expect(again.metrics?.source == .memory && again.metrics?.jobs.count == 1)
        #expect(again.metrics?.jobs.first?.stages.map(\.result) == [.hit])
        request.options = [.disableMemoryCacheReads]
        let third = pipeline.imageTask(with: request)
        _ = try await third.response
        #expect(third.metrics?.source == .disk)
    }

    @Test func sharedWorkHasOneNumber() async throws {
        let loader = ManualLoader()
        let pipeline = pipeline(loader)
        let first = pipeline.imageTask(with: request)
        let load = await loader.load(0)
        let second = pipeline.imageTask(with: request)
        second.priority = .veryHigh
        try await eventually { load.request.url != nil && second.status.priority == .veryHigh }
        // It has joined once its own first event has come.
        try await joined(second, load)
        load.end()
        _ = try await (first.response, second.response)
        let (one, two) = (try #require(first.metrics), try #require(second.metrics))
        #expect(!one.isCoalesced && two.isCoalesced)
        #expect(one.jobs.map(\.id) == two.jobs.map(\.id))
        #expect(two.jobs.allSatisfy { $0.createdByTaskID == first.taskId && $0.joinedAt != nil })
        #expect(two.sharedTaskIDs == [first.taskId] && one.sharedTaskIDs == [second.taskId])
        #expect(two.priorityHistory.map(\.priority) == [.veryHigh])
        #expect(loader.count == 1)
    }

    private func joined(_ task: ImageTask, _ load: ManualLoader.Load) async throws {
        for _ in 0..<1000 where task.currentProgress.completed == 0 {
            load.send(Data([1]), of: 100_000)
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(task.currentProgress.completed > 0)
    }

    @Test func failuresAndCancellationsAreRecorded() async throws {
        let loader = ManualLoader()
        let pipeline = pipeline(loader)
        let failing = pipeline.imageTask(with: request)
        await loader.load(0).end(URLError(.timedOut))
        _ = try? await failing.response
        let failed = try #require(failing.metrics)
        #expect(
            failed.outcome == .failure && failed.error?.code == "dataLoadingFailed" && failed.source == nil
        )
        #expect(failed.jobs.last?.outcome == .failure && failed.image == nil)
        let cancelled = pipeline.imageTask(with: "http://example.com/b")
        _ = await loader.load(1)
        cancelled.cancel()
        try await eventually { cancelled.metrics != nil }
        #expect(cancelled.metrics?.outcome == .cancelled && cancelled.metrics?.error == nil)
        #expect(cancelled.metrics?.startedAt != nil)
        pipeline.invalidate()
        let refused = pipeline.imageTask(with: request)
        _ = try? await refused.response
        #expect(
            refused.metrics?.error?.code == "pipelineInvalidated" && refused.metrics?.jobs.isEmpty == true
        )
    }

    @Test func theSwitchAppliesToTasksThatStartLater() async throws {
        let pipeline = pipeline()
        pipeline.diagnostics.isEnabled = false
        let first = pipeline.imageTask(with: "http://example.com/1")
        _ = try await first.response
        pipeline.diagnostics.isEnabled = true
        #expect(pipeline.diagnostics.isEnabled)
        let second = pipeline.imageTask(with: "http://example.com/2")
        _ = try await second.response
        #expect(first.metrics == nil && second.metrics?.jobs.count == 3)
    }

    @Test func sourcesAreTold() async throws {
        let pipeline = pipeline()
        let data = try #require(ImageEncoders.Default().encode(MadeImages.plain(2, 2)))
        let sources: [(ImageRequest, ImagePipeline.Diagnostics.Source)] = [
            (ImageRequest(id: "a", data: { data }), .closure),
            (ImageRequest(id: "b", image: { ImageContainer(image: PlatformImage()) }), .closure),
            (ImageRequest(url: URL(string: "data:;base64,\(data.base64EncodedString())")), .file),
        ]
        for (request, source) in sources {
            let task = pipeline.imageTask(with: request)
            _ = try await task.response
            #expect(task.metrics?.source == source)
            #expect(task.metrics?.jobs.last?.stages.last?.source == source)
            #expect(task.metrics?.networkLogRequests == [])
        }
    }

    /// The number of a download is that of its entries in the log, whoever writes them.
    @Test(arguments: [true, false])
    func aNetworkLogHasTheSameNumber(isWatched: Bool) async throws {
        let png = try #require(ImageEncoders.Default().encode(MadeImages.plain(2, 2)))
        let server = try LoopbackServer { request in
            request.path == "/moved.png" ? .redirect(to: "/a.png") : .data(png, type: "image/png")
        }
        let log = NetworkLog()
        var configuration = CurlDataLoader.Configuration()
        configuration.observer = log.observer
        let curl = CurlDataLoader(configuration: configuration)
        let loader = isWatched ? log.watching(curl, reportsTransfers: true) : curl
        let pipeline = ImagePipeline {
            $0.dataLoader = loader
            $0.imageCache = nil
            $0.isDiagnosticsEnabled = true
        }
        for path in ["/a.png", "/moved.png"] {
            let task = pipeline.imageTask(with: server.url(path))
            _ = try await task.response
            let metrics = try #require(task.metrics)
            let number = try #require(metrics.networkLogRequests.first)
            let entries = log.entries.filter { $0.request == number }
            #expect(entries.count == (path == "/a.png" ? 1 : 2))
            #expect(entries.last?.responseBodyBytes == metrics.bytes.map(Int.init))
            #expect(metrics.jobs.last?.stages.last?.statusCode == 200)
        }
    }

    /// The variable is read in a process of its own.
    @Test func theEnvironmentTurnsThemOn() async {
        await #expect(processExitsWith: .success) {
            setenv("NUKE_DIAGNOSTICS_ENABLED", "1", 1)
            #expect(ImagePipeline.Diagnostics.isEnabledByEnvironment)
            #expect(ImagePipeline.Configuration(dataLoader: CurlDataLoader()).isDiagnosticsEnabled)
        }
        await #expect(processExitsWith: .success) {
            setenv("NUKE_DIAGNOSTICS_ENABLED", "No", 1)
            #expect(!ImagePipeline.Configuration(dataLoader: CurlDataLoader()).isDiagnosticsEnabled)
        }
    }
}
