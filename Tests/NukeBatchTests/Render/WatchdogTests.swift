import Files
import Foundation
import Originals
import Synchronization
import TestSupport
import Testing

@testable import NukeBatch

@Suite(.timeLimit(.minutes(10))) struct WatchdogTests {
    private struct Fault: Error {}

    private let queue = WorkQueue(name: "test", width: 1)
    private let watchdog = Watchdog()

    @Test("a stage has ten seconds, and one more for each megabyte")
    func seconds() {
        let bytes = [0, 999_999, 1_000_000, 2_500_000, 1_000_000_000]
        #expect(bytes.map(Watchdog.seconds) == [10, 10, 11, 12, 1010])
    }

    @Test("work that ends in time has its own end")
    func ends() async throws {
        #expect(try await watchdog.run(within: 86_400, on: queue) { 7 } == 7)
        await #expect(throws: Fault.self) {
            try await watchdog.run(within: 86_400, on: queue) { throw Fault() }
        }
        #expect(queue.queue.maxConcurrentOperationCount == 1)
    }

    @Test("work that does not end is given up, and its thread is replaced until it comes back")
    func expires() async throws {
        let lost = DispatchSemaphore(value: 0)
        let error = await #expect(throws: StageTimeout.self) {
            try await watchdog.run(within: 0, on: queue) { lost.wait() }
        }
        #expect(error?.seconds == 0)
        #expect(queue.queue.maxConcurrentOperationCount == 2)
        // The other thread works on.
        #expect(try await watchdog.run(within: 86_400, on: queue) { 7 } == 7)
        #expect(queue.queue.maxConcurrentOperationCount == 2)
        lost.signal()
        try await eventually { queue.queue.maxConcurrentOperationCount == 1 }
    }
}
