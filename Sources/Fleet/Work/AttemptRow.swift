import Foundation
import Imaging
import JobPlanning
import JobStorage

/// The end of an item in one attempt at its partition: a line of an attempt file.
struct AttemptRow: StoredRecord, Equatable {
    /// The states in which an attempt leaves an item: those of ``ItemState`` in which it is finished, and another one.
    enum State: String, Sendable, Codable, CaseIterable {
        case done, failed, skipped, quarantined
        /// Neither done nor failed for good when the time was over.
        case deferred
    }

    /// The most outputs of an item.
    private static let mostOutputs = 10_000

    struct Output: StoredRecord, Equatable {
        let name: String
        let state: OutputRecord.State
        let path: OutputName?
        let bytes: Int?
        let sha256: SHA256Name?
        let width: Int?
        let height: Int?
        let reason: String?
        let format: ImageFormat?
        let encoder: String?
        /// The digest of the settings that it was made with.
        let recipe: String
        /// The offset of its bytes in a shard.
        let offset: Int?
        /// The quality in the format's own numbers.
        let quality: Int?
        /// The score of SSIMULACRA2 of an output with a floor.
        let ssimulacra2: Double?
        /// The reason why the score is below the floor.
        let shortfall: OutputRecord.Shortfall?

        var bounds: [StoredBound] {
            [
                StoredBound("name", name, longest: StoredBound.shortText),
                StoredBound("bytes", bytes, in: StoredBound.bytes),
                StoredBound("width", width, in: 0...(1 << 31)),
                StoredBound("height", height, in: 0...(1 << 31)),
                StoredBound("reason", reason, longest: StoredBound.longText),
                StoredBound("encoder", encoder, longest: StoredBound.shortText),
                StoredBound("recipe", recipe, longest: StoredBound.shortText),
                StoredBound("offset", offset, in: StoredBound.bytes),
                StoredBound("quality", quality, in: 0...100),
                StoredBound("ssimulacra2", requires: ssimulacra2.map { $0 <= 100 } ?? true, "is above 100"),
                StoredBound(
                    "state",
                    requires: state != .done || path != nil && bytes != nil && sha256 != nil,
                    "is done, but path, bytes or sha256 is missing"
                ),
            ]
        }

        init(_ output: OutputRecord) {
            name = output.name
            state = output.state
            path = output.path.flatMap { OutputName(parsing: $0) }
            (bytes, sha256) = (output.bytes, output.sha256.flatMap { SHA256Name(parsing: $0) })
            (width, height) = (output.width, output.height)
            (reason, format) = (output.reason, output.format.flatMap(ImageFormat.init(rawValue:)))
            (encoder, recipe) = (output.encoder, output.recipe)
            (offset, quality) = (output.shardOffset, output.quality)
            (ssimulacra2, shortfall) = (output.ssimulacra2, output.shortfall)
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
    let original: SHA256Name?
    /// The facts about the original, as a JSON object.
    let facts: String?
    let outputs: [Output]

    var bounds: [StoredBound] {
        [
            StoredBound("ordinal", ordinal, in: StoredBound.items),
            StoredBound("key", key, longest: StoredBound.shortText),
            StoredBound("error", error, longest: StoredBound.shortText),
            StoredBound("message", message, longest: StoredBound.longText),
            StoredBound("attempts", attempts, in: 0...1_000_000),
            StoredBound("facts", facts, longest: StoredBound.longText),
            StoredBound("facts", requires: facts.map(Self.isObject) ?? true, "is no JSON object"),
            StoredBound("outputs", outputs, most: Self.mostOutputs),
        ]
    }

    private static func isObject(_ text: String) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(text.utf8))) is [String: Any]
    }

    init(_ item: ItemRecord) {
        ordinal = item.ordinal
        key = PartitionLine.key(url: item.url, headersJSON: item.headersJSON, id: item.id)
        state = State(rawValue: item.state.rawValue) ?? .deferred
        (error, message, attempts) = (item.error, item.message, item.attempts)
        (original, facts) = (item.knownOriginalSHA256.flatMap { SHA256Name(parsing: $0) }, item.facts)
        outputs = item.outputs.map(Output.init)
    }
}

/// The items of a partition by the state in which an attempt left them.
package struct AttemptCounts: StoredRecord, Equatable {
    package var done = 0
    package var failed = 0
    package var skipped = 0
    package var quarantined = 0
    package var deferred = 0

    var bounds: [StoredBound] {
        AttemptRow.State.allCases.map { StoredBound($0.rawValue, self[$0], in: StoredBound.items) }
    }

    /// The number of items.
    package var total: Int { AttemptRow.State.allCases.reduce(0) { $0 + self[$1] } }

    /// The number of items in a state.
    subscript(state: AttemptRow.State) -> Int {
        get { self[keyPath: Self.number(of: state)] }
        set { self[keyPath: Self.number(of: state)] = newValue }
    }

    mutating func add(_ other: AttemptCounts) {
        for state in AttemptRow.State.allCases { self[state] += other[state] }
    }

    private static func number(of state: AttemptRow.State) -> WritableKeyPath<AttemptCounts, Int> {
        switch state {
        case .done: \.done
        case .failed: \.failed
        case .skipped: \.skipped
        case .quarantined: \.quarantined
        case .deferred: \.deferred
        }
    }
}

/// The object that makes one attempt the winner of its partition: `commits/000123.json`.
struct PartitionCommit: StoredRecord, Equatable {
    /// The most bytes of a commit.
    static let limit = 64 << 10

    /// The hash of the plan.
    let plan: SHA256Name
    let partition: Int
    let attempt: AttemptID
    let counts: AttemptCounts
    /// SHA-256 of the attempt's file as it is stored.
    let sha256: SHA256Name
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

    /// The time of its end, in milliseconds since 1970.
    var endedMilliseconds: Int64 {
        Int64(((StoredTime.date(ended)?.timeIntervalSince1970 ?? 0) * 1000).rounded())
    }

    var bounds: [StoredBound] {
        [
            StoredBound("partition", partition, in: StoredBound.partitions),
            StoredBound("counts", counts),
            StoredBound("version", version, longest: StoredBound.shortText),
            StoredBound("node", node, longest: StoredBound.shortText),
            StoredBound("started", requires: StoredTime.date(started) != nil, "is no time of RFC 3339"),
            StoredBound("ended", requires: StoredTime.date(ended) != nil, "is no time of RFC 3339"),
            StoredBound("networkBytes", networkBytes, in: StoredBound.bytes),
        ]
    }
}

/// The object that marks an attempt: `attempts/000123/ID.started`.
struct StartedAttempt: StoredRecord, Equatable {
    let attempt: AttemptID
    let node: String
    /// RFC 3339, UTC.
    let started: String

    var bounds: [StoredBound] {
        [
            StoredBound("node", node, longest: StoredBound.shortText),
            StoredBound("started", requires: StoredTime.date(started) != nil, "is no time of RFC 3339"),
        ]
    }
}
