import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// Stores that fail, and runs that are stopped or killed: promises P1 to P5 and P8 for a destination in a bucket.
@Suite(.timeLimit(.minutes(10))) struct ObjectFaultTests {
    private typealias Fault = LoopbackObjectStore.Fault

    private static func seed() -> UInt64 {
        let seed = SeededGenerator.seed(of: "object faults")
        return seed
    }

    @Test("20 kills at random moments: each object once and right, none written again once it is recorded")
    func kills() async throws {
        var random = SeededGenerator(seed: Self.seed())
        let (count, kills) = (300, 20)
        let job = try BucketJob(count, output: #", "existing": "keep""#)
        let killer = Killer()
        job.store.fault = { operation in
            guard operation.kind == .putObject else { return nil }
            killer.count()
            return nil
        }
        var acknowledged: [String: Int] = [:]
        var killed = 0
        for number in 0..<kills {
            let moment = Int.random(in: 1...40, using: &random)
            let finished = Mutex<[String]>([])
            let program = try job.start("run", "job.json", "--json") { line in
                guard let path = Self.finishedItem(line) else { return }
                finished.withLock { $0.append(path) }
            }
            if number % 2 == 0 {
                killer.set(after: moment) { program.signal(SIGKILL) }
            } else {
                let delay = Double.random(in: 0.05...0.5, using: &random)
                DispatchQueue.global().asyncAfter(deadline: .now() + delay) { program.signal(SIGKILL) }
            }
            let outcome = await program.wait()
            killer.disarm()
            #expect(outcome.exit == 128 + SIGKILL || outcome.exit == 0, "\(outcome.errors)")
            killed += outcome.exit == 0 ? 0 : 1
            let puts = Self.puts(job)
            for url in finished.withLock({ $0 }) where acknowledged[url] == nil {
                let name = (url as NSString).lastPathComponent
                acknowledged[url] = (puts["made/small/\(name)"] ?? 0) + (puts["made/copy/\(name)"] ?? 0)
            }
        }
        #expect(killed > 0)
        try await job.nukeBatch("run", "job.json")
        let puts = Self.puts(job)
        for (url, before) in acknowledged {
            let name = (url as NSString).lastPathComponent
            let after = (puts["made/small/\(name)"] ?? 0) + (puts["made/copy/\(name)"] ?? 0)
            #expect(after == before, "\(url) was written again after it was recorded")
        }
        let repeated = puts.values.reduce(0) { $0 + $1 - 1 }
        print(
            "object kills: \(killed) kills, \(acknowledged.count) acknowledged before, \(repeated) PUTs repeated"
        )
        try await job.checkWhole()
        // The control: a run that has forgotten everything writes again, and is seen.
        try await job.nukeBatch("run", "job.json", "--fresh")
        #expect(Self.puts(job).values.reduce(0) { $0 + $1 - 1 } >= repeated + count)
    }

    @Test("503 storms, lost answers and conflicts: nothing is lost, doubled or failed")
    func storms() async throws {
        let seed = Self.seed()
        let job = try BucketJob(60, output: #", "existing": "keep""#)
        job.store.fault = { operation in
            guard operation.kind == .putObject else { return nil }
            switch operation.random(seed: seed) {
            case ..<0.1: return .slowDown(retryAfter: 0)
            case ..<0.2: return .resetAfter
            case ..<0.3: return .resetBefore
            case ..<0.35: return .conflict
            case ..<0.4: return .internalError
            default: return nil
            }
        }
        try await job.nukeBatch("run", "job.json")
        job.store.fault = { _ in nil }
        try await job.checkWhole()
        #expect(job.store.count(of: .putObject) > 120, "the control: there were faults")
    }

    @Test("a store that refuses ends the run with exit 4 and fails no item")
    func refused() async throws {
        let job = try BucketJob(20)
        let refusing = Mutex(0)
        job.store.fault = { operation in
            guard operation.kind == .putObject else { return nil }
            return refusing.withLock {
                $0 += 1; return $0
            } > 10 ? .error(status: 403, code: "AccessDenied") : nil
        }
        let outcome = try await job.nukeBatch("run", "job.json", exit: 4)
        for words in ["s3://\(BucketJob.bucket)/made", "AccessDenied", "check the permissions"] {
            #expect(outcome.errors.contains(words) || outcome.output.contains(words), "\(outcome.errors)")
        }
        #expect(try await job.job.failures() == [])
        job.store.fault = { _ in nil }
        try await job.nukeBatch("run", "job.json")
        try await job.checkWhole()
    }

    @Test("credentials that end in the middle are local trouble; with new ones the job is finished")
    func expired() async throws {
        let job = try BucketJob(20)
        let store = job.store
        let puts = Mutex(0)
        store.fault = { operation in
            guard operation.kind == .putObject else { return nil }
            if puts.withLock({
                $0 += 1; return $0
            }) == 10 {
                store.credentials[0].expiration = Date(timeIntervalSince1970: 0)
            }
            return nil
        }
        let outcome = try await job.nukeBatch("run", "job.json", exit: 4)
        #expect(outcome.output.contains("ExpiredToken"), "\(outcome.output)")
        #expect(try await job.job.failures() == [])
        #expect(!outcome.errors.contains(BucketJob.keys.secretAccessKey))
        store.credentials[0].expiration = nil
        try await job.nukeBatch("run", "job.json")
        try await job.checkWhole()
    }

    @Test("a key that the store cannot keep is the item's own error")
    func key() async throws {
        let job = try BucketJob(3)
        job.store.fault = { operation in
            operation.kind == .putObject && operation.key.hasSuffix("small/2.png")
                ? .error(status: 400, code: "KeyTooLongError") : nil
        }
        try await job.nukeBatch("run", "job.json", exit: 1)
        let items = try await job.job.items()
        #expect(items.compactMap { $0["state"] as? String } == ["done", "failed", "done"])
        #expect(job.keys == job.allKeys.filter { $0 != "small/2.png" })
    }

    @Test("SIGTERM ends a run within five seconds although the store does not answer; its items are put back")
    func stopped() async throws {
        let job = try BucketJob(10)
        let (gate, arrived) = (Gate(), Gate())
        job.store.fault = { operation in
            guard operation.kind == .putObject else { return nil }
            arrived.open()
            return .held(gate)
        }
        let program = try job.start("run", "job.json")
        await arrived.waitUntilOpen()
        program.signal(SIGTERM)
        let deadline = try Deadline(seconds: 5)
        let outcome = await program.wait()
        #expect(await deadline.isMet())
        #expect(outcome.exit != 0 && outcome.exit != 4, "\(outcome.errors)")
        job.store.fault = { _ in nil }
        gate.open()
        #expect(try await job.job.failures() == [])
        try await job.nukeBatch("run", "job.json")
        try await job.checkWhole()
    }

    @Test("writes keep to their rate, whatever the rate of loading")
    func rate() async throws {
        let job = try BucketJob(20, rest: #", "storage": {"s3": {"putRate": "20/s"}}"#)
        let start = ContinuousClock.now
        try await job.nukeBatch("run", "job.json")
        // 40 objects, of which the first two are a burst.
        #expect(start.duration(to: .now) > .seconds(38.0 / 20))
        try await job.checkWhole()
    }

    private static func puts(_ job: BucketJob) -> [String: Int] {
        job.store.operations.filter { $0.kind == .putObject }.reduce(into: [:]) {
            $0[$1.key, default: 0] += 1
        }
    }

    /// The URL of the item whose end a line of `--json` tells.
    private static func finishedItem(_ line: String) -> String? {
        guard let event = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
            event["event"] as? String == "item_finished", let item = event["item"] as? [String: Any]
        else { return nil }
        return item["url"] as? String
    }
}

/// Kills at the n-th request from now.
private final class Killer: Sendable {
    private let state = Mutex<(left: Int, action: (@Sendable () -> Void)?)>((0, nil))

    func set(after count: Int, _ action: @escaping @Sendable () -> Void) {
        state.withLock { $0 = (count, action) }
    }

    func disarm() {
        state.withLock { $0 = (0, nil) }
    }

    func count() {
        let action = state.withLock { state -> (@Sendable () -> Void)? in
            state.left -= 1
            return state.left == 0 ? state.action : nil
        }
        action?()
    }
}
