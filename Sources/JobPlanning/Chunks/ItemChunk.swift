import JobManifest

/// Consecutive items, whose rows may have to be parsed yet.
struct ItemChunk: Sendable {
    /// The number of items.
    let count: Int
    private let visit: @Sendable (_ body: (PlannedItem) -> Void) -> Void

    /// Creates a chunk of the rows of one source, which are parsed when they are visited; `first` is the position of the first in
    /// the manifest, from 1.
    init(rows: any RowChunk, builder: ItemBuilder, first: Int) {
        count = rows.count
        visit = { body in
            var index = first
            rows.forEach { row in
                body(builder.item(row, index: index))
                index += 1
            }
        }
    }

    /// Creates a chunk of items that were planned before.
    init(_ items: [PlannedItem]) {
        count = items.count
        visit = { items.forEach($0) }
    }

    /// Calls `body` with each item in order.
    func forEach(_ body: (PlannedItem) -> Void) {
        visit(body)
    }
}
