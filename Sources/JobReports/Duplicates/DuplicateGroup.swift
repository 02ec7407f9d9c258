import JobManifest
import JobPlanning
import JobStorage

/// An item with its near copies: a line of `duplicates --json`.
public struct DuplicateGroup: Sendable, Encodable {
    /// An item of a group.
    public struct Item: Sendable, Encodable {
        /// The position in the manifest, over all sources, from 1.
        public let index: Int
        @Nullable var id: String?
        /// The URL as given, without a user and password.
        public let url: String
        /// The row that lists it, such as `urls.txt:17`.
        public let location: String
        /// The state of the item.
        public let state: String

        /// The URL for people's eyes: its query is hidden.
        public var shownURL: String { ItemListing.shown(url) }

        init(_ record: ItemRecord) {
            index = record.ordinal
            url = ItemListing.withoutUser(record.url)
            (location, state) = (record.location, record.state.rawValue)
            id = record.id
        }
    }

    /// A near copy.
    public struct Copy: Sendable, Encodable {
        /// The number of bits, 0 to 256, in which its hash differs from that of the first item.
        public let distance: Int
        /// The item.
        public let item: Item
    }

    /// The item that comes first in the manifest.
    public let first: Item
    /// Its near copies, in the manifest's order.
    public let copies: [Copy]
}
