/// The number of listed items in each state.
public struct JobCounts: Hashable, Sendable {
    private var counts: [ItemState: Int]

    /// The number of items in the current revision.
    public var total: Int { counts.values.reduce(0, +) }

    /// The number of items that are not finished.
    public var unfinished: Int { counts.filter { !$0.key.isFinished }.values.reduce(0, +) }

    /// The number of items in `state`.
    public subscript(state: ItemState) -> Int {
        counts[state] ?? 0
    }

    init(_ counts: [ItemState: Int] = [:]) {
        self.counts = counts
    }
}
