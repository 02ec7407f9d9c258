import Foundation
import Nuke

/// The cost of a cache of a given size: the time, the CPU time and the peak memory of each step.
struct Scale {
    let path: String
    /// Entries.
    let count: Int
    /// Bytes an entry.
    let size: Int

    private static let samples = 20_000

    /// Fills a cache, reads it, evicts 1 % of it and closes it; prints a line of JSON for each step.
    func measure() throws {
        let cache = try opened()
        cache.sizeLimit = .max
        report("store", count) {
            for number in 0..<count { cache.storeData(Self.data(number, size: size), for: Self.key(number)) }
            cache.flush()
        }
        guard cache.errorCount == 0, cache.totalCount == count else {
            fail("\(cache.totalCount) entries and \(cache.errorCount) errors: \(String(describing: cache.lastError))")
        }
        let numbers = (0..<Self.samples).map { $0 * 7_919 % count }
        report("read", Self.samples) {
            for number in numbers where cache.cachedData(for: Self.key(number)) != Self.data(number, size: size) {
                fail("entry \(number) is not what was stored")
            }
        }
        report("contains", Self.samples) {
            for number in numbers where !cache.containsData(for: Self.key(number)) { fail("no entry \(number)") }
        }
        report("contains not", Self.samples) {
            for number in numbers where cache.containsData(for: Self.key(-1 - number)) { fail("an entry -\(number)") }
        }
        report("total size", 1000) {
            for _ in 0..<1000 where cache.totalSize != count * size { fail("\(cache.totalSize) bytes") }
        }
        // One entry more than the limit allows makes room for itself, as in a cache that is full.
        cache.sizeLimit = count * size
        report("store when full", 1000) {
            for number in count..<count + 1000 {
                cache.storeData(Self.data(number, size: size), for: Self.key(number))
            }
            cache.flush()
        }
        let evicted = count / 100
        cache.sizeLimit = (count - evicted) * size
        report("evict 1 %", evicted) {
            cache.storeData(Self.data(count, size: size), for: Self.key(count))
            cache.flush()
        }
        guard cache.totalCount <= count - evicted else { fail("\(cache.totalCount) entries are left") }
        report("close", 1) { cache.close() }
    }

    /// Opens a cache and reads one entry; `isKilled` ends the process without closing it.
    func reopen(isKilled: Bool) throws {
        var cache: DataCache?
        try report("open", 1) { cache = try opened() }
        guard let cache else { return }
        // The default would have the sweep below evict from a million entries.
        cache.sizeLimit = .max
        report("first read", 1) {
            // The last that was stored.
            if cache.cachedData(for: Self.key(count)) != Self.data(count, size: size) { fail("the last entry is lost") }
        }
        if isKilled { kill(getpid(), SIGKILL) }
        // After an unclean end it waits for the sweep that the opening began.
        report("sweep", 1) { cache.sweep() }
        report("close", 1) { cache.close() }
    }

    private func opened() throws -> DataCache {
        try DataCache(path: URL(fileURLWithPath: path))
    }

    private static func key(_ number: Int) -> String {
        "https://images.example.com/\(number).jpg"
    }

    private static func data(_ number: Int, size: Int) -> Data {
        var data = Data(count: size)
        withUnsafeBytes(of: number) { bytes in data.replaceSubrange(0..<min(size, bytes.count), with: bytes) }
        return data
    }

    private func report(_ step: String, _ units: Int, _ body: () throws -> Void) rethrows {
        Process.resetPeak()
        let (cpu, start) = (Process.cpuSeconds, ContinuousClock.now)
        try body()
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print(
            """
            {"step": "\(step)", "units": \(units), "wall": \(seconds), "cpu": \(Process.cpuSeconds - cpu), \
            "peak": \(Process.peakBytes)}
            """
        )
        fflush(nil)
    }
}

/// The resource usage of this process.
private enum Process {
    /// User and system.
    static var cpuSeconds: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }

    /// The most memory that was resident since `resetPeak` (proc(5): VmHWM, in kB).
    static var peakBytes: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(separator: " ").compactMap { Int($0) }.first.map { $0 * 1024 } ?? 0
    }

    /// Writing 5 to clear_refs sets the peak back to what is resident now (proc(5)).
    static func resetPeak() {
        try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
    }
}
