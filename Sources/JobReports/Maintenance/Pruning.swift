import Files
import Foundation
public import JobManifest
public import JobPlanning
import JobStorage

/// Orphaned outputs: files or objects that earlier runs wrote and the manifest no longer asks for.
public struct Pruning: Sendable {
    /// An orphaned file and the action for it.
    public struct File: Sendable, Encodable {
        /// The action for a file.
        public enum Fate: String, Sendable, Encodable {
            /// The file is unchanged and will be removed.
            case remove
            /// The file is already gone; only its record is removed.
            case gone
            /// Another output, maybe one of another partition, now has this path; only the record is removed.
            case taken
            /// The file has changed since it was written, and stays.
            case changed
        }

        /// The path relative to the destination.
        public let path: String
        /// The name of the output.
        public let name: String
        /// The URL of the item.
        public let url: String
        /// Its size when it was written, in bytes.
        public let bytes: Int
        /// The action.
        public let fate: Fate
    }

    /// All orphaned files, sorted by path, then shards of which nothing is current, and unfinished uploads to former destinations.
    public let files: [File]
    /// The outputs that identify a destination as the job's.
    private static let sample = 20

    /// The number of all outputs and files of markup that the state records, orphaned or not.
    private let recorded: Int
    /// True if the manifest, as last planned, has no items.
    private let isEmpty: Bool
    private let records: [RecordedFile]
    private let shards: SupersededShards
    private let uploads: OrphanedUploads
    private let outputs: StoredOutputs
    private let manifest: Manifest
    private let options: RunOptions

    /// Finds the orphaned files of `manifest`, as last planned; changes nothing.
    /// - Throws: `RunError.machine` if the state cannot be read.
    public init(_ manifest: Manifest, options: RunOptions = RunOptions()) async throws(RunError) {
        do {
            let manifest = try options.applied(to: manifest)
            (self.manifest, self.options) = (manifest, options)
            let outputs = try StoredOutputs(manifest)
            self.outputs = outputs
            let reader = try JobReader(path: options.statePath(of: manifest))
            let revision = try reader?.revision()
            let records: [RecordedFile] = revision == nil ? [] : try reader?.unwantedFiles() ?? []
            isEmpty = revision?.items == 0
            recorded = revision == nil ? 0 : try reader?.recordedCount() ?? 0
            let states = try options.otherStates(of: manifest) + [options.statePath(of: manifest)]
            let taken = try Self.taken(records, by: states, in: outputs)
            self.records = records
            shards = try await SupersededShards(manifest, reader, in: outputs)
            uploads = try OrphanedUploads(manifest, reader)
            var problems: [StoredOutputs.Problem?] = []
            for start in stride(from: 0, to: records.count, by: 1000) {
                problems += try await outputs.problems(
                    Array(records[start..<min(start + 1000, records.count)])
                )
            }
            let orphans = zip(records, problems).map { record, problem in
                File(
                    path: record.path,
                    name: record.name,
                    url: ItemListing.withoutUser(record.url),
                    bytes: record.bytes,
                    fate: taken.contains(BytePath(record.path)) ? .taken : Self.fate(of: record, problem)
                )
            }
            files = orphans + shards.files + uploads.files
        } catch {
            throw RunError(error)
        }
    }

    /// Removes the orphaned files or objects and their records, and folders that become empty.
    ///
    /// `limit` is what may be removed at once; without one, half of the recorded outputs, and nothing if the manifest has no items
    /// any more. `command` allows it, for the message.
    ///
    /// Files are removed first: an interruption leaves records without files, which the next call removes.
    /// - Throws: `RunError.held` during a run of the job or of one of its partitions, `wrongInput` for more than may be removed, and
    ///   for a destination that has no output of the job, since a record is all that is known of a file; `RunError.machine`.
    public func remove(
        atMost limit: DeletionLimit? = nil,
        command: String = "prune --delete"
    ) async throws(RunError) {
        try Self.check([self], atMost: limit, command: command)
        try await removeAll()
    }

