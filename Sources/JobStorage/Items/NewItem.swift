package import Files

/// A row of a manifest's list to be stored.
public struct NewItem: Hashable, Sendable {
    /// The position in the manifest, over all sources; no two rows have the same.
    public var ordinal: Int
    /// The URL as given.
    public var url: String
    /// The item's own headers as written, as JSON with sorted keys: this text is part of the item's identity.
    public var headersJSON: String?
    /// The ID given to it.
    public var id: String?
    /// The host in lower case, for rate limiting; empty for files and `data:` URLs.
    public var host: String
    /// The priority: 0 (very low), 2 (normal) to 4 (very high).
    public var priority = 2
    /// The manifest's source that lists it, from 0.
    public var source = 0
    /// The columns and variables for its paths, as JSON.
    public var varsJSON: String?
    /// The list and line that name it, such as `urls.txt:17`, for messages.
    public var location = ""
    /// A text that changes when the original does (size and time of a local file); nil if nothing is known.
    public var validator: String?
    /// A number that changes when the paths of its outputs do, such as a hash of them; nil if nothing is known.
    public var placement: Int64?
    /// The reason why it cannot be loaded, known from the row alone; it is recorded as failed at once.
    public var problem: RecordedError?

    /// Describes a row; `change` sets the values that most rows lack.
    public init(
        ordinal: Int,
        url: String,
        id: String? = nil,
        host: String,
        _ change: (inout Self) -> Void = { _ in }
    ) {
        (self.ordinal, self.url, self.id, self.host) = (ordinal, url, id, host)
        change(&self)
    }

    /// The first 64 bits of SHA-256 over URL, headers and ID, joined by zero bytes.
    ///
    /// With SHA-256, nobody can write a list whose keys are all equal. Different items with equal keys are still possible:
    /// they are told apart by their texts.
    public var key: Int64 { key(RunningDigest()) }

    /// Computes `key` with `digest`, which many keys may share.
    package func key(_ digest: RunningDigest) -> Int64 {
        digest.append(url)
        digest.append("\0")
        if let headersJSON { digest.append(headersJSON) }
        digest.append("\0")
        if let id { digest.append(id) }
        return Int64(bitPattern: digest.restart())
    }
}
