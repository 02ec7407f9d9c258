import Files
import JobPlanning

/// The table of items that `items` and a plan print.
enum ItemTable {
    /// Returns an item as a line of the table: its state, its URL, and why it failed or which item it repeats.
    static func line(_ item: ItemListing) -> String {
        let error = item.error.map { "  \($0): \(item.message ?? "")" } ?? ""
        let twin = item.twin.map { "  \($0.sentence)" } ?? ""
        return Output.printable("\(item.state.rightPadded(to: 12))\(item.shownURL)\(error)\(twin)")
    }
}
