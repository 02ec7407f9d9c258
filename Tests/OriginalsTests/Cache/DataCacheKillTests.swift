import CacheTrials
import Foundation
import Originals
import TestSupport
import Testing

/// Promises P1 to P4 for the cache: `kill -9`, and several processes at once.
@Suite("DataCache is killed", .serialized, .timeLimit(.minutes(10)))
struct DataCacheKillTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// The remains of a program that was killed at each of its system calls in turn.
    private struct Sweep {
        var points = 0
        var bad: [String] = []
    }

    /// Kills the dozen steps of a trial at every `stride`-th call from `first` on, each time in a cache of its own.
    private func sweep(
        _ environment: [String: String],
        first: Int,
        stride: Int
    ) async throws -> Sweep {
        var (sweep, call) = (Sweep(), first)
        while true {
            let path = folder.path("\(environment.count)-\(call)")
            let killed = environment.merging(["NB_KILL_AT": "\(call)"]) { $1 }
            let outcome = try await Program.run(
                "cache-bench",
                ["once", path],
                in: folder.path,
                environment: killed
            )
            if outcome.exit == 0 { return sweep }
            try #require(outcome.exit == 128 + SIGKILL, "\(outcome.errors)")
            let found = try CacheExamination(path: path, journals: [outcome.output])
            sweep.points += 1
            if !found.isGood { sweep.bad.append("call \(call): \(found)") }
            try? FileManager.default.removeItem(atPath: path)
            call += stride
        }
    }

    /// `NUKE_BATCH_KILL_STRIDE=1` in the environment tries every call, which takes five times as long.
    @Test("at the calls that change a file: nothing acknowledged is lost, no half file, no litter")
    func calls() async throws {
        let library = try Faults.build(in: folder.path)
        let stride = ProcessInfo.processInfo.environment["NUKE_BATCH_KILL_STRIDE"].flatMap { Int($0) } ?? 5
        let first = Int.random(in: 1...stride)
        let sweep = try await sweep(["LD_PRELOAD": library], first: first, stride: stride)
        print("kill test of the cache: \(sweep.points) kill points, every \(stride) from \(first)")
        #expect(sweep.bad == [])
        #expect(sweep.points > 200 / stride)
    }

    @Test("and the same look finds what is lost where bytes reach their files too late")
    func control() async throws {
        let library = try Faults.build(in: folder.path)
        let sweep = try await sweep(["LD_PRELOAD": library, "NB_LATE_DATA": "64"], first: 100, stride: 37)
        #expect(!sweep.bad.isEmpty)
    }

    @Test("at random moments under load, again and again in one folder")
    func underLoad() async throws {
        let seed = UInt64.random(in: 1...1_000_000)
        print("kill test of the cache: seed \(seed)")
        var random = SeededGenerator(seed: seed)
        var journals: [String] = []
        let path = folder.path("cache")
        for run in 1...8 {
            let last = Int.random(in: 1...150, using: &random)
            let moment = Moment(last)
            let program = try Program(
                "cache-bench",
                work(path, "r\(run)x", run: run, steps: "100000"),
                in: folder.path
            ) {
                if $0.hasPrefix("done") { moment.pass() }
            }
            let ended = Task {
                let outcome = await program.wait()
                moment.end()
                return outcome
            }
            await moment.wait()
            program.signal(SIGKILL)
            let outcome = await ended.value
            try #require(outcome.exit == 128 + SIGKILL, "\(outcome.errors)")
            journals.append(outcome.output)
        }
        let found = try CacheExamination(path: path, journals: journals)
        #expect(found.isGood, "\(found)")
        #expect(found.keys > 100)
    }

    @Test("two processes at once: nothing lost, the bound held")
    func twoProcesses() async throws {
        let path = folder.path("cache")
        let programs = try ["a", "b"].enumerated().map { number, worker in
            try Program("cache-bench", work(path, worker, run: number + 1, steps: "250"), in: folder.path)
        }
        var journals: [String] = []
        for program in programs {
            let outcome = await program.wait()
            try #require(outcome.exit == 0, "\(outcome.errors)")
            journals.append(outcome.output)
        }
        let found = try CacheExamination(path: path, journals: journals)
        #expect(found.isGood, "\(found)")
        #expect(found.keys > 200)
        #expect(found.absent > 0)
    }

    private func work(_ path: String, _ worker: String, run: Int, steps: String) -> [String] {
        [
            "work", path, worker, "\(run)", "\(run * 1_000_000)", steps,
            "\(worker.count == 1 ? 300_000 : 1_600_000)",
        ]
    }
}

/// Is over when it was passed so many times, or nobody is left to pass it.
private final class Moment: Sendable {
    private let passes = AsyncStream<Void>.makeStream()
    private let count: Int

    init(_ count: Int) {
        self.count = count
    }

    func pass() {
        passes.continuation.yield()
    }

    func end() {
        passes.continuation.finish()
    }

    func wait() async {
        var left = count
        for await _ in passes.stream {
            left -= 1
            if left == 0 { return }
        }
    }
}
