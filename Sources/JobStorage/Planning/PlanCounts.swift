/// The result of a planning.
public struct PlanCounts: Hashable, Sendable {
    /// The number of different items that the manifest lists.
    public var items = 0
    /// The number of items that the store did not know.
    public var new = 0
    /// The number of known items that were requeued.
    public var changed = 0
    /// The number of rows that repeat another row.
    public var duplicates = 0
    /// The number of items of the previous revision that the manifest no longer lists.
    public var left = 0
    /// True if no manifest had been planned before.
    public var isFirst = false
    /// The states of the items before the run.
    public var states = JobCounts()
}
