import Files
import JobManifest
import JobStorage

/// The rows of a chunk of items for the store, and the paths of their outputs.
struct PlannedChunk: Sendable {
    fileprivate(set) var rows: NewItems
    fileprivate(set) var claims: [PathCollisions.Claim] = []
}

/// Parses chunks of items, names their outputs and hashes both, on any thread.
struct ChunkPlanner: Sendable {
    /// The templates of all outputs; none if outputs have no paths of their own.
    private let templates: [OutputPath]
    /// The paths that rows compete for.
    private let claimed: [ClaimedPath]
    private let shard: Partition?

    /// Creates a planner of chunks of the items of `shard`, or of all items.
    init(_ manifest: Manifest, shard: Partition?) {
        templates = manifest.plannedPaths
        claimed = manifest.claimedPaths
        self.shard = shard
    }

    /// Plans a chunk; items of other partitions have paths, but no rows.
    func plan(_ chunk: ItemChunk) -> PlannedChunk {
        var planned = PlannedChunk(rows: NewItems(capacity: chunk.count))
        planned.claims.reserveCapacity(chunk.count * claimed.count)
        let digest = RunningDigest()
        chunk.forEach { item in
            let pieces = URLPieces(item)
            let paths = OutputPath.planned(templates, for: item, pieces)
            if !claimed.isEmpty, item.problem == nil {
                let number = item.identityHash
                for path in claimed {
                    planned.claims.append(
                        PathCollisions.Claim(paths[path.output], output: path.output, of: number)
                    )
                }
            }
            let row = NewItem(item, host: pieces.authority, paths: paths)
            let key = row.key(digest)
            if shard?.contains(key: key) ?? true { planned.rows.append(row, key: key) }
        }
        return planned
    }
}

extension Manifest {
    /// The templates of the outputs' paths; none in shards, where outputs have no paths of their own.
    var plannedPaths: [OutputPath] { dataset?.pack == nil ? outputs.map(\.path) : [] }

    /// The paths for which rows compete in planning.
    ///
    /// Outputs that differ only in the width or height in their paths have one: a set of pictures is of one original.
    package var claimedPaths: [ClaimedPath] {
        var claimed: [ClaimedPath] = []
        var sets: [String: Int] = [:]
        for (index, path) in plannedPaths.enumerated() where path.isDecidedInPlanning {
            if !path.isKnownInPlanning, let set = sets[path.description] {
                claimed[set].outputs.append(index)
                continue
            }
            if !path.isKnownInPlanning { sets[path.description] = claimed.count }
            claimed.append(ClaimedPath(outputs: [index]))
        }
        return claimed
    }

    /// The names of outputs for which planning decides although their paths are known only later.
    package var outputsInSets: Set<String> {
        Set(
            zip(outputs, plannedPaths).filter { $1.isDecidedInPlanning && !$1.isKnownInPlanning }.map(
                \.0.name
            )
        )
    }
}

/// A path that an item's row claims: that of one output, or that of a set of outputs in which only their size differs.
package struct ClaimedPath: Sendable {
    /// The outputs by their index in the manifest, the first of which stands for all.
    package fileprivate(set) var outputs: [Int]

    /// The output that stands for the set.
    package var output: Int { outputs[0] }
}
