import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Files

@Suite(.timeLimit(.minutes(10))) struct WriteQueueTests {
    private let temporary: TemporaryFolder
    private let folder: Folder

    init() throws {
        temporary = try TemporaryFolder()
        folder = try Folder(path: temporary.path)
    }

    private func job(_ name: String, in folder: Folder) -> WriteJob {
        WriteJob(payload: Payload(Data()), name: name, folder: folder, replaces: true) { _ in }
    }

    @Test("a batch has at most 128 files, in the order in which they came")
    func batchSize() throws {
        let queue = WriteQueue()
        for number in 0..<300 { queue.add(job("\(number)", in: folder)) }
        var names: [[String]] = []
        for _ in 0..<3 {
            // The delay would outlast the test: a full batch must not wait, and the stop ends the last wait.
            if names.count == 2 { queue.stop() }
            names.append(try #require(queue.take(delay: 600)).map(\.name))
            queue.passTurn()
        }
        #expect(names.map(\.count) == [128, 128, 44])
        #expect(names.flatMap { $0 } == (0..<300).map { "\($0)" })
        #expect(queue.take(delay: 600) == nil)
        #expect(queue.take(delay: 600) == nil)
    }

    @Test("a batch has files of one file system, and the others come next")
    func fileSystems() throws {
        let (one, other) = (try TemporaryFolder(), try TemporaryFolder(in: "/dev/shm"))
        let folders = [try Folder(path: one.path), try Folder(path: other.path)]
        try #require(folders[0].device != folders[1].device)
        let queue = WriteQueue()
        for number in 0..<6 { queue.add(job("\(number)", in: folders[number % 2])) }
        for expected in [["0", "2", "4"], ["1", "3", "5"]] {
            #expect(try #require(queue.take(delay: 0)).map(\.name) == expected)
            queue.passTurn()
        }
    }

    @Test("files that come within the delay join the batch")
    func delay() async throws {
        let queue = WriteQueue()
        let names = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: queue.take(delay: 600)?.map(\.name))
            }
            queue.add(job("first", in: folder))
            for number in 1..<128 { queue.add(job("\(number)", in: folder)) }
        }
        // A semaphore must not be freed with its turn taken.
        queue.passTurn()
        #expect(names?.count == 128)
        #expect(names?.first == "first")
    }

    @Test("one thread at a time collects, and the next one when the turn is passed")
    func turns() async throws {
        let queue = WriteQueue()
        queue.add(job("one", in: folder))
        #expect(queue.take(delay: 0)?.count == 1)
        let isPassed = Mutex(false)
        let sawPass = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let batch = queue.take(delay: 0)
                continuation.resume(returning: isPassed.withLock { $0 } && batch?.map(\.name) == ["two"])
            }
            queue.add(job("two", in: folder))
            isPassed.withLock { $0 = true }
            queue.passTurn()
        }
        queue.passTurn()
        #expect(sawPass)
    }

    @Test("the stop ends every thread, after the last file")
    func stop() async throws {
        let queue = WriteQueue()
        let total = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread {
                            var count = 0
                            while let batch = queue.take(delay: 0.001) {
                                count += batch.count
                                queue.passTurn()
                            }
                            continuation.resume(returning: count)
                        }
                    }
                }
            }
            for number in 0..<500 { queue.add(job("\(number)", in: folder)) }
            queue.stop()
            return await group.reduce(0, +)
        }
        #expect(total == 500)
    }
}
