/// The state of an item.
///
/// The raw values are the texts of the column `item.state`.
public enum ItemState: String, CaseIterable, Sendable {
    /// Waiting to be started.
    case pending
    /// In progress in a run.
    case running
    /// Waiting for another attempt, not before a given time.
    case retry
    /// Finished: all its outputs exist.
    case done
    /// Finished: none of its outputs was needed.
    case skipped
    /// Finished: it could not be processed.
    case failed
    /// Finished: it crashed the process more than once and is not tried again.
    case quarantined
}

/// An event that changes the state of an item.
public enum ItemEvent: String, CaseIterable, Sendable {
    /// A run takes the item.
    case claim
    /// All its outputs became durable.
    case finish
    /// None of its outputs was needed.
    case skip
    /// It failed for good.
    case fail
    /// It failed and gets another attempt.
    case postpone
    /// The run requeues it, through no fault of the item.
    case putBack
    /// It crashed the process too often.
    case quarantine
    /// It gets a new set of attempts after a failure.
    case release
    /// The manifest, or the origin's bytes, require other outputs.
    case change
    /// All its outputs were found, made by another tool.
    case adopt
}

extension ItemState {
    /// Returns the state that follows `event`, or nil if the event cannot happen: the whole table of transitions.
    public func after(_ event: ItemEvent) -> ItemState? {
        switch (event, self) {
        case (.claim, .pending), (.claim, .retry): .running
        case (.finish, .running): .done
        case (.skip, .running): .skipped
        case (.fail, .running): .failed
        case (.postpone, .running): .retry
        case (.putBack, .running): .pending
        case (.quarantine, .running): .quarantined
        case (.release, .failed), (.release, .quarantined): .pending
        case (.change, .done), (.change, .skipped), (.change, .failed): .pending
        case (.adopt, .pending), (.adopt, .retry): .done
        default: nil
        }
    }

    /// True if a run has nothing more to do with an item in this state.
    public var isFinished: Bool {
        switch self {
        case .done, .skipped, .failed, .quarantined: true
        case .pending, .running, .retry: false
        }
    }
}

extension ItemEvent {
    /// The states in which the event can happen, as a list for SQL, such as `'failed', 'quarantined'`.
    var sources: String { Self.sources[self] ?? "" }

    private static let sources = Dictionary(
        uniqueKeysWithValues: allCases.map { event in
            let states = ItemState.allCases.filter { $0.after(event) != nil }
            return (event, states.map { "'\($0.rawValue)'" }.joined(separator: ", "))
        }
    )
}
