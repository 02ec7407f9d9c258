import Foundation
import Synchronization

// Four threads count, under a lock that they fight for (`locked`) or without one (`bare`): the second must be reported.

final class Counter: Sendable {
    let locked = Mutex(0)
    // The race that the sanitizer must find.
    nonisolated(unsafe) var bare = 0
}

let counter = Counter()
let isLocked = CommandLine.arguments.dropFirst().first == "locked"
let ended = DispatchSemaphore(value: 0)
for _ in 0..<4 {
    Thread.detachNewThread {
        for _ in 0..<20_000 {
            // Long enough under the lock for others to come and wait.
            if isLocked {
                counter.locked.withLock { count in for _ in 0..<50 { count &+= 1 } }
            } else {
                counter.bare += 1
            }
        }
        ended.signal()
    }
}
for _ in 0..<4 { ended.wait() }
print(isLocked ? counter.locked.withLock { $0 } : counter.bare)
