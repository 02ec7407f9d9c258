import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import TestSupport
import Testing

@testable import Fleet

/// Looks at a store, each of which reads what is new.
@Suite struct FleetWatchTests {
    private let manifest: ManifestFolder
    private let store: FleetStore
    private let plan: FleetPlan

    init() async throws {
        var limits = PartitionLimits()
        limits.items = 1
        let fleet = try await PlannedFleet(urls: 700, limits: limits)
        (manifest, store, plan) = (fleet.manifest, fleet.store, fleet.plan)
        #expect(plan.partitions.count == 700)
    }

    /// Writes what a worker writes when it begins.
    private func begin(_ partition: Int, node: String = "node") throws -> AttemptID {
        let id = AttemptID()
        let record = StartedAttempt(attempt: id, node: node, started: "2026-01-02T03:04:05.678Z")
        try manifest.folder.write(
            JSONLine.text(record),
            to: "store/\(FleetKey.attempt(id, of: partition, "started"))"
        )
        return id
    }

    private func commit(_ partition: Int) throws {
        let commit = PartitionCommit(
            plan: plan.hash,
            partition: partition,
            attempt: try begin(partition),
            counts: AttemptCounts(done: 1),
            sha256: SHA256Name(of: Data()),
            version: "1",
            node: "node",
            started: "2026-01-02T03:04:05.678Z",
            ended: "2026-01-02T03:04:\(15 + partition % 40).678Z",
            networkBytes: 10
        )
        try manifest.folder.write(JSONLine.text(commit), to: "store/\(FleetKey.commit(partition))")
    }

    @Test("a later look is equal to a first one, and reads no commit and no marker again")
    func looks() async throws {
        for partition in [3, 5, 400] { try commit(partition) }
        _ = try begin(4, node: "four")
        var watch = try await FleetWatch(store)
        let first = try await watch.status()
        #expect(first.committed == 3 && first.counts.done == 3 && first.networkBytes == 30)
        #expect(first.missing.count == 697 && first.running.map(\.node) == ["four"])
        // What was read is not looked at again: what is no JSON would end it.
        for key in [FleetKey.commit(3), FleetKey.commit(400)] {
            try manifest.folder.write("{", to: "store/\(key)")
        }
        for partition in [6, 699] { try commit(partition) }
        _ = try begin(650, node: "late")
        let second = try await watch.status()
        #expect(second.committed == 5 && second.counts.done == 5 && second.missing.count == 695)
        #expect(second.running.map(\.node) == ["four", "late"])
        await #expect(throws: RunError.self) {
            var other = try await FleetWatch(store)
            _ = try await other.status()
        }
        for partition in [3, 400] { try commit(partition) }
        var fresh = try await FleetWatch(store)
        let now = Date.now
        let (later, whole) = (try await watch.status(now: now), try await fresh.status(now: now))
        #expect(JSONLine.text(later) == JSONLine.text(whole))
    }

    @Test("attempts of open partitions are found, whatever is committed between them")
    func ranges() async throws {
        for partition in 0..<700 where ![0, 1, 350, 699].contains(partition) { try commit(partition) }
        for partition in [0, 350, 699] { _ = try begin(partition, node: "\(partition)") }
        var watch = try await FleetWatch(store)
        let status = try await watch.status()
        #expect(status.missing == [0, 1, 350, 699] && status.running.map(\.partition) == [0, 350, 699])
        try commit(350)
        let later = try await watch.status()
        #expect(later.missing == [0, 1, 699] && later.running.map(\.node) == ["0", "699"])
        try FileManager.default.removeItem(atPath: manifest.folder.path("store/\(FleetKey.commit(350))"))
        #expect(try await watch.status().missing == [0, 1, 350, 699], "a commit that was removed")
    }
}
