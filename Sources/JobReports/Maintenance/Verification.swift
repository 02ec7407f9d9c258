import Files
import Foundation
public import JobManifest
public import JobPlanning
import JobStorage

/// Compares the files of finished outputs, and those of their markup, with their records; changes nothing by itself.
public struct Verification: Sendable {
    /// A file that differs from its record.
    public struct Damage: Sendable, Encodable {
        /// The item's URL as given.
        public let url: String
        /// The output's name.
        public let name: String
        /// The path relative to the destination.
        public let path: String
        /// The kind of problem: `missing`, `size`, `content` or `unreadable`.
        public let problem: String
        /// A sentence about the problem.
        public let message: String
        let itemID: Int64
        let isMarkup: Bool

        private enum CodingKeys: String, CodingKey {
            case url, name, path, problem, message
        }
    }

    /// The number of outputs and files of markup that were checked.
    public private(set) var checked = 0
    /// The files that differ from their records.
    public private(set) var damaged: [Damage] = []
    private let statePath: String

    /// Reads every finished output of `manifest` and its markup; `body` is called with each that is damaged, as it is found.
    ///
    /// A run may be active meanwhile. Reads whole files, one after the other, on the calling thread.
    /// - Throws: `RunError.machine` if the state cannot be read.
    public init(
        _ manifest: Manifest,
        options: RunOptions = RunOptions(),
        _ body: (Damage) -> Void = { _ in }
    ) throws(RunError) {
        do {
            let manifest = try options.applied(to: manifest)
            statePath = options.statePath(of: manifest)
            guard let reader = try JobReader(path: statePath), try reader.revision() != nil else {
                return
            }
            let destination = try Self.open(manifest.destinationPath)
            let parquet = ParquetShards(destination)
            func check(_ file: OutputRecord, isMarkup: Bool) {
                checked += 1
                let found = parquet.holds(file) ? parquet.problem(file) : Self.problem(file, in: destination)
                guard let (problem, message) = found else { return }
                let damage = Damage(
                    url: ItemListing.withoutUser(file.url),
                    name: file.name,
                    path: file.path,
                    problem: problem,
                    message: message,
                    itemID: file.itemID,
                    isMarkup: isMarkup
                )
                damaged.append(damage)
                body(damage)
            }
            try reader.forEachFile { check($0, isMarkup: false) }
            // Markup that the manifest no longer asks for is orphaned by the next run.
            guard !manifest.markups.isEmpty else { return }
            try reader.forEachMarkupFile { check($0, isMarkup: true) }
        } catch {
            throw RunError(error)
        }
    }

    /// Forgets the damaged outputs, so that the next run remakes them from the cached originals, and damaged markup with
    /// them.
    /// - Throws: `RunError.held` during a run, `RunError.machine`.
    public func forgetDamaged() throws(RunError) {
        guard !damaged.isEmpty else { return }
        do {
            let store = try JobStore(path: statePath)
            defer { store.close() }
            if damaged.contains(where: \.isMarkup) { try store.forgetIndexes() }
            try store.requeueOutputs(damaged.filter { !$0.isMarkup }.map { ($0.itemID, $0.name) })
        } catch {
            throw RunError(error)
        }
    }

    /// The destination; nil if it is missing, together with everything in it.
    static func open(_ path: String) throws(FileError) -> Folder? {
        do {
            return try Folder(path: path)
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
    }

    /// Returns the problem of a file as a word and a sentence; nil if the file is unchanged.
    static func problem(_ file: OutputRecord, in destination: Folder?) -> (word: String, sentence: String)? {
        if file.shardOffset != nil { return shardProblem(file, in: destination) }
        guard let destination, let status = destination.status(of: file.path) else {
            return ("missing", "the file is missing")
        }
        guard status.size == file.bytes else {
            return ("size", "the file has \(status.size) bytes; \(file.bytes) were written")
        }
        do {
            let data = try destination.read(file.path, limit: file.bytes)
            return Digest.sha256.hex(of: data) == file.sha256
                ? nil : ("content", "the file differs from what was written")
        } catch {
            return ("unreadable", "\(error)")
        }
    }

    /// The problem of a member of a shard, including its header.
    private static func shardProblem(_ file: OutputRecord, in destination: Folder?) -> (String, String)? {
        do {
            let data = try destination?.readOutput(
                file.path,
                shardOffset: file.shardOffset,
                bytes: file.bytes
            )
            guard let data else { return ("missing", "the shard is missing") }
            return Digest.sha256.hex(of: data) == file.sha256
                ? nil : ("content", "the bytes in the shard differ from what was written")
        } catch {
            return error.isMissing ? ("missing", "the shard is missing") : ("unreadable", "\(error)")
        }
    }
}
