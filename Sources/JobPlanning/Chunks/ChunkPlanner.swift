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
    /// The outputs whose paths are known before anything is loaded.
    private let known: [Int]
    private let shard: Partition?

    /// Creates a planner of chunks of the items of `shard`, or of all items.
    init(_ manifest: Manifest, shard: Partition?) {
        templates = manifest.plannedPaths
        known = manifest.outputsKnownInPlanning
        self.shard = shard
    }

    /// Plans a chunk; items of other partitions have paths, but no rows.
    func plan(_ chunk: ItemChunk) -> PlannedChunk {
        var planned = PlannedChunk(rows: NewItems(capacity: chunk.count))
        planned.claims.reserveCapacity(chunk.count * known.count)
        let digest = RunningDigest()
        chunk.forEach { item in
            let pieces = URLPieces(item)
            let paths = OutputPath.planned(templates, for: item, pieces)
            if !known.isEmpty, item.problem == nil {
                let number = item.identityHash
                for output in known {
                    planned.claims.append(PathCollisions.Claim(paths[output], output: output, of: number))
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

    /// The outputs whose paths are known before anything is loaded.
    package var outputsKnownInPlanning: [Int] {
        plannedPaths.indices.filter { plannedPaths[$0].isKnownInPlanning }
    }
}
