import Foundation
public import JobManifest
public import JobPlanning
import JobStorage

/// A selection of items; what is empty restricts nothing.
public struct ItemSelection: Sendable {
    /// The names of the states.
    public var states: Set<String>
    /// The names of the errors.
    public var errors: Set<String>
    /// A part of the URL, or the whole of it with `*` for any text.
    public var url: String?

    /// The names that states have, in the order of an item's life.
    public static let knownStates = [
        "pending", "running", "retry", "done", "skipped", "failed", "quarantined",
    ]

    /// All items, or those that fit each of what is given.
    public init(states: Set<String> = [], errors: Set<String> = [], url: String? = nil) {
        self.states = states
        self.errors = errors
        self.url = url
    }

    var filter: ItemFilter {
        ItemFilter(states: Set(states.compactMap(ItemState.init(rawValue:))), errors: errors, url: url)
    }
}

/// The recorded state of a job, readable during a run.
public struct JobState: Sendable {
    let path: String
    let reader: JobReader?

    /// Opens the state of `manifest`, if there is one.
    /// - Throws: `RunError.machine` for a state that cannot be read.
    public init(_ manifest: Manifest, options: RunOptions = RunOptions()) throws(RunError) {
        path = options.statePath(of: manifest)
        do {
            reader = try JobReader(path: path)
        } catch {
            throw RunError(error)
        }
    }

    /// Calls `body` with each item that fits, in the manifest's order, streamed.
    /// - Throws: `RunError.machine`.
    public func forEachItem(_ selection: ItemSelection, _ body: (ItemListing) -> Void) throws(RunError) {
        try forEachRecord(selection) { body(ItemListing($0)) }
    }

    /// Calls `body` with each row that fits, in the manifest's order, streamed.
    /// - Throws: `RunError.machine`.
    func forEachRecord(
        _ selection: ItemSelection,
        withAttempts: Bool = false,
        _ body: (ItemRecord) -> Void
    ) throws(RunError) {
        do {
            try reader?.forEachItem(selection.filter, withAttempts: withAttempts, body)
        } catch {
            throw RunError(error)
        }
    }

    /// Calls `body` with each row of the network log, in the order of their ends, streamed.
    /// - Throws: `RunError.machine`.
    func forEachRecord(_ body: (RequestRecord) -> Void) throws(RunError) {
        do {
            try reader?.forEachRequest(body)
        } catch {
            throw RunError(error)
        }
    }

    /// Puts failed and quarantined items that fit back to pending and says how many; holds the job while it does.
    /// - Throws: `RunError.held` while a run is going on, `RunError.machine`.
    public func putBack(_ selection: ItemSelection) throws(RunError) -> Int {
        guard reader != nil else { return 0 }
        do {
            let store = try JobStore(path: path)
            defer { store.close() }
            return try store.requeueFailed(selection.filter)
        } catch {
            throw RunError(error)
        }
    }

    /// The result of a change of priority.
    public enum PriorityChange: Sendable {
        /// So many waiting items have it.
        case done(items: Int)
        /// The run that is going on was asked, in a sentence that names it.
        case asked(String)
    }

    /// Gives waiting items that fit another priority; where a run is going on, it is asked to, since it alone writes the state.
    /// - Throws: `RunError.machine`.
    public func changePriority(
        of selection: ItemSelection,
        to priority: ItemPriority
    ) async throws(RunError) -> PriorityChange {
        guard reader != nil else { return .done(items: 0) }
        do {
            do throws(JobStoreError) {
                let store = try JobStore(path: path)
                defer { store.close() }
                return .done(items: try await store.changePriority(of: selection.filter, to: priority.rank))
            } catch {
                guard case .locked = error else { throw error }
                try await PriorityRequest(selection.filter, priority: priority.rank).leave(beside: path)
                return .asked(error.description)
            }
        } catch {
            throw RunError(error)
        }
    }
}
