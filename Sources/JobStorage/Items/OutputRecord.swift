import SQLite

/// The outcome of one output of an item.
public struct OutputRecord: Hashable, Sendable {
    /// The end of an output.
    public enum State: String, Sendable, Codable {
        /// Its file is durable.
        case done
        /// The output was not needed.
        case skipped
        /// It cannot be made.
        case failed
    }

    /// The obstacle that kept a file from the score that the manifest asks for.
    public enum Shortfall: String, Sendable, Codable {
        /// The highest quality of its format is below it.
        case quality
        /// `maxBytes` is obeyed first.
        case maxBytes
    }

    /// The reason of an output that was skipped because its file existed.
    public static let exists = "exists"

    /// The reason of an output of `widths` that was skipped because a smaller width has the image at full size.
    public static let width = "width"

    /// The reason of a `done` output that another tool made.
    public static let adopted = "adopted"

    /// The beginning of the reason of an output that was skipped because an earlier row has its path.
    public static let pathTaken = "path taken by "

    /// The reason of an output that was skipped because an earlier item has the same original.
    public static let duplicate = "duplicate"

    /// The output's name in the manifest.
    public var name: String
    /// The text that identifies its recipe, as in `OutputRecipe`.
    public var recipe: String
    /// The end of the output.
    public var state: State
    /// The reason of a skipped or failed output; `adopted` for a finished one that another tool made.
    public var reason: String?
    /// The error of an output that failed in this run; the state records its text as `reason`.
    public var failure: RecordedError?
    /// Its path relative to the destination; a `done` output has one.
    public var path: String?
    /// A hash of the original's bytes and the recipe: equal hashes mean equal bytes.
    ///
    /// That of an adopted output has `AdoptedItem.unknownOriginal` in their place until a run loads the original.
    public var spec: String?
    /// The file size in bytes; a `done` output has one.
    public var bytes: Int?
    /// SHA-256 of the file in hexadecimal; a `done` output has one.
    public var sha256: String?
    /// The width in pixels.
    public var width: Int?
    /// The height in pixels.
    public var height: Int?
    /// The file format, such as `webp`; nil if there is no file, or if an earlier release recorded it.
    public var format: String?
    /// The encoder with its version.
    public var encoder: String?
    /// The offset of its bytes in their shard; nil for a file of its own.
    public var shardOffset: Int?
    /// The quality in the format's own numbers; nil if nothing was lost, or if an earlier release made it.
    public var quality: Int?
    /// The score of SSIMULACRA2, at most 100; nil unless the output has a floor.
    public var ssimulacra2: Double?
    /// The reason why the score is below the floor; nil if it is not.
    public var shortfall: Shortfall?

    /// True if its path has these bytes: two paths of one text can be two files, and strings can be equal without that.
    package func isAt(_ path: String) -> Bool {
        self.path.map { $0.utf8.elementsEqual(path.utf8) } ?? false
    }

    /// Describes an output; `change` sets the values that are known besides.
    public init(
        name: String,
        recipe: String,
        state: State,
        reason: String? = nil,
        _ change: (inout Self) -> Void = { _ in }
    ) {
        (self.name, self.recipe, self.state, self.reason) = (name, recipe, state, reason)
        change(&self)
    }

    /// The columns of `output o JOIN recipe r` that `init(_:)` reads.
    static let columns = "\(earlierColumns), o.shard_offset, o.quality, o.ssimulacra2, o.shortfall, o.format"
    /// Those of states of earlier releases, which have no shards, no floors and no formats.
    static let earlierColumns = """
        o.name, r.recipe, o.state, o.reason, o.path, o.spec_sha256, o.bytes, o.sha256, o.width, o.height,
        o.encoder
        """

    init(_ row: Statement) {
        name = row["name"]
        recipe = row["recipe"]
        state = State(rawValue: row["state"]) ?? .failed
        reason = row["reason"]
        path = row["path"]
        spec = row["spec_sha256"]
        bytes = row["bytes"]
        sha256 = row["sha256"]
        width = row["width"]
        height = row["height"]
        format = row["format"]
        encoder = row["encoder"]
        shardOffset = row["shard_offset"]
        quality = row["quality"]
        ssimulacra2 = row["ssimulacra2"]
        let obstacle: String? = row["shortfall"]
        shortfall = obstacle.flatMap(Shortfall.init)
    }
}
