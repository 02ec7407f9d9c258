import Foundation
import Synchronization

// Four threads count under a lock that they fight for (`locked`), or without one (`bare`), which must be reported; threads
// hand what they have made to a task that does not wait yet (`continued`, `checked`); or one thread reads copies of what
// another changes under a lock (`copied`).

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

func handOver(isChecked: Bool) async {
    var sum = 0
    for number in 0..<500 {
        let make: @Sendable (@escaping @Sendable (Made) -> Void) -> Void = { resume in
            Thread.detachNewThread {
                let made = Made()
                made.value = number
                resume(made)
            }
            // Half of them are there before the task waits.
            if number % 2 == 0 { usleep(300) }
        }
        let made =
            isChecked
            ? await withCheckedContinuation { continuation in make { continuation.resume(returning: $0) } }
            : await withUnsafeContinuation { continuation in make { continuation.resume(returning: $0) } }
        sum += made.value
        made.value = 0
    }
    print(sum)
}

func copy() {
    let numbers = Mutex<[Int]>([])
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        for number in 0..<20_000 {
            numbers.withLock { numbers in
                if numbers.count > 50 { numbers.removeAll(keepingCapacity: true) }
                numbers.append(number)
            }
        }
        ended.signal()
    }
    var sum = 0
    for _ in 0..<20_000 { sum += numbers.withLock { $0 }.reduce(0, +) }
    ended.wait()
    print(sum)
}

switch CommandLine.arguments.dropFirst().first {
case "locked": count(isLocked: true)
case "continued": await handOver(isChecked: false)
case "checked": await handOver(isChecked: true)
case "copied": copy()
default: count(isLocked: false)
}
