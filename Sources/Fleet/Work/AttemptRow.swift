import Files
import Foundation
import JobPlanning
import JobStorage

/// The end of an item in one attempt at its partition: a line of an attempt file.
struct AttemptRow: Sendable, Codable, Equatable {
    /// The states in which an attempt leaves an item.
    enum State: String, Sendable, Codable, CaseIterable {
        case done, failed, skipped, quarantined
        /// Neither done nor failed for good when the time was over.
        case deferred
    }

    /// An output of an item; `state` is `done`, `skipped` or `failed`.
    struct Output: Sendable, Codable, Equatable {
        let name: String
        let state: String
        let path: String?
        let bytes: Int?
        let sha256: String?
        let width: Int?
        let height: Int?
        let reason: String?
        let encoder: String?
        /// The digest of the settings that it was made with.
        let recipe: String
        /// The offset of its bytes in a shard.
        let offset: Int?

        init(_ output: OutputResult) {
            name = output.name
            state = output.state.rawValue
            (path, bytes, sha256) = (output.path, output.bytes, output.sha256)
            (width, height) = (output.width, output.height)
            (reason, encoder, recipe) = (output.reason, output.encoder, output.recipe)
            offset = output.shardOffset
        }
    }

    /// The item's place in the whole manifest.
    let ordinal: Int
    /// The item's identity.
    let key: String
    let state: State
    /// The error's name.
    let error: String?
    /// One sentence about it.
    let message: String?
    /// The number of attempts at the item.
    let attempts: Int
    /// SHA-256 of the original.
    let original: String?
    /// The facts about the original, as a JSON object.
    let facts: String?
    let outputs: [Output]

    init(_ item: ItemRecord) {
        ordinal = item.ordinal
        key = PartitionLine.key(url: item.url, headersJSON: item.headersJSON, id: item.id)
        state =
            switch item.state {
            case .done: .done
            case .failed: .failed
            case .skipped: .skipped
            case .quarantined: .quarantined
            default: .deferred
            }
        (error, message, attempts) = (item.error, item.message, item.attempts)
        (original, facts) = (item.originalSHA256, item.facts)
        outputs = item.outputs.map(Output.init)
    }
}

extension AttemptRow {
    /// Reads the rows of an attempt's file; throws the error of the first line that is no item, nil for damaged gzip.
    static func all(in file: Data) throws -> [AttemptRow]? {
        guard let text = Gzip.decompress(file, limit: FleetStore.lineLimit) else { return nil }
        let decoder = JSONDecoder()
        return try text.lines.map {
            try decoder.decode(AttemptRow.self, from: $0)
        }
    }
}

extension FleetStore {
    /// Returns the rows of the attempt that a commit names.
    /// - Throws: `RunError.machine` if they are missing or damaged.
    func rows(of commit: PartitionCommit) async throws(RunError) -> [AttemptRow] {
        let key = FleetKey.attempt(commit.attempt, of: commit.partition, "jsonl.gz")
        guard let file = try await read(key), let rows = try? AttemptRow.all(in: file) else {
            throw .machine("\(appending(key)) is missing or damaged")
        }
        return rows
    }
}

/// The items of a partition by the state in which an attempt left them.
package struct AttemptCounts: Sendable, Codable, Equatable {
    package var done = 0
    package var failed = 0
    package var skipped = 0
    package var quarantined = 0
    package var deferred = 0

    /// The number of items.
    package var total: Int { done + failed + skipped + quarantined + deferred }

    mutating func add(_ state: AttemptRow.State) {
        switch state {
        case .done: done += 1
        case .failed: failed += 1
        case .skipped: skipped += 1
        case .quarantined: quarantined += 1
        case .deferred: deferred += 1
        }
    }

    mutating func add(_ other: AttemptCounts) {
        done += other.done
        failed += other.failed
        skipped += other.skipped
        quarantined += other.quarantined
        deferred += other.deferred
    }
}

/// The object that makes one attempt the winner of its partition: `commits/000123.json`.
struct PartitionCommit: Sendable, Codable, Equatable {
    /// The hash of the plan.
    let plan: String
    let partition: Int
    /// The attempt's ID.
    let attempt: String
    let counts: AttemptCounts
    /// SHA-256 of the attempt's file as it is stored, in hexadecimal.
    let sha256: String
    /// The version of nuke-batch that worked.
    let version: String
    /// The machine that worked.
    let node: String
    /// RFC 3339, UTC.
    let started: String
    /// RFC 3339, UTC.
    let ended: String
    /// Bytes of originals that came from the network.
    let networkBytes: Int
}

/// The object that tells of an attempt: `attempts/000123/ID.started`.
struct StartedAttempt: Sendable, Codable, Equatable {
    let attempt: String
    let node: String
    /// RFC 3339, UTC.
    let started: String
}
