import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import Testing

@testable import Fleet

/// The partitions of an engine's tasks.
@Suite struct PartitionNumbersTests {
    @Test(
        "the tasks of an array, which are no more than its engine takes, have each partition once",
        arguments: [1, 2, 6, 7, 8, 9_999, 10_000, 10_001, 20_000, 25_003]
    )
    func tasks(partitions: Int) throws {
        let folder = try ManifestFolder()
        let plan = FleetPlan(
            manifest: BundledManifest(try folder.read(#"{"sources": [{"urls": []}]}"#)),
            duplicates: 0,
            floorSeconds: 0,
            minutes: 10,
            columns: nil,
            partitions: []
        )
        var facts = TemplateFacts(plan, store: "/store")
        facts.partitions = partitions
        for most in [1, 7, 10_000] {
            let (count, stride) = facts.tasks(most: most)
            #expect(count <= most, "\(most)")
            var next = 0
            for index in 0..<count {
                let numbers = try PartitionNumbers.fromEnvironment(
                    ["SLURM_ARRAY_TASK_ID": "\(index)"],
                    offset: 0,
                    stride: stride
                )
                if numbers.lowerBound != next || next >= partitions {
                    Issue.record("task \(index): \(numbers)")
                }
                next = numbers.upperBound
            }
            #expect(next >= partitions, "\(most)")
        }
    }

    @Test("the first variable that is set counts, behind the offset")
    func variables() throws {
        let variables = [
            "NUKE_BATCH_PARTITION": "", "JOB_COMPLETION_INDEX": "3", "AWS_BATCH_JOB_ARRAY_INDEX": "9",
        ]
        #expect(try PartitionNumbers.fromEnvironment(variables, offset: 100, stride: 1) == 103..<104)
        #expect(try PartitionNumbers.fromEnvironment(variables, offset: 100, stride: 20) == 160..<180)
    }

    @Test(
        "what is no number of a task is refused",
        arguments: [nil, "", "x", "-1", "1.5", "99999999999999999999"]
    )
    func refused(text: String?) {
        let variables = text.map { ["SLURM_ARRAY_TASK_ID": $0] } ?? [:]
        #expect(throws: RunError.self) {
            try PartitionNumbers.fromEnvironment(variables, offset: 0, stride: 1)
        }
    }
}
