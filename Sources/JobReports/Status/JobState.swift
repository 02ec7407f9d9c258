import Foundation
public import JobManifest
public import JobPlanning
import JobStorage

/// A selection of items; empty criteria select everything.
public struct ItemSelection: Sendable {
    /// The names of the states.
    public var states: Set<String>
    /// The names of the errors.
    public var errors: Set<String>
    /// A part of the URL; with `*` for any text, a pattern for the whole URL.
    public var url: String?

    /// The names of the states, in the order in which an item passes them.
    public static let knownStates = [
        "pending", "running", "retry", "done", "skipped", "failed", "quarantined",
    ]

    /// Selects the items that meet all given criteria; by default all items.
    public init(states: Set<String> = [], errors: Set<String> = [], url: String? = nil) {
        self.states = states
        self.errors = errors
        self.url = url
    }

    /// True if it selects everything.
    public var isEmpty: Bool { states.isEmpty && errors.isEmpty && url == nil }

    var filter: ItemFilter {
        ItemFilter(states: Set(states.compactMap(ItemState.init(rawValue:))), errors: errors, url: url)
    }
}

/// The recorded state of a job, readable during a run.
public struct JobState: Sendable {
    let path: String
    let reader: JobReader?
    /// The partition that the state is about; nil for the whole job.
    let shard: Partition?

    /// Opens the state of `manifest`, if there is one.
    /// - Throws: `RunError.machine` for a state that cannot be read; `wrongInput` for one without a place.
    public init(_ manifest: Manifest, options: RunOptions = RunOptions()) throws(RunError) {
        try options.checkState(of: manifest)
        let path = options.statePath(of: manifest)
        (self.path, shard) = (path, options.shard)
        reader = try RunError.wrapping { try JobReader(path: path) }
    }

    /// Calls `body` with each selected item, in the manifest's order, streamed.
    /// - Throws: `RunError.machine`.
    public func forEachItem(_ selection: ItemSelection, _ body: (ItemListing) -> Void) throws(RunError) {
        try forEachRecord(selection) { body(ItemListing($0)) }
    }

    /// Calls `body` with each selected row, in the manifest's order, streamed.
    /// - Throws: `RunError.machine`.
    func forEachRecord(
        _ selection: ItemSelection,
        withAttempts: Bool = false,
        _ body: (ItemRecord) -> Void
    ) throws(RunError) {
        try RunError.wrapping { try reader?.forEachItem(selection.filter, withAttempts: withAttempts, body) }
    }

    /// Calls `body` with each row of the network log, in the order in which requests ended, streamed.
    /// - Throws: `RunError.machine`.
    func forEachRecord(_ body: (RequestRecord) -> Void) throws(RunError) {
        try RunError.wrapping { try reader?.forEachRequest(body) }
    }

    /// Returns the number of failed and quarantined items that no finished run has reported.
    /// - Throws: `RunError.machine`.
    public func newFailures() throws(RunError) -> Int {
        try RunError.wrapping { try reader?.newFailures().count ?? 0 }
    }

    /// Requeues the selected failed and quarantined items, and returns their number; locks the job meanwhile.
    /// - Throws: `RunError.held` during a run, `RunError.machine`.
    public func putBack(_ selection: ItemSelection) throws(RunError) -> Int {
        guard reader != nil else { return 0 }
        return try RunError.wrapping {
            let store = try JobStore(path: path)
            defer { store.close() }
            return try store.requeueFailed(selection.filter)
        }
    }

    /// The result of a change of priority.
    public enum PriorityChange: Sendable {
        /// The number of waiting items that were changed.
        case done(items: Int)
        /// The active run was asked to do it, with a sentence that names the run.
        case asked(String)
    }

    /// Changes the priority of the selected waiting items.
    ///
    /// During a run, asks the run to do it, since only the run may write the state.
    /// - Throws: `RunError.machine`.
    public func changePriority(
        of selection: ItemSelection,
        to priority: ItemPriority
    ) async throws(RunError) -> PriorityChange {
        guard reader != nil else { return .done(items: 0) }
        return try await RunError.wrapping {
            do throws(JobStoreError) {
                let store = try JobStore(path: path)
                defer { store.close() }
                return .done(items: try await store.changePriority(of: selection.filter, to: priority.rank))
            } catch {
                guard case .locked = error else { throw error }
                try await PriorityRequest(selection.filter, priority: priority.rank).leave(beside: path)
                return .asked(error.description)
            }
        }
    }
}
