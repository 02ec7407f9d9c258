import JobManifest

/// Consecutive items of one source whose rows are not parsed yet.
struct ItemChunk: Sendable {
    let rows: any RowChunk
    let builder: ItemBuilder
    /// The position of the first item in the manifest, from 1.
    let first: Int

    /// Parses the rows, and calls `body` with each item in order.
    func forEach(_ body: (PlannedItem) -> Void) {
        var index = first
        rows.forEach { row in
            body(builder.item(row, index: index))
            index += 1
        }
    }
}
