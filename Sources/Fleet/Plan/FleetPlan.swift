import Foundation
import JobManifest

/// The immutable description of a job for many machines: `plan.json`.
package struct FleetPlan: Sendable, StoredRecord {
    /// The part that every worker needs.
    let job: FleetJob
    /// The partitions, by their number.
    package let partitions: [PlannedPartition]

    init(
        manifest: BundledManifest,
        duplicates: Int,
        floorSeconds: Double,
        minutes: Int,
        columns: [PlannedColumn]?,
        partitions: [PlannedPartition]
    ) {
        let facts = PlanFacts(
            version: PlanFacts.version,
            manifest: manifest,
            items: partitions.reduce(0) { $0 + $1.items },
            duplicates: duplicates,
            floorSeconds: floorSeconds,
            minutes: minutes,
            partitions: partitions.count,
            root: PlanTree(partitions.map(\.leaf)).root,
            columns: columns
        )
        job = FleetJob(facts)
        self.partitions = partitions
    }

    /// The tree that proves each partition; computed each time.
    var tree: PlanTree { PlanTree(partitions.map(\.leaf)) }
    /// The plan's name.
    package var hash: SHA256Name { job.plan }
    /// The manifest and the files that it uses.
    package var manifest: BundledManifest { job.facts.manifest }
    /// The number of items, without duplicates.
    package var items: Int { job.facts.items }
    /// The number of rows that repeat another.
    package var duplicates: Int { job.facts.duplicates }
    /// The time below which no number of machines can bring the job: the largest `items / rate` of a host, in seconds.
    package var floorSeconds: Double { job.facts.floorSeconds }
    /// The time that a partition should take, in minutes; what is not done after twice that is deferred.
    package var minutes: Int { job.facts.minutes }

    var bounds: [StoredBound] {
        [
            StoredBound("job", job),
            StoredBound("partitions", partitions, most: StoredBound.partitions.upperBound),
            StoredBound(
                "partitions",
                requires: partitions.enumerated().allSatisfy { $0.offset == $0.element.partition },
                "are not in the order of their numbers"
            ),
            StoredBound(
                "partitions",
                requires: partitions.count == job.facts.partitions && tree.root == job.facts.root,
                "are not those of the plan's root: they were changed"
            ),
        ]
    }
}

/// The content of a plan, from which its name is made.
struct PlanFacts: Sendable, StoredRecord {
    /// The version of the format.
    static let version = 2
    /// The most files of a manifest.
    private static let mostFiles = 10_000

    /// The format's version, 2.
    let version: Int
    let manifest: BundledManifest
    /// The number of items, without duplicates.
    let items: Int
    /// The number of rows that repeat another.
    let duplicates: Int
    let floorSeconds: Double
    let minutes: Int
    /// The number of partitions.
    let partitions: Int
    /// The root of the tree over the partitions (``PlanTree``).
    let root: SHA256Name
    /// The columns of all items in the order of their names; null unless shards need them, and in plans of earlier versions.
    let columns: [PlannedColumn]?

    var bounds: [StoredBound] {
        [
            StoredBound("manifest.path", manifest.path, longest: 4096),
            StoredBound("manifest.files", manifest.files, most: Self.mostFiles),
            StoredBound("items", items, in: StoredBound.items),
            StoredBound("duplicates", duplicates, in: StoredBound.items),
            StoredBound("floorSeconds", floorSeconds, in: StoredBound.seconds),
            StoredBound("minutes", minutes, in: 1...10_000),
            StoredBound("partitions", partitions, in: StoredBound.partitions),
            StoredBound("columns", columns ?? [], most: PlannedColumn.most),
        ]
    }
}

/// The part of a plan that every worker needs: `job.json`.
struct FleetJob: Sendable, StoredRecord {
    /// The plan's name: SHA-256 of its facts.
    let plan: SHA256Name
    let facts: PlanFacts

    init(_ facts: PlanFacts) {
        plan = Self.name(of: facts)
        self.facts = facts
    }

    var bounds: [StoredBound] {
        [
            StoredBound("facts", facts),
            StoredBound(
                "plan",
                requires: plan == Self.name(of: facts),
                "is not the SHA-256 of the facts: they were changed"
            ),
        ]
    }

    private static func name(of facts: PlanFacts) -> SHA256Name {
        SHA256Name(of: Data(JSONLine.text(facts).utf8))
    }
}

/// A partition in the plan.
package struct PlannedPartition: Sendable, StoredRecord, Equatable {
    /// A host of a partition.
    package struct Host: Sendable, StoredRecord, Equatable {
        /// The name, with any port but the default; empty for files, `s3://bucket` for a bucket.
        package let host: String
        /// The items of this host in this partition.
        package let items: Int
        /// The requests a second that the partition may send to it; null without a limit.
        package let rate: Double?

        var bounds: [StoredBound] {
            [
                StoredBound("host", host, longest: StoredBound.shortText),
                StoredBound("items", items, in: StoredBound.items),
                StoredBound("rate", rate, in: 1e-12...1e12),
            ]
        }
    }

    /// The number, from 0.
    package let partition: Int
    /// The number of items.
    package let items: Int
    /// The hosts, in the order of their names.
    package let hosts: [Host]
    /// The least time that the rates of its hosts allow, in seconds.
    package let seconds: Double
    /// The partition that must be committed before this one begins; null for none.
    package let after: Int?
    /// SHA-256 of the partition's lines before they are compressed.
    let sha256: SHA256Name
    /// The bytes of the partition's lines before they are compressed.
    let bytes: Int

    var bounds: [StoredBound] {
        [
            StoredBound("partition", partition, in: StoredBound.partitions),
            StoredBound("items", items, in: StoredBound.items),
            StoredBound("hosts", hosts, most: 10_000_000),
            StoredBound("seconds", seconds, in: StoredBound.seconds),
            StoredBound("after", after, in: StoredBound.partitions),
            StoredBound("bytes", bytes, in: StoredBound.bytes),
        ]
    }

    /// The leaf that stands for it in the plan's tree.
    var leaf: Data { Data(JSONLine.text(self).utf8) }
}

/// A partition with its proof that it belongs to a plan: `partitions/000123.json`.
struct PartitionEntry: Sendable, StoredRecord {
    let entry: PlannedPartition
    /// The hashes from the partition up to the root of the plan.
    let proof: [SHA256Name]

    var bounds: [StoredBound] {
        [
            StoredBound("entry", entry),
            StoredBound("proof", requires: proof.count <= 64, "has more than 64 hashes"),
        ]
    }
}
