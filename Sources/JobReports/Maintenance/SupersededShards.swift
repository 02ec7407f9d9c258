import JobManifest
import JobStorage

/// Shards of a dataset of which nothing is current, as after a repair or with another recipe.
struct SupersededShards: Sendable {
    /// A shard, and its file if that exists.
    private struct Entry: Sendable {
        let shard: ShardRecord
        let path: String?
    }

    /// The number of recorded outputs that are in the shards: those of items that have left the manifest.
    let outputCount: Int
    private let entries: [Entry]
    private let outputs: StoredOutputs
    private let destination: String

    /// Finds the shards in a state; `reader` is nil for a job that was never run.
    /// - Throws: `JobStoreError`; `StoreError` if the store cannot tell.
    init(_ manifest: Manifest, _ reader: JobReader?, in outputs: StoredOutputs) async throws {
        (self.outputs, destination) = (outputs, manifest.destinationText)
        var entries: [Entry] = []
        if manifest.dataset?.pack != nil, let reader, try reader.revision() != nil {
            for shard in try reader.supersededShards(of: manifest.destinationText) {
                entries.append(Entry(shard: shard, path: try await Self.path(of: shard, in: outputs)))
            }
        }
        self.entries = entries
        let paths = Set(entries.compactMap(\.path))
        outputCount = paths.isEmpty ? 0 : try reader?.outputs(inShards: paths).count ?? 0
    }

    /// The shards as `prune` lists them.
    var files: [Pruning.File] {
        entries.map { entry in
            Pruning.File(
                path: entry.path ?? Shard.name(entry.shard.number, .tar),
                name: "shard",
                url: "",
                bytes: entry.shard.bytes,
                fate: entry.path == nil ? .gone : .remove
            )
        }
    }

    /// Removes the shards with their statistics, and forgets them.
    /// - Throws: `FileError`, `StoreError`, `JobStoreError`.
    func remove(from state: JobStore) async throws {
        guard !entries.isEmpty else { return }
        // A run may have packed items again since, or found them in the manifest.
        let superseded = Set(try state.reader.supersededShards(of: destination))
        for entry in entries where superseded.contains(entry.shard) {
            for path in [entry.path, Shard.statisticsName(entry.shard.number)].compactMap(\.self)
            where try await outputs.exists(path) {
                try await outputs.remove(path)
            }
            try outputs.sync()
            try state.forget(superseded: entry.shard)
        }
    }

    /// The file of a shard in the format in which it was packed; nil if there is none.
    private static func path(of shard: ShardRecord, in outputs: StoredOutputs) async throws -> String? {
        for format in Shard.Format.allCases {
            let name = Shard.name(shard.number, format)
            if try await outputs.exists(name) { return name }
        }
        return nil
    }
}
