import Files
import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import TestSupport
import Testing

@testable import Fleet

/// The proof of a committed partition, and what contradicts it.
@Suite struct PartitionProofTests {
    /// The results of an item, as a worker writes them.
    private struct Row: Encodable {
        var ordinal: Int
        var key: String
        var state = AttemptRow.State.done
        var attempts = 1
        var outputs: [String] = []
    }

    /// A lie about a partition, with a part of the sentence that tells it.
    enum Lie: String, CaseIterable, Sendable {
        case changedFile = "does not have the SHA-256 of its commit"
        case otherState = "its commit counts 3 done, but its attempt has 2 done, 1 failed"
        case otherPlace = "in place of item"
        case otherKey = "its attempt has item 2 in place of item 2"
        case lostItem = "has 2 items, but the plan 3"
        case otherPlan = "plan is that of another plan"
        case otherPartition = "partition is 1, not 0"
        case twoWinners = "have both won"
    }

    private let manifest: ManifestFolder
    private let store: FleetStore
    private let plan: FleetPlan
    private var entry: PlannedPartition { plan.partitions[0] }

    init() async throws {
        let fleet = try await PlannedFleet(urls: 3)
        (manifest, store, plan) = (fleet.manifest, fleet.store, fleet.plan)
        #expect(plan.partitions.map(\.items) == [3])
    }

    /// Writes what an attempt that has won leaves, and proves the partition.
    private func proof(_ lie: Lie? = nil) async throws -> PartitionProof {
        var rows = try await store.lines(of: entry).map { Row(ordinal: $0.ordinal, key: $0.key) }
        switch lie {
        case .otherState: rows[1].state = .failed
        case .otherPlace: rows.swapAt(0, 1)
        case .otherKey: rows[1].key = rows[0].key
        case .lostItem: rows.removeLast()
        default: break
        }
        func file() throws -> Data {
            try #require(Gzip.compress(Data(rows.map { JSONLine.text($0) + "\n" }.joined().utf8)))
        }
        let (id, other) = (AttemptID(), AttemptID())
        let digest = SHA256Name(of: try file())
        if lie == .changedFile { rows[2].attempts += 1 }
        try await store.write(try file(), at: FleetKey.attempt(id, of: 0, "jsonl.gz"))
        let commit = PartitionCommit(
            plan: lie == .otherPlan ? digest : plan.hash,
            partition: lie == .otherPartition ? 1 : 0,
            attempt: id,
            counts: AttemptCounts(done: lie == .lostItem ? 2 : 3),
            sha256: digest,
            version: "1",
            node: "node",
            started: "2026-01-02T03:04:05.678Z",
            ended: "2026-01-02T03:04:15.678Z",
            networkBytes: 10
        )
        try await store.write(Data(JSONLine.text(commit).utf8), at: FleetKey.commit(0))
        for winner in lie == .twoWinners ? [id, other] : [id] {
            try await store.write(Data(), at: FleetKey.attempt(winner, of: 0, "won"))
        }
        let listing = try await AttemptListing(store, of: plan)
        #expect(listing.commits == [0])
        return try await PartitionProof(entry, of: plan, try #require(listing.attempts[0]), in: store)
    }

    @Test("a partition is proven by its commit, its attempt's results and the plan")
    func honest() async throws {
        let proof = try await proof()
        #expect(proof.rows.map(\.ordinal) == [1, 2, 3] && proof.rows.allSatisfy { $0.state == .done })
        #expect(proof.commit.counts == AttemptCounts(done: 3) && proof.shards.isEmpty)
    }

    @Test("a lie about it is a contradiction that tells which", arguments: Lie.allCases)
    func forged(lie: Lie) async throws {
        let error = await #expect(throws: PartitionProof.Contradiction.self) { try await proof(lie) }
        #expect(error?.partition == 0)
        #expect(error?.message.contains(lie.rawValue) == true, "\(error?.message ?? "")")
    }
}
