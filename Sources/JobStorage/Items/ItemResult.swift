/// The outcome of an item, with everything that is recorded in one transaction.
public struct ItemResult: Sendable {
    /// The end of an item.
    public enum Outcome: Hashable, Sendable {
        /// All its outputs exist.
        case done
        /// None of its outputs was needed; the reason is one word, if there is one.
        case skipped(reason: String?)
        /// It cannot be made: the error's name and a sentence.
        case failed(error: String, message: String)
        /// It crashed the process too often: the error's name and a sentence.
        case quarantined(error: String, message: String)
    }

    /// The end of the item.
    public var outcome: Outcome
    /// The key of its original in the cache; nil leaves the recorded one.
    public var cacheKey: String?
    /// SHA-256 of its original in hexadecimal; nil leaves the recorded one.
    ///
    /// A `done` item must have one by now.
    public var originalSHA256: String?
    /// Facts about that original, as a JSON object by name; nil leaves the recorded facts of the same original.
    public var facts: String?
    /// The outputs that this run examined; the rows of all others stay.
    public var outputs: [OutputRecord]
    /// The attempt that led here.
    public var attempt: AttemptResult?

    /// Describes an outcome.
    public init(
        _ outcome: Outcome,
        cacheKey: String? = nil,
        originalSHA256: String? = nil,
        facts: String? = nil,
        outputs: [OutputRecord] = [],
        attempt: AttemptResult? = nil
    ) {
        self.outcome = outcome
        self.cacheKey = cacheKey
        self.originalSHA256 = originalSHA256
        self.facts = facts
        self.outputs = outputs
        self.attempt = attempt
    }
}

extension ItemResult.Outcome {
    /// The event that ends the item, its error, and a sentence about that or the reason why it was skipped.
    package var ending: (event: ItemEvent, error: String?, message: String?) {
        switch self {
        case .done: (.finish, nil, nil)
        case .skipped(let reason): (.skip, nil, reason)
        case .failed(let error, let message): (.fail, error, message)
        case .quarantined(let error, let message): (.quarantine, error, message)
        }
    }

    /// The state that the item ends in.
    package var state: ItemState { ItemState.running.after(ending.event) ?? .failed }
}
