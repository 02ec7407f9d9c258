import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import Testing

@testable import Fleet

/// From written partitions to a plan: the rates of hosts that are in several of them.
@Suite struct PlanSealTests {
    private let folder: ManifestFolder
    private let manifest: Manifest

    init() throws {
        folder = try ManifestFolder()
        manifest = try folder.read(#"{"sources": [{"urls": []}], "loading": {"rate": "6/s"}}"#)
    }

    private func summary(_ partition: Int, _ hosts: [(name: String, items: Int)]) -> PartitionWriter.Summary {
        PartitionWriter.Summary(
            partition: partition,
            items: hosts.reduce(0) { $0 + $1.items },
            sha256: SHA256Name(of: Data()),
            bytes: 0,
            hosts: hosts.map { PartitionWriter.Summary.Host(host: $0.name, items: $0.items) }
        )
    }

    /// A host in three partitions, and one in the first of them alone.
    private var summaries: [PartitionWriter.Summary] {
        [summary(0, [("a", 30), ("b", 5)]), summary(1, [("a", 30)]), summary(2, [("a", 12)])]
    }

    @Test("the parts of a host have its rate together")
    func rates() throws {
        let plan = try PlanSeal(manifest, PartitionLimits()).plan(summaries, duplicates: 3)
        #expect(plan.partitions.map { $0.hosts.map(\.rate) } == [[2, 6], [2], [2]])
        #expect(plan.partitions.map(\.seconds) == [15, 15, 6])
        #expect(plan.partitions.allSatisfy { $0.after == nil })
        #expect(plan.items == 77 && plan.duplicates == 3 && plan.floorSeconds == 12)
    }

    @Test("in a chain each part has the whole rate, and follows the one before it")
    func chain() throws {
        var limits = PartitionLimits()
        limits.isChained = true
        let plan = try PlanSeal(manifest, limits).plan(summaries, duplicates: 0)
        #expect(plan.partitions.flatMap(\.hosts).allSatisfy { $0.rate == 6 })
        #expect(plan.partitions.map(\.after) == [nil, 0, 1])
        #expect(plan.partitions.map(\.seconds) == [5, 5, 2])
    }

    @Test(
        "partitions that are missing or there twice make no plan",
        arguments: [[1], [0, 2], [0, 0], [0, 1, 1]]
    )
    func holes(numbers: [Int]) {
        #expect(throws: RunError.self) {
            try PlanSeal(manifest, PartitionLimits()).plan(
                numbers.map { summary($0, [("a", 1)]) },
                duplicates: 0
            )
        }
    }
}
