import Files
import Foundation
import JobManifest
package import JobPlanning

/// The immutable description of a job for many machines: `plan.json`.
package struct FleetPlan: Sendable, Codable {
    /// The version of the format.
    static let version = 1

    /// The format's version, 1.
    package let version: Int
    /// The plan's name: SHA-256 of everything else in it, in hexadecimal.
    package fileprivate(set) var hash: String
    /// The manifest and the files that it uses.
    package let manifest: BundledManifest
    /// The number of items, without duplicates.
    package let items: Int
    /// The number of rows that repeat another.
    package let duplicates: Int
    /// The time below which no number of machines can bring the job: the largest `items / rate` of a host, in seconds.
    package let floorSeconds: Double
    /// The time that a partition should take, in minutes; what is not done after twice that is deferred.
    package let minutes: Int
    /// The partitions, by their number.
    package let partitions: [PlannedPartition]

    /// Creates a plan, and names it.
    init(
        manifest: BundledManifest,
        duplicates: Int,
        floorSeconds: Double,
        minutes: Int,
        partitions: [PlannedPartition]
    ) {
        version = Self.version
        hash = ""
        self.manifest = manifest
        items = partitions.reduce(0) { $0 + $1.items }
        self.duplicates = duplicates
        self.floorSeconds = floorSeconds
        self.minutes = minutes
        self.partitions = partitions
        hash = computedHash
    }

    /// SHA-256 of the plan without its hash.
    private var computedHash: String {
        var plan = self
        plan.hash = ""
        return Digest.sha256.hex(of: JSONLine.text(plan))
    }

    /// True if the plan is as it was made.
    var isIntact: Bool { hash == computedHash }
}

/// A partition in the plan.
package struct PlannedPartition: Sendable, Codable, Equatable {
    /// A host of a partition.
    package struct Host: Sendable, Codable, Equatable {
        /// The name, with any port but the default; empty for files, `s3://bucket` for a bucket.
        package let host: String
        /// The items of this host in this partition.
        package let items: Int
        /// The requests a second that the partition may send to it; null without a limit.
        package let rate: Double?
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
    /// SHA-256 of the partition's lines before they are compressed, in hexadecimal.
    package let sha256: String
}

/// The part of a plan that every worker needs: `job.json`.
struct FleetJob: Sendable, Codable {
    /// The plan's hash.
    let plan: String
    let version: Int
    let minutes: Int
    let partitions: Int
    let manifest: BundledManifest

    init(_ plan: FleetPlan) {
        self.plan = plan.hash
        version = plan.version
        minutes = plan.minutes
        partitions = plan.partitions.count
        manifest = plan.manifest
    }
}

/// The entry of a partition with the plan that it belongs to: `partitions/000123.json`.
struct PartitionEntry: Sendable, Codable {
    let plan: String
    let entry: PlannedPartition
}

extension FleetStore {
    /// Returns the plan.
    /// - Throws: `RunError.wrongInput` if there is none, `machine` if it is damaged.
    package func plan() async throws(RunError) -> FleetPlan {
        guard let plan = try await decode(FleetPlan.self, at: FleetKey.plan) else {
            throw .wrongInput(
                "\(place) has no plan: make one with nuke-batch fleet plan MANIFEST --store \(place)"
            )
        }
        guard plan.version == FleetPlan.version else {
            throw .wrongInput(
                "\(appending(FleetKey.plan)) has version \(plan.version): this release reads version \(FleetPlan.version)"
            )
        }
        guard plan.isIntact else {
            throw .machine(
                "\(appending(FleetKey.plan)) was changed: it does not have its own hash. Plan again with an empty store"
            )
        }
        return plan
    }

    /// Returns the items of a partition.
    /// - Throws: `RunError.machine` if its file is not what was planned.
    func lines(of entry: PlannedPartition) async throws(RunError) -> [PartitionLine] {
        let key = FleetKey.items(entry.partition)
        guard let file = try await read(key), let text = Gzip.decompress(file, limit: Self.lineLimit),
            Digest.sha256.hex(of: text) == entry.sha256
        else { throw .machine("\(appending(key)) is not what was planned: plan again with an empty store") }
        do throws(SourceError) { return try PartitionLine.all(in: text, name: key) } catch {
            throw RunError(error)
        }
    }
}
