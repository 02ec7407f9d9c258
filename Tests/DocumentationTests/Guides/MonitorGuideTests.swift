import LoopbackServer
import Nuke
import Synchronization
import TestSupport
import Testing

/// Somebody watches what the network does.
@Suite("Guide: network monitor", .timeLimit(.minutes(10)))
struct MonitorGuideTests {
    /// The notes that a hand-written monitor takes of each task.
    private final class Monitor: ImagePipelineDelegate {
        private let notes = Mutex<[UInt64: [String]]>([:])

        func notes(of task: ImageTask) -> [String] { notes.withLock { $0[task.taskId] ?? [] } }

        func waitForEnd(of task: ImageTask) async throws -> [String] {
            try await eventually { notes(of: task).last?.hasPrefix("finished") == true }
            return notes(of: task)
        }

        func imageTaskCreated(_ task: ImageTask, pipeline: ImagePipeline) { note("created", task) }

        func imageTask(
            _ task: ImageTask,
            didReceiveEvent event: ImageTask.Event,
            pipeline: ImagePipeline
        ) {
            switch event {
            case .started: note("started", task)
            case .progress(let progress): note("progress \(progress.completed)", task)
            case .preview: note("preview", task)
            case .finished(.success(let response)):
                note("finished from \(response.cacheType.map { "\($0)" } ?? "network")", task)
            case .finished(.failure(.cancelled)): note("finished by cancellation", task)
            case .finished(.failure(let error)): note("finished with \(error)", task)
            }
        }

        private func note(_ text: String, _ task: ImageTask) {
            notes.withLock { $0[task.taskId, default: []].append(text) }
        }
    }

    @Test func hearsOfEachTaskInOrder() async throws {
        let server = try Photographs.server()
        let monitor = Monitor()
        let pipeline = ImagePipeline(delegate: monitor) { $0.imageCache = ImageCache() }
        let loaded = pipeline.imageTask(with: server.url("/photo.jpg"))
        let notes = try await monitor.waitForEnd(of: loaded)
        #expect(notes.prefix(2) == ["created", "started"])
        #expect(notes.last == "finished from network")
        #expect(try notes.dropLast().last == "progress \(Photographs.jpeg().count)")
        let cached = pipeline.imageTask(with: server.url("/photo.jpg"))
        #expect(try await monitor.waitForEnd(of: cached) == ["created", "started", "finished from memory"])
        let missing = pipeline.imageTask(with: server.url("/missing"))
        #expect(try await monitor.waitForEnd(of: missing).last?.contains("404") == true)
        #expect(Set([loaded, cached, missing]).count == 3)
    }

    @Test func hearsOfACancellationOnce() async throws {
        let server = try LoopbackServer { _ in .init(body: .endless(Data(count: 1_000))) }
        let monitor = Monitor()
        let pipeline = ImagePipeline(delegate: monitor) { $0.imageCache = nil }
        let task = pipeline.imageTask(with: server.url("/endless"))
        _ = await server.requests(atLeast: 1)
        task.cancel()
        task.cancel()
        let notes = try await monitor.waitForEnd(of: task)
        #expect(notes.count { $0.hasPrefix("finished") } == 1)
        #expect(notes.last == "finished by cancellation")
        #expect(task.state == .cancelled)
    }

    @Test func logsTransfersOfAPipeline() async throws {
        let server = try LoopbackServer { request in
            switch request.path {
            case "/moved": .redirect(to: "/photo.jpg")
            case "/photo.jpg": .data(Data("not a photo".utf8), type: "image/jpeg")
            default: .status(410)
            }
        }
        let log = NetworkLog()
        var configuration = CurlDataLoader.Configuration()
        configuration.observer = log.observer
        let loader = log.watching(CurlDataLoader(configuration: configuration), reportsTransfers: true)
        let pipeline = ImagePipeline { $0.dataLoader = loader }
        var request = URLRequest(url: server.url("/moved?key=secret"))
        request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
        _ = try await pipeline.data(for: ImageRequest(urlRequest: request))
        _ = try? await pipeline.data(for: server.url("/gone"))
        #expect(log.entries.map(\.status) == [302, 200, 410])
        #expect(log.entries.map(\.redirects) == [0, 1, 0])
        let archive = String(decoding: try log.har(), as: UTF8.self)
        #expect(!archive.contains("secret"))
        #expect(archive.contains("\"version\":\"1.2\""))
    }

    /// A delegate of the session, as monitors of third parties are.
    private final class SessionMonitor: NSObject, URLSessionDataDelegate, Sendable {
        private let counts = Mutex((bytes: 0, ends: 0))
        var bytes: Int { counts.withLock { $0.bytes } }
        var ends: Int { counts.withLock { $0.ends } }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            counts.withLock { $0.bytes += data.count }
        }

        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            didCompleteWithError error: (any Error)?
        ) {
            counts.withLock { $0.ends += 1 }
        }
    }

    @Test func aDelegateOfTheSessionHearsOfItsTasks() async throws {
        let server = try Photographs.server()
        let monitor = SessionMonitor()
        let dataLoader = DataLoader()
        dataLoader.delegate = monitor
        let pipeline = ImagePipeline { $0.dataLoader = dataLoader }
        let (data, _) = try await pipeline.data(for: server.url("/photo.jpg"))
        #expect(monitor.bytes == data.count)
        #expect(monitor.ends == 1)
    }
}
