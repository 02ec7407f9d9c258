import Foundation
import TestSupport
import Testing

@testable import SQLite

@Suite(.timeLimit(.minutes(10))) struct WorkInboxTests {
    private func work(isUrgent: Bool = false) -> Work {
        Work(isChange: true, isUrgent: isUrgent, run: { _ in {} }, fail: { _ in })
    }

    @Test("changes wait for others, a full batch does not")
    func fullBatch() {
        let inbox = WorkInbox()
        for _ in 0..<256 { #expect(inbox.add(work())) }
        // The delay would outlast the test.
        #expect(inbox.take(delay: 600)?.count == 256)
    }

    @Test("changes that come within the delay join the batch")
    func delay() async {
        let inbox = WorkInbox()
        let count = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: inbox.take(delay: 600)?.count) }
            for _ in 0..<256 { _ = inbox.add(work()) }
        }
        #expect(count == 256)
    }

    @Test("the delay ends the wait for others")
    func delayEnds() {
        let inbox = WorkInbox()
        _ = inbox.add(work())
        let start = ContinuousClock.now
        #expect(inbox.take(delay: 0.05)?.count == 1)
        #expect(ContinuousClock.now - start >= .milliseconds(50))
    }

    @Test("urgent work takes what waits with it, at once")
    func urgent() async {
        let inbox = WorkInbox()
        for _ in 0..<3 { _ = inbox.add(work()) }
        _ = inbox.add(work(isUrgent: true))
        #expect(inbox.take(delay: 600)?.map(\.isUrgent) == [false, false, false, true])
        // The next batch waits again: the urgent work is gone.
        let isUrgent = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var batch = inbox.take(delay: 600)
                while batch?.isEmpty == true { batch = inbox.take(delay: 600) }
                continuation.resume(returning: batch?.map(\.isUrgent))
            }
            _ = inbox.add(work())
            _ = inbox.add(work(isUrgent: true))
        }
        #expect(isUrgent?.last == true)
        #expect(isUrgent?.contains(false) == true || isUrgent == [true])
    }

    @Test("after the stop, what was added is handed out and nothing more is accepted")
    func stop() {
        let inbox = WorkInbox()
        for _ in 0..<3 { _ = inbox.add(work()) }
        inbox.stop()
        #expect(!inbox.add(work()))
        #expect(!inbox.add(work(isUrgent: true)))
        #expect(inbox.take(delay: 600)?.count == 3)
        for _ in 0..<3 { #expect(inbox.take(delay: 600) == nil) }
    }

    @Test("the stop ends a wait that has begun")
    func stopEndsWait() async {
        let inbox = WorkInbox()
        let isEnded = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: inbox.take(delay: 600) == nil) }
            inbox.stop()
        }
        #expect(isEnded)
    }
}
