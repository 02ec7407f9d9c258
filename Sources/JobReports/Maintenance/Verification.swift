public import JobManifest
public import JobPlanning
import JobStorage

/// Compares the files or objects of finished outputs, and those of their markup, with their records; changes nothing by itself.
public struct Verification: Sendable {
    /// A file that differs from its record.
    public struct Damage: Sendable, Encodable {
        /// The item's URL as given.
        public let url: String
        /// The output's name.
        public let name: String
        /// The path relative to the destination.
        public let path: String
        /// The kind of problem: `missing`, `size`, `content`, `mixture` or `unreadable`.
        public let problem: String
        /// A sentence about the problem.
        public let message: String
        let itemID: Int64
        let isMarkup: Bool
        /// The file name of the shard that holds it; nil for a file of its own.
        let shard: String?

        private enum CodingKeys: String, CodingKey {
            case url, name, path, problem, message
        }
    }

    /// The number of outputs and files of markup that were checked.
    public private(set) var checked = 0
    /// The files that differ from their records.
    public private(set) var damaged: [Damage] = []
    private let statePath: String
    /// The outputs of sets, of which all files are to be of one original.
    private var sets: Set<String> = []

    /// Checks every finished output of `manifest` and its markup; `body` is called with each that is damaged, as it is found.
    ///
    /// A run may be active meanwhile. Reads whole files, one after the other, on the calling thread; of objects, it reads those
    /// whose digest the store does not keep.
    /// - Throws: `RunError.machine` if the state cannot be read, or the store does not answer.
    public init(
        _ manifest: Manifest,
        options: RunOptions = RunOptions(),
        _ body: (Damage) -> Void = { _ in }
    ) async throws(RunError) {
        do {
            let manifest = try options.applied(to: manifest)
            statePath = options.statePath(of: manifest)
            guard let reader = try JobReader(path: statePath), try reader.revision() != nil else { return }
            let outputs = try StoredOutputs(manifest, reader)
            let parquet = ParquetShards(outputs, state: statePath)
            sets = manifest.outputsInSets
            let mixed = try reader.mixedItems(among: sets)
            var page = try reader.files()
            while let last = page.last {
                try await check(page, isMarkup: false, in: outputs, shards: parquet, mixed: mixed, body)
                page = try reader.files(after: last)
            }
            // Markup that the manifest no longer asks for is orphaned by the next run.
            guard !manifest.markups.isEmpty else { return }
            page = try reader.markupFiles()
            while let last = page.last {
                try await check(page, isMarkup: true, in: outputs, shards: parquet, body)
                page = try reader.markupFiles(after: last)
            }
        } catch {
            throw RunError(error)
        }
    }

    private mutating func check(
        _ files: [RecordedFile],
        isMarkup: Bool,
        in outputs: StoredOutputs,
        shards parquet: ParquetShards,
        mixed: Set<Int64> = [],
        _ body: (Damage) -> Void
    ) async throws {
        checked += files.count
        var others = try await outputs.problems(files.filter { try !parquet.holds($0) })[...]
        for file in files {
            let found = try parquet.holds(file) ? await parquet.problem(file) : others.removeFirst()
            let mixture =
                mixed.contains(file.itemID) && sets.contains(file.name)
                ? ("mixture", "other outputs of this row found those of another row at their paths") : nil
            guard let (problem, message) = found ?? mixture else { continue }
            let damage = Damage(
                url: ItemListing.withoutUser(file.url),
                name: file.name,
                path: file.path,
                problem: problem,
                message: message,
                itemID: file.itemID,
                isMarkup: isMarkup,
                shard: file.shard
            )
            damaged.append(damage)
            body(damage)
        }
    }

    /// True if a member of a shard is damaged.
    public var hasDamagedShards: Bool { damaged.contains { $0.shard != nil } }

    /// Forgets the damaged outputs, so that the next run remakes them from the cached originals, and damaged markup with
    /// them.
    ///
    /// A shard with damage is packed again as a whole: `prune` then removes it, and no reader finds a sample twice.
    /// - Throws: `RunError.held` during a run, `RunError.machine`.
    public func forgetDamaged() throws(RunError) {
        guard !damaged.isEmpty else { return }
        try RunError.wrapping {
            let store = try JobStore(path: statePath)
            defer { store.close() }
            if damaged.contains(where: \.isMarkup) { try store.forgetIndexes() }
            try store.requeueOutputs(
                damaged.filter { !$0.isMarkup && $0.shard == nil }.map { ($0.itemID, $0.name) }
            )
            for shard in Set(damaged.compactMap(\.shard)).sorted() {
                try store.requeueOutputs(try store.reader.outputs(inShard: shard))
            }
        }
    }
}
