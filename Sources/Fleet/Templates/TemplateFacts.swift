import Foundation
import JobManifest
import JobPlanning

/// The facts of a plan that a submission file is filled in with.
package struct TemplateFacts: Sendable {
    /// The program, as the nodes find it.
    package var program = "nuke-batch"
    /// The store: the absolute path of a folder, or `s3://bucket/prefix`.
    package var store: String
    /// A name of letters, digits and hyphens.
    package var job: String
    /// The number of partitions.
    package var partitions: Int
    /// The time that a partition should take, in minutes; it is over after twice that.
    package var minutes: Int
    /// The plan's hash.
    package var hash: SHA256Name
    /// The image of containers, which holds the program.
    package var image = "nuke-batch:latest"

    /// Creates the facts of a plan.
    package init(_ plan: FleetPlan, store: String) {
        self.store = store
        job = Self.identifier(FilePath.stem(of: plan.manifest.path))
        partitions = plan.partitions.count
        minutes = plan.minutes
        hash = plan.hash
    }

    /// The minutes after which an engine should end a task that hangs: the worker ends itself before.
    var limit: Int { 2 * minutes + 10 }

    /// The most tasks of one array, with the partitions that each does; together they are the plan.
    func tasks(most: Int) -> (count: Int, stride: Int) {
        let stride = max(1, (partitions + most - 1) / most)
        return ((partitions + stride - 1) / stride, stride)
    }

    /// The store as a word of a shell.
    var quotedStore: String { Shell.quoted(store) }

    private static func identifier(_ name: String) -> String {
        let letters = name.lowercased().unicodeScalars.map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                ? Character(scalar) : "-"
        }
        // A name of Kubernetes begins and ends with a letter or digit (RFC 1123).
        let text = String(letters.prefix(40)).trimmingCharacters(in: ["-"])
        return "nuke-batch-\(text.isEmpty ? "job" : text)"
    }
}
