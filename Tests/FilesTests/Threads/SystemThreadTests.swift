import Foundation
import Testing

@testable import Files

@Suite(.timeLimit(.minutes(10))) struct SystemThreadTests {
    @Test("a thread runs its work and has its name")
    func start() async throws {
        let name = try await withCheckedThrowingContinuation { continuation in
            do {
                try SystemThread.start("a-name-of-many-bytes") {
                    let text = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
                    continuation.resume(returning: text)
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(name == "a-name-of-many-\n")
    }

    @Test("a system without room for threads is reported")
    func noRoom() {
        let error = FileError("start", "the thread database", code: EAGAIN)
        #expect(error.isLocalTrouble)
        #expect(error.description.contains("ulimit -u, pids.max"))
    }

    @Test("a semaphore counts its signals, and a wait ends at its time limit")
    func semaphore() {
        let semaphore = TimedSemaphore()
        semaphore.signal()
        semaphore.signal()
        semaphore.wait()
        #expect(semaphore.wait(seconds: 60))
        let start = ContinuousClock.now
        #expect(!semaphore.wait(seconds: 0.01))
        #expect(ContinuousClock.now - start >= .milliseconds(10))
        #expect(!semaphore.wait(seconds: -1))
    }

    @Test("a repeated action ends when it is stopped")
    func periodic() async throws {
        let (calls, call) = AsyncStream<Void>.makeStream()
        let thread = try PeriodicThread("periodic", every: 0.001) { call.yield() }
        var iterator = calls.makeAsyncIterator()
        await iterator.next()
        await iterator.next()
        thread.stop()
    }
}
