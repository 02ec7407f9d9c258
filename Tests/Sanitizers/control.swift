import Foundation
import Synchronization

// Four threads count under a lock that they fight for (`locked`), or without one (`bare`), which must be reported; or
// threads hand what they have made to a task that does not wait yet (`continued`).

final class Counter: Sendable {
    let locked = Mutex(0)
    // The race that the sanitizer must find.
    nonisolated(unsafe) var bare = 0
}

final class Made: @unchecked Sendable {
    // Written once, before it is handed over.
    var value = 0
}

func count(isLocked: Bool) {
    let counter = Counter()
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
}

func handOver() async {
    var sum = 0
    for number in 0..<500 {
        let made = await withUnsafeContinuation { continuation in
            Thread.detachNewThread {
                let made = Made()
                made.value = number
                continuation.resume(returning: made)
            }
            // Half of them are there before the task waits.
            if number % 2 == 0 { usleep(300) }
        }
        sum += made.value
        made.value = 0
    }
    print(sum)
}

switch CommandLine.arguments.dropFirst().first {
case "locked": count(isLocked: true)
case "continued": await handOver()
default: count(isLocked: false)
}
