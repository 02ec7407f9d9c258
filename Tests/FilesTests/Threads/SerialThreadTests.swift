import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Files

@Suite(.timeLimit(.minutes(10))) struct SerialThreadTests {
    @Test("work is done in order, and none is accepted after the end")
    func order() {
        let thread = SerialThread(name: "test")
        let done = Mutex<[Int]>([])
        for number in 0..<1_000 { thread.add { done.withLock { $0.append(number) } } }
        thread.close()
        #expect(done.withLock { $0 } == Array(0..<1_000))
        #expect(!thread.add {})
    }

    @Test("without room for a thread the work is done, but never by the caller")
    func noThread() {
        struct NoThread: Error {}
        let thread = SerialThread(name: "test") { _, _ in throw NoThread() }
        let caller = pthread_self()
        let isOnCaller = Mutex<[Bool]>([])
        for _ in 0..<3 {
            thread.add { isOnCaller.withLock { $0.append(pthread_equal(pthread_self(), caller) != 0) } }
        }
        // Blocks the caller's thread, which therefore cannot be the one that works.
        thread.close()
        #expect(isOnCaller.withLock { $0 } == [false, false, false])
    }
}
