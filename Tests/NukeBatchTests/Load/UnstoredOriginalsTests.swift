import Foundation
import Nuke
import TestSupport
import Testing

@testable import NukeBatch

/// Originals that wait for the disk, at the backpressure on loading.
@Suite(.timeLimit(.minutes(10))) struct UnstoredOriginalsTests {
    private let images = ImagePipeline(configuration: ImagePipeline.Configuration())
    private let folder: TemporaryFolder
    private let cache: DataCache

    init() throws {
        folder = try TemporaryFolder()
        cache = try DataCache(path: URL(fileURLWithPath: folder.path("cache")))
    }

    private var isHeld: Bool { images.configuration.dataLoadingQueue.isSuspended }

    private func backpressure(maxCount: Int = 10, maxUnstored: Int) -> LoadBackpressure {
        LoadBackpressure(images, maxBytes: 100, maxCount: maxCount, maxUnstored: maxUnstored)
    }

    @Test("as many unstored originals as the limit hold transfers back, and not readers", arguments: [1, 3])
    func limit(count: Int) async throws {
        let backpressure = backpressure(maxUnstored: count)
        // With a limit above one, the rest may be on its way still.
        for round in 0..<(count == 1 ? 2 : 1) {
            cache.queue.suspend()
            var held: [Bool] = []
            for number in 0..<count {
                let key = "\(round) \(number)"
                cache.storeData(Data(key.utf8), for: key)
                backpressure.store(key, in: cache)
                held.append(isHeld)
            }
            let hasRoom = backpressure.hasRoom
            cache.queue.resume()
            #expect(held == Array(repeating: false, count: count - 1) + [true])
            #expect(hasRoom)
            // One that is durable is enough.
            try await eventually { !isHeld }
            for number in 0..<count { try await cache.waitUntilStored("\(round) \(number)") }
        }
    }

    @Test("an original that nobody stores is settled at once")
    func settled() {
        let backpressure = backpressure(maxUnstored: 1)
        for key in ["a", "b", ""] {
            backpressure.store(key, in: cache)
            #expect(!isHeld)
        }
    }

    @Test("an original that reaches the disk makes no room in memory")
    func memory() async throws {
        let backpressure = backpressure(maxCount: 1, maxUnstored: 5)
        let first = Holder(backpressure.enter(1))
        let readers = (0..<2).map { _ in Task.immediate { await backpressure.waitForRoom() } }
        first.release()
        await readers[0].value
        backpressure.store("a", in: cache)
        // The second reader is still in line.
        #expect(!backpressure.hasRoom)
        let second = Holder(backpressure.enter(1))
        second.release()
        await readers[1].value
        #expect(backpressure.hasRoom)
    }
}
