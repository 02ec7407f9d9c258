import Foundation
import FoundationNetworking
import Nuke
import Synchronization
import TestSupport
import Testing

/// A loader whose loads the test itself answers, chunk by chunk.
final class ManualLoader: DataLoading {
    /// One load that the pipeline asked for.
    final class Load: Cancellable {
        let request: URLRequest
        private let didReceive: @Sendable (Data, URLResponse) -> Void
        private let completion: @Sendable ((any Error)?) -> Void
        private let cancelled = Atomic(false)

        init(
            _ request: URLRequest,
            didReceive: @escaping @Sendable (Data, URLResponse) -> Void,
            completion: @escaping @Sendable ((any Error)?) -> Void
        ) {
            self.request = request
            self.didReceive = didReceive
            self.completion = completion
        }

        var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

        func cancel() { cancelled.store(true, ordering: .releasing) }

        func send(_ chunk: Data, of total: Int, status: Int = 200, headers: [String: String] = [:]) {
            guard let url = request.url else { return }
            let fields = headers.merging(["Content-Length": "\(total)"]) { first, _ in first }
            guard
                let response = HTTPURLResponse(
                    url: url,
                    statusCode: status,
                    httpVersion: "HTTP/1.1",
                    headerFields: fields
                )
            else { return }
            didReceive(chunk, response)
        }

        func end(_ error: (any Error)? = nil) { completion(error) }

        func answer(_ data: Data) {
            send(data, of: data.count)
            end()
        }
    }

    private let loads = Mutex<[Load]>([])

    func loadData(
        with request: URLRequest,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) -> any Cancellable {
        let load = Load(request, didReceive: didReceiveData, completion: completion)
        loads.withLock { $0.append(load) }
        return load
    }

    var count: Int { loads.withLock { $0.count } }

    /// The load of this number, from 0, once it was asked for; one that does nothing if the test's time is over.
    func load(_ number: Int) async -> Load {
        var looks = 0
        while true {
            if let load = loads.withLock({ $0.indices.contains(number) ? $0[number] : nil }) { return load }
            if Task.isCancelled {
                Issue.record("load \(number) was never asked for")
                return Load(
                    URLRequest(url: URL(filePath: "/")),
                    didReceive: { _, _ in },
                    completion: { _ in }
                )
            }
            looks += 1
            // What takes long is looked for now and then: the processor is for those that this waits for.
            if looks < 100 { await Task.yield() } else { try? await Task.sleep(for: .milliseconds(1)) }
        }
    }
}

/// Counts what happens, from any thread.
final class Counter: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    func add(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }

    subscript(name: String) -> Int { counts.withLock { $0[name] ?? 0 } }
}

/// Writes down what happens in its order, from any thread.
final class Log: Sendable {
    private let entries = Mutex<[String]>([])

    func add(_ entry: String) { entries.withLock { $0.append(entry) } }

    var all: [String] { entries.withLock { $0 } }
}

/// Leaves its name in the image's user info, and counts itself.
struct Mark: ImageProcessing, Hashable {
    let name: String
    let counter: Counter

    init(_ name: String, _ counter: Counter = Counter()) {
        self.name = name
        self.counter = counter
    }

    var identifier: String { "mark/" + name }

    func process(_ image: PlatformImage) -> PlatformImage? { image }

    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        counter.add(name)
        var container = container
        container.userInfo["marks"] = container.marks + [name]
        return container
    }

    static func == (one: Mark, other: Mark) -> Bool { one.name == other.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension ImageContainer {
    /// The names of the processors that were applied, in order.
    var marks: [String] { userInfo["marks"] as? [String] ?? [] }
}

/// Takes any data for an image of one pixel, and counts itself.
struct AnyDecoder: ImageDecoding {
    let counter: Counter
    var isAsynchronous = true
    var fails = false

    func decode(_ data: Data) throws -> ImageContainer {
        counter.add("decode")
        if fails { throw ImageDecodingError.unknown }
        return ImageContainer(image: PlatformImage(width: 1, height: 1, rgba: Data([1, 2, 3, 255])))
    }

    func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? {
        counter.add("preview")
        return ImageContainer(image: PlatformImage(width: 1, height: 1, rgba: Data([9, 9, 9, 255])))
    }
}

/// A data cache that can be looked into.
final class DictionaryCache: DataCaching {
    private let entries = Mutex<[String: Data]>([:])

    func cachedData(for key: String) -> Data? { entries.withLock { $0[key] } }
    func containsData(for key: String) -> Bool { entries.withLock { $0[key] != nil } }
    func storeData(_ data: Data, for key: String) { entries.withLock { $0[key] = data } }
    func removeData(for key: String) { entries.withLock { $0[key] = nil } }
    func removeAll() { entries.withLock { $0 = [:] } }

    var keys: Set<String> { entries.withLock { Set($0.keys) } }

    /// Waits until it has so many entries.
    func waits(for count: Int) async throws { try await eventually { keys.count >= count } }
}

extension OperationQueue {
    /// Waits until a task has joined the work of an operation here: its priority reaches the operation, and goes again.
    func waitUntilJoined(by setPriority: (ImageRequest.Priority) -> Void) async throws {
        setPriority(.veryHigh)
        try await eventually { operations.contains { $0.queuePriority == .veryHigh } }
        setPriority(.normal)
        try await eventually { !operations.contains { $0.queuePriority == .veryHigh } }
    }
}

extension ImagePipeline {
    /// A pipeline over a loader, with caches and a decoder that counts, of its own.
    static func testing(
        _ loader: any DataLoading,
        _ counter: Counter = Counter(),
        delegate: (any Delegate)? = nil,
        configure: (inout Configuration) -> Void = { _ in }
    ) -> ImagePipeline {
        var configuration = Configuration(dataLoader: loader)
        configuration.imageCache = ImageCache()
        configuration.makeImageDecoder = { _ in AnyDecoder(counter: counter) }
        configuration.makeImageEncoder = { _ in AnyEncoder() }
        configuration.isRateLimiterEnabled = false
        configure(&configuration)
        return ImagePipeline(configuration: configuration, delegate: delegate)
    }
}

/// Writes "encoded".
struct AnyEncoder: ImageEncoding {
    func encode(_ image: PlatformImage) -> Data? { Data("encoded".utf8) }
}

/// Returns the pipeline error that an async call throws.
func pipelineError(_ body: () async throws -> Void) async -> ImagePipeline.Error? {
    do {
        try await body()
        return nil
    } catch {
        return error as? ImagePipeline.Error
    }
}
