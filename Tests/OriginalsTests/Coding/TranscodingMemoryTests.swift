import Foundation
@testable import Originals
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct TranscodingMemoryTests {
    /// The bytes that threads have taken at once.
    private final class Taken: Sendable {
        let state = Mutex((now: 0, most: 0, ended: 0))

        /// Takes bytes on a thread of its own.
        func take(_ bytes: Int, of memory: TranscodingMemory) async {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    memory.take(bytes) {
                        self.state.withLock {
                            ($0.now, $0.most) = ($0.now + bytes, max($0.most, $0.now + bytes))
                        }
                        self.state.withLock { ($0.now, $0.ended) = ($0.now - bytes, $0.ended + 1) }
                    }
                    continuation.resume()
                }
            }
        }
    }

    @Test("no more than the limit is taken at once, and nobody waits for ever")
    func limit() async {
        let (memory, taken) = (TranscodingMemory(limit: 100), Taken())
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                let bytes = [10, 30, 60, 100][number % 4]
                group.addTask { await taken.take(bytes, of: memory) }
            }
        }
        let (now, most, ended) = taken.state.withLock { ($0.now, $0.most, $0.ended) }
        #expect(now == 0 && most <= 100 && ended == 200, "\(most) bytes at once")
    }

    @Test("more than there is runs alone")
    func more() {
        let memory = TranscodingMemory(limit: 100)
        #expect(memory.take(1000) { 7 } == 7)
        #expect(memory.take(100) { 8 } == 8)
        memory.limit = 50
        #expect(memory.limit == 50 && memory.take(60) { 9 } == 9)
    }
}
