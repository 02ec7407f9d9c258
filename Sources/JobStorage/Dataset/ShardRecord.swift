import SQLite

/// A tar file of a dataset, as recorded.
public struct ShardRecord: Hashable, Sendable {
    /// The row's ID.
    public let shardID: Int64
    /// The number in its name: 3 is `00003.tar`, and `00003.tar.part` while it is being written.
    public var number: Int
    /// The number of items in it.
    public var items: Int
    /// The size that is durable and recorded, in bytes; what a `.part` has beyond it is ignored.
    public var bytes: Int
    /// The identifier of its upload to an object store; nil for a file, and before the upload was begun.
    public var upload: String?

    /// The format of an unfinished shard in a bucket: only a tar file is an upload while items are added.
    package var formatInBucket: Shard.Format { upload == nil ? .parquet : .tar }

    /// True if the number of a shard in a bucket is known to be reserved: what follows the reservation is recorded.
    package var isReserved: Bool { upload != nil || items > 0 }

    /// The columns of a row from which a record is made; of a state without uploads, NULL stands for that column.
    static let columns = "shard_id, number, items, bytes, upload"
}

extension ShardRecord {
    init(_ row: Statement) {
        shardID = row["shard_id"]
        number = row["number"]
        items = row["items"]
        bytes = row["bytes"]
        upload = row["upload"]
    }
}

/// A part of an unfinished shard that an object store has acknowledged.
public struct ShardPart: Hashable, Sendable {
    /// The number, from 1.
    public let number: Int
    /// The entity tag that the store gave it.
    public let etag: String
    /// SHA-256 in base64, as the store told it; nil if it keeps none.
    public let sha256: String?
    /// The size in bytes.
    public let bytes: Int

    /// Describes a part.
    public init(number: Int, etag: String, sha256: String?, bytes: Int) {
        (self.number, self.etag, self.sha256, self.bytes) = (number, etag, sha256, bytes)
    }
}
