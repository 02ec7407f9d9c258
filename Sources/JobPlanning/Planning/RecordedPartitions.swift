import Files
import Foundation
package import JobManifest

/// The partitions of a job that have a state: a file beside the job's own, named after it.
package struct RecordedPartitions: Sendable {
    /// The number of partitions that the items are divided into; 0 if none has a state.
    package let count: Int
    /// The options of each partition that has a state, in the order of their numbers.
    package let options: [RunOptions]
    private let folder: String

    /// Finds the partitions of `manifest`; each has `options` and its own state.
    /// - Throws: `RunError.wrongInput` for states of partitions that do not belong together, and for a state without a
    /// place; `RunError.machine` if the folder of the states cannot be read.
    package init(of manifest: Manifest, options: RunOptions) throws(RunError) {
        try options.checkState(of: manifest)
        folder = Folder.enclosing(options.namedState(of: manifest))
        let found = try options.partitionsWithState(of: manifest)
        let counts = Set(found.map(\.count)).sorted()
        guard counts.count <= 1 else {
            throw .wrongInput(
                """
                \(manifest.shownPath): \(folder) has states of \(counts.map(String.init).joined(separator: " and of ")) \
                partitions: give --shard I/N, such as 1/\(counts[0]), or remove the states of the former partitions
                """
            )
        }
        count = counts.first ?? 0
        self.options = found.map { partition in
            var options = options
            options.shard = partition
            return options
        }
    }

    /// A sentence that names the partitions without a state; nil if each has one.
    package var warning: String? {
        let present = Set(options.compactMap(\.shard?.number))
        let missing = count - present.count
        guard missing > 0 else { return nil }
        let names = (1...count).lazy.filter { !present.contains($0) }.prefix(10).map { "\($0)/\(count)" }
        let rest = missing > 10 ? " and \(Quantity.grouped(missing - 10)) more" : ""
        return """
            partitions without a state in \(folder) are left out: \(names.joined(separator: ", "))\(rest) (run them, or copy \
            their states from the machines that did)
            """
    }
}

extension RunOptions {
    /// Returns the paths of the other states of the same job: that of the whole job, and those of all partitions.
    /// - Throws: `RunError.machine` if the folder of the states cannot be read.
    package func otherStates(of manifest: Manifest) throws(RunError) -> [String] {
        let partitions = try partitionsWithState(of: manifest)
        let paths = [namedState(of: manifest)] + partitions.map { namedState(of: manifest, $0) }
        // A symbolic link to this state is not another state.
        let this = (statePath(of: manifest) as NSString).resolvingSymlinksInPath
        return try RunError.wrapping {
            try paths.filter { path in
                try Presence.exists(path) && (path as NSString).resolvingSymlinksInPath != this
            }
        }
    }

    /// Returns the path of the state that a partition (nil: the whole job) has without `--state-file`.
    fileprivate func namedState(of manifest: Manifest, _ partition: Partition? = nil) -> String {
        var options = self
        (options.state, options.shard) = (nil, partition)
        return options.statePath(of: manifest)
    }

    /// Returns the partitions whose states are beside that of the whole job, by count and number.
    fileprivate func partitionsWithState(of manifest: Manifest) throws(RunError) -> [Partition] {
        let whole = namedState(of: manifest)
        let names: [String]
        do {
            names = try Folder(path: Folder.enclosing(whole)).names()
        } catch {
            guard error.isMissing else { throw RunError(error) }
            return []
        }
        let name = String(whole.parts(at: "/").last ?? "")
        // No name of a file contains a slash: it marks the place of the partition.
        let ends = FilePath.inserting("/", beforeExtensionOf: name).parts(at: "/").map(String.init)
        let (start, end) = (ends[0] + ".shard-", ends[1])
        return names.compactMap { other -> Partition? in
            guard other.hasPrefix(start), other.hasSuffix(end) else { return nil }
            let middle = String(other.dropFirst(start.count).dropLast(end.count))
            guard let partition = Partition(middle.replacing("-of-", with: "/")),
                // No run names its state `shard-01-of-4`.
                namedState(of: manifest, partition).hasSuffix("/" + other)
            else { return nil }
            return partition
        }.sorted { ($0.count, $0.number) < ($1.count, $1.number) }
    }
}
