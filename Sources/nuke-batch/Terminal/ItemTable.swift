import JobPlanning

/// The table of items that `items` and a plan print.
enum ItemTable {
    /// Returns an item as a line of the table: its state, its URL, and why it failed or which item it repeats.
    static func line(_ item: ItemListing) -> String {
        let error = item.error.map { "  \($0): \(item.message ?? "")" } ?? ""
        let state = item.state + String(repeating: " ", count: max(0, 12 - item.state.count))
        let twin = item.twin.map { "  \($0.sentence)" } ?? ""
        return Output.printable("\(state)\(item.shownURL)\(error)\(twin)")
    }
}
