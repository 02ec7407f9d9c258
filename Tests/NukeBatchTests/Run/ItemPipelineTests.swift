import Foundation
import JobFixtures
import JobManifest
import JobStorage
import LoopbackServer
import Originals
import TestSupport
import Testing

@testable import NukeBatch

@Suite(.timeLimit(.minutes(10))) struct ItemPipelineTests {
    private static let outputs = #"""
        [{"name": "small", "format": "jpeg", "processors": [{"resize": {"width": 2}}]},
         {"name": "web", "format": "png"}]
        """#

    private func job(outputs: String = Self.outputs, more: String = "") throws -> RunningJob {
        try RunningJob(
            """
            {"sources": [{"urls": ["https://a.example/1.jpg"]}], "cache": {"directory": "cache"},
             "network": {"allow": ["127.0.0.1"]}, "outputs": \(outputs)\(more)}
            """
        )
    }

    /// A server that answers every request with `data`.
    private func server(
        _ data: Data,
        headers: [(name: String, value: String)] = []
    ) throws -> LoopbackServer {
        try LoopbackServer { _ in LoopbackServer.Response(headers: headers, body: .data(data)) }
    }

    private func error(_ result: Result<ItemOutcome, ItemError>) -> ItemError? {
        if case .failure(let error) = result { error } else { nil }
    }

    @Test("an item leaves its host with its original, and its outputs are made of that")
    func whole() async throws {
        let job = try job()
        defer { withExtendedLifetime(job) {} }
        let data = try pngFile(4, 2)
        let file = try job.files.folder.write(data, to: "1.png")
        let destination = FakeDestination()
        let test = try TestPipeline(job, destination)
        defer { test.loader.close() }
        let item = try #require(try await job.claim(urls: ["file://\(file)"]).first)
        test.pipeline.hosts.add(item)
        let outcome = try await test.run(item).get()
        #expect(test.pipeline.hosts.left.isEmpty && test.pipeline.hosts.inFlight == 1)
        #expect(destination.writes.all == [["small", "web"]])
        #expect(outcome.outputs.map(\.width) == [2, 4])
        #expect(outcome.original.source == .file && outcome.original.cacheKey == nil)
        #expect(outcome.original.data == data)
        #expect(outcome.facts == nil && outcome.reused.isEmpty && outcome.isDone)
    }

    @Test("what is there is not made again, and an original of which all is there is not decoded")
    func reused() async throws {
        let job = try job()
        defer { withExtendedLifetime(job) {} }
        let files = [
            try job.files.folder.write(pngFile(4, 2), to: "1.png"),
            try job.files.folder.write("no image", to: "2.png"),
        ]
        let items = try await job.claim(urls: files.map { "file://\($0)" })
        let some = FakeDestination(existing: ["small"])
        let first = try TestPipeline(job, some)
        let made = try await first.run(items[0]).get()
        first.loader.close()
        #expect(some.writes.all == [["web"]])
        #expect(made.outputs.map(\.name) == ["web"] && made.reused.map(\.name) == ["small"])
        let all = FakeDestination(existing: ["small", "web"])
        let second = try TestPipeline(job, all)
        let none = try await second.run(items[1]).get()
        second.loader.close()
        #expect(none.outputs.isEmpty && none.reused.map(\.name) == ["small", "web"])
        #expect(none.isDone)
    }

    @Test("a file that is missing, or not below the roots, is the item's error")
    func files() async throws {
        let job = try job()
        defer { withExtendedLifetime(job) {} }
        let destination = FakeDestination()
        let test = try TestPipeline(job, destination)
        defer { test.loader.close() }
        let items = try await job.claim(
            urls: ["file://\(job.files.folder.path("gone.png"))", "file:///etc/passwd"]
        )
        #expect(await error(test.run(items[0]))?.code == .notFound)
        #expect(await error(test.run(items[1]))?.code == .address)
        #expect(destination.writes.all.isEmpty)
    }

    @Test("an item that crashed a run is left to the sandbox, any other is rendered here", arguments: [0, 1])
    func suspects(crashes: Int) async throws {
        let job = try job()
        defer { withExtendedLifetime(job) {} }
        let file = try job.files.folder.write(pngFile(4, 2), to: "1.png")
        // No child can be started with this program.
        let program = [job.files.folder.path("missing")]
        let test = try TestPipeline(job, FakeDestination(), program: program)
        defer { test.loader.close() }
        try job.plan([NewItem(ordinal: 1, url: "file://\(file)", host: "a.example")])
        var items: [Int64] = []
        try job.reader.forEachItem { items.append($0.itemID) }
        for _ in 0..<crashes { try job.store.addCrash(to: items) }
        let item = try #require(try await job.store.claim(limit: 1).first)
        let expected: ErrorCode? = crashes == 0 ? nil : .local
        #expect(await error(test.run(item))?.code == expected)
    }

    @Test("an original that is no image does not stay in the cache")
    func noImage() async throws {
        let server = try server(Data("no image".utf8))
        let job = try job()
        defer { withExtendedLifetime((job, server)) {} }
        let test = try TestPipeline(job, FakeDestination())
        defer { test.loader.close() }
        let item = try #require(try await job.claim(urls: [server.address + "/1.png"]).first)
        #expect(await error(test.run(item))?.code == .wrongType)
        #expect(test.loader.cache?.containsData(for: item.url) == false)
        #expect(await error(test.run(item))?.code == .wrongType)
        #expect(server.requests.count == 2)
    }

    @Test("an original whose outputs cannot be written stays in the cache, and is not loaded again")
    func writeFails() async throws {
        let server = try server(pngFile(4, 2))
        let job = try job()
        defer { withExtendedLifetime((job, server)) {} }
        let failure = itemError("local", "the disk is full", handling: .local)
        let test = try TestPipeline(job, FakeDestination(failure: failure))
        defer { test.loader.close() }
        let item = try #require(try await job.claim(urls: [server.address + "/1.png"]).first)
        #expect(await error(test.run(item))?.message == "the disk is full")
        #expect(await error(test.run(item))?.handling == .local)
        #expect(server.requests.count == 1)
    }

    @Test("a manifest without outputs keeps the original, pinned for the job")
    func warming() async throws {
        let server = try server(pngFile(4, 2))
        let job = try job(outputs: "[]")
        defer { withExtendedLifetime((job, server)) {} }
        let test = try TestPipeline(job, nil)
        defer { test.loader.close() }
        let item = try #require(try await job.claim(urls: [server.address + "/1.png"]).first)
        let outcome = try await test.run(item).get()
        #expect(outcome.outputs.isEmpty && outcome.original.source == .network)
        let cache = try #require(test.loader.cache)
        #expect(cache.containsData(for: item.url))
        #expect(try cache.pins().owners == [job.path])
        #expect(try await test.run(item).get().original.source == .cache)
        #expect(server.requests.count == 1)
    }

    @Test("an origin that opts out of datasets has its images skipped, where the manifest honours it")
    func optOut() async throws {
        let server = try server(pngFile(4, 2), headers: [("X-Robots-Tag", "noai")])
        let job = try job(more: #", "dataset": {}"#)
        defer { withExtendedLifetime((job, server)) {} }
        let destination = FakeDestination()
        let test = try TestPipeline(job, destination)
        defer { test.loader.close() }
        let item = try #require(try await job.claim(urls: [server.address + "/1.png"]).first)
        let outcome = try await test.run(item).get()
        #expect(outcome.outputs.map(\.reason) == ["opt_out", "opt_out"])
        #expect(destination.writes.all.isEmpty)
        let result = outcome.result(attempt: nil)
        #expect(result.outcome == .skipped(reason: "opt_out"))
    }
}