    /// Removes what was found, as `remove(atMost:command:)` does, after a check of all partitions.
    package func removeAll() async throws(RunError) {
        try await RunError.wrapping {
            let statePath = options.statePath(of: manifest)
            let store = try JobStore(path: statePath)
            defer { store.close() }
            try await requireOutputs(store.reader)
            let others = try options.otherStates(of: manifest)
            // A run of another partition could write one of the files just now, with equal bytes.
            let locks = try StateLocks(others, besides: statePath)
            defer { withExtendedLifetime(locks) {} }
            // Until now, no state was locked.
            let taken = try Self.taken(records, by: others + [statePath], in: outputs)
            for file in files.prefix(records.count)
            where file.fate == .remove && !taken.contains(BytePath(file.path)) {
                try await outputs.remove(file.path)
            }
            try await shards.remove(from: store)
            try await uploads.remove(from: store)
            try outputs.sync()
            let forgotten = zip(files, records).filter { $0.0.fate != .changed }.map(\.1)
            try store.forget(forgotten)
        }
    }

    /// The recorded outputs that would be removed.
    private var removable: Int {
        files.prefix(records.count).count { $0.fate == .remove } + shards.outputCount
    }

    /// Checks that not too many outputs of partitions, or of a whole job, are removed at once.
    ///
    /// `limit` and `command` are those of `remove(atMost:command:)`.
    /// - Throws: `RunError.wrongInput` with the command that allows it.
    package static func check(
        _ parts: [Pruning],
        atMost limit: DeletionLimit?,
        command: String
    ) throws(RunError) {
        let count = parts.reduce(0) { $0 + $1.removable }
        let recorded = parts.reduce(0) { $0 + $1.recorded }
        let isEmpty = parts.allSatisfy(\.isEmpty)
        let isAllowed = (limit ?? .standard).allows(count, of: recorded)
        guard count > 0, !isAllowed || limit == nil && isEmpty else { return }
        let reason =
            isEmpty
            ? "the manifest has no items any more"
            : limit == nil ? "that is more than half" : "--max-delete allows fewer"
        throw RunError.wrongInput(
            """
            \(count) of \(recorded) recorded \(Quantity.noun("output", recorded)) would be removed, but \(reason): if that is right, \
            \(command) --max-delete \(count)
            """
        )
    }

    /// Checks that the destination is that of the job, if no orphan is found in it.
    private func requireOutputs(_ reader: JobReader) async throws {
        guard !records.isEmpty, files.prefix(records.count).allSatisfy({ $0.fate == .gone }) else { return }
        let wanted = try reader.files().prefix(Self.sample)
        for output in wanted where try await outputs.exists(output.shard ?? output.path) { return }
        guard !wanted.isEmpty || options.destination != nil else { return }
        throw RunError.wrongInput(
            "\(manifest.destination) has no output of the job, so nothing was removed or forgotten: name the destination that has them"
        )
    }

    /// Returns the paths of `records` that outputs of these states have now, also in other letters where the file system takes them
    /// for the same.
    private static func taken(
        _ records: [RecordedFile],
        by states: [String],
        in outputs: StoredOutputs
    ) throws -> Set<BytePath> {
        guard !records.isEmpty else { return [] }
        let paths = Set(records.map { BytePath($0.path) })
        return try states.reduce(into: []) { taken, state in
            guard let reader = try JobReader(path: state) else { return }
            taken.formUnion(try reader.wantedPaths(among: paths))
            guard let folder = outputs.folder else { return }
            for (path, wanted) in try reader.wantedPaths(likened: paths) {
                // One that cannot be examined is not the other, which can.
                let files = [path, wanted].map { (try? folder.examine($0))?.inode }
                if files[0] != nil, files[0] == files[1] { taken.insert(path) }
            }
        }
    }

    private static func fate(of record: RecordedFile, _ problem: StoredOutputs.Problem?) -> File.Fate {
        if record.isShared { return .taken }
        switch problem?.word {
        case nil: return .remove
        case "missing": return .gone
        default: return .changed
        }
    }
}
