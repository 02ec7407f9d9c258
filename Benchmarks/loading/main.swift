import Foundation
import Nuke
import Synchronization

// Loads one URL many times and counts the bytes, nothing else: what Benchmarks/loading times.
//
// usage: loading-bench curl|session URL COUNT WIDTH

/// Keeps `width` loads running until `count` have ended.
final class Loads: Sendable {
    private struct State {
        var started = 0
        var ended = 0
        var bytes = 0
    }

    private let loader: any DataLoading
    private let url: String
    private let count: Int
    private let state = Mutex(State())
    private let end = DispatchSemaphore(value: 0)

    init(loader: any DataLoading, url: String, count: Int) {
        self.loader = loader
        self.url = url
        self.count = count
    }

    /// The bytes that came.
    func run(width: Int) -> Int {
        for _ in 0..<min(width, count) { startNext() }
        end.wait()
        return state.withLock { $0.bytes }
    }

    private func startNext() {
        let number: Int? = state.withLock { state in
            guard state.started < count else { return nil }
            defer { state.started += 1 }
            return state.started
        }
        guard let number, let url = URL(string: "\(url)?\(number)") else { return }
        _ = loader.loadData(with: URLRequest(url: url)) { data, _ in
            self.state.withLock { $0.bytes += data.count }
        } completion: { error in
            if let error { fail("\(error)") }
            let isLast = self.state.withLock { state in
                state.ended += 1
                return state.ended == self.count
            }
            if isLast { self.end.signal() } else { self.startNext() }
        }
    }
}

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("loading-bench: \(message)\n".utf8))
    exit(1)
}

/// User and system, in seconds.
func cpuSeconds() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
}

let words = CommandLine.arguments
guard words.count == 5, ["curl", "session"].contains(words[1]), let count = Int(words[3]), let width = Int(words[4])
else { fail("usage: loading-bench curl|session URL COUNT WIDTH") }
let (cpu, start) = (cpuSeconds(), ContinuousClock.now)
let loader: any DataLoading = words[1] == "curl" ? CurlDataLoader() : DataLoader()
let bytes = Loads(loader: loader, url: words[2], count: count).run(width: width)
let seconds = (ContinuousClock.now - start) / .seconds(1)
print("{\"bytes\": \(bytes), \"cpu\": \(cpuSeconds() - cpu), \"wall\": \(seconds)}")
