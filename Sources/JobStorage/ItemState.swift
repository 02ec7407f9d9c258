/// Where an item of a job stands.
///
/// The raw values are the texts of the column `item.state`.
public enum ItemState: String, CaseIterable, Sendable {
    /// Waits for its turn.
    case pending
    /// Held by the run, its original on the way.
    case running
    /// Its original is durable in the cache, its outputs are not made yet.
    case fetched
    /// Waits for another attempt, not before a given time.
    case retry
    /// Finished: all that was asked for exists.
    case done
    /// Finished: nothing of what was asked for had to be made.
    case skipped
    /// Finished: it cannot be made.
    case failed
    /// Finished: it ended the process more than once and is not touched again.
    case quarantined
}

/// What happens to an item.
public enum ItemEvent: String, CaseIterable, Sendable {
    /// A run takes it.
    case claim
    /// Its original became durable.
    case fetch
    /// All its outputs became durable.
    case finish
    /// None of its outputs had to be made.
    case skip
    /// It failed for good.
    case fail
    /// It failed and gets another attempt.
    case postpone
    /// The run gives it back as it was, for no fault of its own.
    case putBack
    /// It ended the process once too often.
    case quarantine
    /// It gets a new set of attempts.
    case release
    /// The manifest, or the origin's bytes, ask for something else of it.
    case change
}

/// An event that cannot happen to an item in its state.
public struct RefusedTransition: Error, Hashable, Sendable, CustomStringConvertible {
    /// The state the item was in.
    public let state: ItemState
    /// The event that was refused.
    public let event: ItemEvent

    /// One sentence.
    public var description: String {
        "an item that is \(state.rawValue) cannot take the event \(event.rawValue)"
    }
}

extension ItemState {
    /// Moves to the state that follows `event`.
    /// - Throws: `RefusedTransition`; the state stays as it was.
    public mutating func apply(_ event: ItemEvent) throws(RefusedTransition) {
        guard let next = after(event) else { throw RefusedTransition(state: self, event: event) }
        self = next
    }

    /// The state that follows `event`, or nil where it cannot happen: the whole table of transitions.
    public func after(_ event: ItemEvent) -> ItemState? {
        switch (event, self) {
        case (.claim, .pending), (.claim, .retry): .running
        // What has its original is held without becoming `running` again: it spends no attempt.
        case (.claim, .fetched): .fetched
        case (.fetch, .running), (.fetch, .fetched): .fetched
        case (.finish, .running), (.finish, .fetched): .done
        case (.skip, .running), (.skip, .fetched): .skipped
        case (.fail, .running), (.fail, .fetched): .failed
        case (.postpone, .running), (.postpone, .fetched): .retry
        case (.putBack, .running): .pending
        case (.putBack, .fetched): .fetched
        case (.quarantine, .running), (.quarantine, .fetched): .quarantined
        case (.release, .failed), (.release, .quarantined): .pending
        case (.change, .fetched), (.change, .done), (.change, .skipped), (.change, .failed): .pending
        default: nil
        }
    }

    /// Whether a run must hold an item in this state (true), may not (false), or either (nil).
    public var isHeld: Bool? {
        switch self {
        case .running: true
        case .fetched: nil
        default: false
        }
    }

    /// Whether an item in this state has a durable original.
    public var hasOriginal: Bool {
        self == .fetched || self == .done
    }

    /// Whether an item in this state names its error.
    public var hasError: Bool {
        self == .failed || self == .quarantined
    }

    /// Whether a run has nothing more to do with an item in this state.
    public var isFinished: Bool {
        switch self {
        case .done, .skipped, .failed, .quarantined: true
        case .pending, .running, .fetched, .retry: false
        }
    }
}

extension ItemEvent {
    /// The states that the event can happen in, as a list for SQL, such as `'running', 'fetched'`.
    var sources: String {
        Self.sources[self] ?? ""
    }

    private static let sources = Dictionary(
        uniqueKeysWithValues: allCases.map { event in
            let states = ItemState.allCases.filter { $0.after(event) != nil }
            return (event, states.map { "'\($0.rawValue)'" }.joined(separator: ", "))
        }
    )
}
