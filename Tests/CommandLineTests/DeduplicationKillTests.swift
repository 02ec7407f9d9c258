import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// `dataset.deduplicate` under `kill -9` at random moments: at no time is there an output of a row that is not the first.
@Suite(.timeLimit(.minutes(10))) struct DeduplicationKillTests {
    private static let (rows, originals, kills) = (240, 60, 10)
    /// So many of the kills are at a request, long before all originals are loaded.
    private static let early = 4

    @Test("10 kills over 240 rows with 60 originals: each original is made once, for its first row")
    func kills() async throws {
        let seed = SeededGenerator.seed(of: "deduplication kill test")
        var random = SeededGenerator(seed: seed)
        let images = try (0..<Self.originals).map { try TestImages.tiny($0) }
        let order = (0..<Self.rows).map { $0 % Self.originals }.shuffled(using: &random)
        let firsts = Set((0..<Self.originals).compactMap { order.firstIndex(of: $0) })
        let killer = Killer()
        let requests = Mutex(0)
        let server = try LoopbackServer { request in
            guard let row = Int(request.path.dropFirst()), order.indices.contains(row) else {
                return .status(404)
            }
            killer.count(
                requests.withLock {
                    $0 += 1; return $0
                }
            )
            return .data(images[order[row]], type: "image/png")
        }
        let job = try JobFolder()
        let urls = order.indices.map { "\"\(server.address)/\($0)\"" }.joined(separator: ", ")
        try job.write(
            """
            "sources": [{"urls": [\(urls)]}], "dataset": {"honourRobots": false, "deduplicate": "bytes"},
            "outputs": [{"processors": [{"resize": {"width": 2}}], "format": "png", "path": "{index}.{ext}"}]
            """
        )
        func made() -> Set<Int> {
            Set(job.files(in: "out").compactMap { Int($0.prefix { $0 != "." }) }.map { $0 - 1 })
        }
        var killed = 0
        for number in 0..<Self.kills {
            // Some die while originals are loaded, and some while outputs are made.
            let isEarly = number < Self.early
            let moment = Int.random(in: 1...(isEarly ? 15 : 9), using: &random)
            let finished = Mutex(0)
            let program = try Program("nuke-batch", ["run", "job.json", "--json"], in: job.folder.path) {
                line in
                guard !isEarly, line.contains(#""event":"item_finished""#) else { return }
                if finished.withLock({
                    $0 += 1; return $0
                }) == moment {
                    killer.kill()
                }
            }
            killer.set(after: isEarly ? requests.withLock { $0 } + moment : .max) { program.signal(SIGKILL) }
            let outcome = await program.wait()
            killed += outcome.exit == 128 + SIGKILL ? 1 : 0
            #expect(outcome.exit == 128 + SIGKILL || outcome.exit == 0, "run \(number): \(outcome.errors)")
            #expect(made().isSubset(of: firsts), "run \(number)")
        }
        #expect(killed >= Self.early)
        killer.set(after: .max) {}
        try await job.run()
        #expect(made() == firsts)
        let items = try await job.items()
        for (row, item) in items.enumerated() {
            let twin = (item["twin"] as? [String: Any])?["index"] as? Int
            let first = order.firstIndex(of: order[row]) ?? 0
            #expect(twin == (first == row ? nil : first + 1), "row \(row)")
        }
        print("deduplication kill test: \(killed) of \(Self.kills) runs were killed, seed \(seed)")
    }

    /// Kills a run at a request, or at once.
    private final class Killer: Sendable {
        private let state = Mutex<(moment: Int, kill: @Sendable () -> Void)>((.max, {}))

        func set(after moment: Int, _ kill: @escaping @Sendable () -> Void) {
            state.withLock { $0 = (moment, kill) }
        }

        func count(_ requests: Int) {
            if state.withLock({ requests >= $0.moment }) { kill() }
        }

        func kill() {
            let kill = state.withLock { $0.kill }
            kill()
        }
    }
}
