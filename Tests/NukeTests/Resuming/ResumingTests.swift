import Foundation
import FoundationNetworking
import Nuke
import TestSupport
import Testing

/// Downloads that broke off go on where they ended.
@Suite("ImagePipeline resumes", .timeLimit(.minutes(10)))
struct ResumingTests {
    private let loader = ManualLoader()
    private let request: ImageRequest = "http://example.com/a.jpg"
    private let headers = ["Accept-Ranges": "bytes", "ETag": "\"v1\""]

    private func partial(_ pipeline: ImagePipeline, _ headers: [String: String]? = nil) async {
        // Counted before the task begins, which may ask for its load at once.
        let next = loader.count
        let task = pipeline.dataTask(with: request)
        let load = await loader.load(next)
        load.send(Data("hello ".utf8), of: 11, headers: headers ?? self.headers)
        load.end(URLError(.networkConnectionLost))
        _ = await pipelineError { _ = try await task.value }
    }

    private func rest(_ range: String, status: Int = 206) -> [String: String] {
        ["Content-Range": "bytes \(range)", "ETag": "\"v1\""]
    }

    @Test func theRestIsAskedForAndPutBehindTheBeginning() async throws {
        let pipeline = ImagePipeline.testing(loader)
        await partial(pipeline)
        let image = pipeline.imageTask(with: request)
        let progress = image.progress
        let load = await loader.load(1)
        #expect(load.request.value(forHTTPHeaderField: "Range") == "bytes=6-")
        #expect(load.request.value(forHTTPHeaderField: "If-Range") == "\"v1\"")
        load.send(Data("world".utf8), of: 5, status: 206, headers: rest("6-10/11"))
        load.end()
        _ = try await image.response
        var all: [ImageTask.Progress] = []
        for await value in progress { all.append(value) }
        #expect(all == [.init(completed: 11, total: 11)])
        // It is used up.
        let again = pipeline.dataTask(with: request)
        let fresh = await loader.load(2)
        #expect(fresh.request.value(forHTTPHeaderField: "Range") == nil)
        fresh.answer(Data("hello world".utf8))
        _ = try await again.value
    }

    @Test func aWholeResponseReplacesTheBeginning() async throws {
        let pipeline = ImagePipeline.testing(loader)
        await partial(pipeline)
        let task = pipeline.dataTask(with: request)
        await loader.load(1).answer(Data("new".utf8))
        #expect(try await task.value.0 == Data("new".utf8))
    }

    @Test(arguments: ["5-10/11", "7-10/11"])
    func aPartThatDoesNotFitIsALieAndTheLoadBeginsAfresh(range: String) async throws {
        let pipeline = ImagePipeline.testing(loader)
        await partial(pipeline)
        let task = pipeline.dataTask(with: request)
        let lie = await loader.load(1)
        lie.send(Data("world".utf8), of: 5, status: 206, headers: rest(range))
        let fresh = await loader.load(2)
        #expect(lie.isCancelled)
        #expect(fresh.request.value(forHTTPHeaderField: "Range") == nil)
        fresh.answer(Data("hello world".utf8))
        #expect(try await task.value.0 == Data("hello world".utf8))
    }

    @Test(arguments: [(5, [:]), (11, ["Content-Range": "bytes 6-10/11"])])
    func aRestThatIsSentAsAWholeIsNone(length: Int, headers: [String: String]) async throws {
        let pipeline = ImagePipeline.testing(loader)
        await partial(pipeline)
        let task = pipeline.dataTask(with: request)
        let lie = await loader.load(1)
        lie.send(Data("world".utf8), of: length, headers: headers)
        let fresh = await loader.load(2)
        #expect(lie.isCancelled)
        #expect(fresh.request.value(forHTTPHeaderField: "Range") == nil)
        fresh.answer(Data("hello world".utf8))
        #expect(try await task.value.0 == Data("hello world".utf8))
    }

    @Test(arguments: [400, 403, 405, 412, 416, 501])
    func aRefusedRangeIsAskedForInFull(status: Int) async throws {
        let pipeline = ImagePipeline.testing(loader)
        await partial(pipeline)
        let task = pipeline.dataTask(with: request)
        await loader.load(1).end(DataLoader.Error.statusCodeUnacceptable(status))
        await loader.load(2).answer(Data("hello world".utf8))
        #expect(try await task.value.0 == Data("hello world".utf8))
    }

    @Test(
        arguments: [
            ["Accept-Ranges": "bytes"], ["ETag": "\"v1\""], ["Accept-Ranges": "none", "ETag": "\"v1\""],
            ["Accept-Ranges": "bytes", "ETag": "W/\"v1\""],
            ["Accept-Ranges": "bytes", "ETag": "\"v1\"", "Content-Encoding": "gzip"],
        ]
    )
    func whatCannotBeResumedIsNot(headers: [String: String]) async throws {
        let pipeline = ImagePipeline.testing(loader)
        await partial(pipeline, headers)
        let task = pipeline.dataTask(with: request)
        let load = await loader.load(1)
        #expect(load.request.value(forHTTPHeaderField: "Range") == nil)
        load.answer(Data([1]))
        _ = try await task.value
    }

    @Test func itCanBeSwitchedOffAndIsNoOtherPipelines() async throws {
        let pipeline = ImagePipeline.testing(loader)
        await partial(pipeline)
        let off = ImagePipeline.testing(loader) { $0.isResumableDataEnabled = false }
        for (number, other) in [off, ImagePipeline.testing(loader)].enumerated() {
            let task = other.dataTask(with: request)
            let load = await loader.load(number + 1)
            #expect(load.request.value(forHTTPHeaderField: "Range") == nil)
            load.answer(Data([1]))
            _ = try await task.value
        }
    }

    @Test func aCancelledLoadIsResumedToo() async throws {
        let pipeline = ImagePipeline.testing(loader)
        let task = pipeline.imageTask(with: request)
        let progress = task.progress
        let load = await loader.load(0)
        load.send(Data("hello ".utf8), of: 11, headers: headers)
        for await _ in progress { break }
        task.cancel()
        try await eventually { load.isCancelled }
        let again = pipeline.dataTask(with: request)
        let rest = await loader.load(1)
        #expect(rest.request.value(forHTTPHeaderField: "Range") == "bytes=6-")
        rest.send(Data("world".utf8), of: 5, status: 206, headers: self.rest("6-10/11"))
        rest.end()
        #expect(try await again.value.0 == Data("hello world".utf8))
    }
}
