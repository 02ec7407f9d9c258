import Foundation
import JobFixtures
import JobManifest
import LoopbackServer
import Originals
import TestSupport
import Testing

@testable import NukeBatch

/// Originals that wait for the disk, which a kill would have loaded again.
@Suite(.timeLimit(.minutes(10))) struct UnstoredOriginalsTests {
    @Test("as many unstored originals as the limit hold transfers back", arguments: [1, 3])
    func limit(count: Int) {
        let transfers = OperationQueue()
        let limits = LoadBackpressure.Limits(
            bytes: 100,
            fileBytes: 100,
            receivedBytes: 100,
            count: 10,
            unstored: count
        )
        let backpressure = LoadBackpressure(transfers, limits)
        for number in 1...count {
            backpressure.count(complete: 1)
            #expect(transfers.isSuspended == (number == count))
        }
        backpressure.count(complete: -1)
        #expect(!transfers.isSuspended)
    }

    @Test("active transfers and unstored originals together are at most twice `loading.concurrency`")
    func bound() async throws {
        let server = try LoopbackServer { _ in .data(Data([1])) }
        let job = try RunningJob(
            """
            {"sources": [{"urls": ["\(server.address)/1.png"]}], "network": {"allow": ["127.0.0.1"]},
             "cache": {"directory": "cache"},
             "loading": {"concurrency": 4, "perHost": 1000, "rate": "100000/s", "burst": 100000}}
            """
        )
        let loader = try OriginalLoader(job.context())
        let cache = try #require(loader.cache)
        cache.queue.suspend()
        let loads = (0..<64).map { number in
            // Only whether it came: the original itself holds room until it is released.
            Task { (try? await loader.load("\(server.address)/\(number).png")) != nil }
        }
        let transfers = loader.fetcher.configuration.slots
        try await eventually { transfers.isSuspended && transfers.operations.allSatisfy { !$0.isExecuting } }
        let requested = Set(server.requests.map(\.path)).count
        #expect((4...8).contains(requested))
        cache.queue.resume()
        for load in loads { #expect(await load.value) }
        #expect(Set(server.requests.map(\.path)).count == 64)
        loader.close()
    }
}
