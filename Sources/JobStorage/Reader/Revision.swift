/// A manifest that was planned.
public struct Revision: Hashable, Sendable {
    /// The row's ID.
    public let revisionID: Int64
    /// SHA-256 of the manifest in hexadecimal.
    public let manifestSHA256: String
    /// The fingerprints of its lists.
    public let lists: String
    /// The number of different items that it lists.
    public let items: Int
    /// The number of its rows that repeat another row.
    public let duplicates: Int
    /// The time of the planning, in milliseconds since 1970.
    public let planned: Int64
}
