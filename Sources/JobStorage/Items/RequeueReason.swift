/// The reason for which an item got a new set of attempts: the first word of the column `item.requeued`.
///
/// After a failure, the name of its error follows; `setting` has the name of the setting between them.
public enum RequeueReason: String, CaseIterable, Sendable {
    /// The original has changed, by its file's size and time.
    case original
    /// Outputs have to be made; each has its own reason.
    case outputs
    /// The manifest asks for facts that are not recorded.
    case facts
    /// The paths of its outputs have changed.
    case path
    /// Other rows now have, or no longer have, the paths of its outputs.
    case collisions
    /// Its row was wrong and is not any more.
    case row
    /// It failed with an error that every run retries.
    case retryable
    /// It failed with an error that is retried after a while (`retry.recheck`).
    case recheck
    /// It failed because of a setting that has changed.
    case setting
    /// It failed, and `retry` selected it.
    case request
    /// Its original is revalidated.
    case revalidate
    /// Its cached original is gone.
    case lost
    /// An earlier item has the same original.
    case duplicate
}

/// The reason to make an output again although the manifest asks for the same.
///
/// The output's row refers to a recipe that stands for the reason, which no manifest can ask for.
public enum OutdatedReason: String, CaseIterable, Sendable {
    /// Another version of the encoder made it.
    case encoder
    /// Its file is missing or damaged.
    case missing
    /// It was not made because an earlier row had its path, which is free now.
    case collision
    /// It was skipped because its file existed, which may be replaced now.
    case existing
    /// It was skipped because its origin forbids its use, which the manifest does not honour any more.
    case optOut
    /// It was skipped because an earlier item had the same original, which has it no more.
    case duplicate

    /// The text of the recipe that stands for the reason.
    public var recipe: String { "outdated: \(rawValue)" }

    /// Reads the text of a recipe; nil for the recipe of a manifest.
    public init?(recipe: String) {
        guard let reason = Self.allCases.first(where: { $0.recipe == recipe }) else { return nil }
        self = reason
    }
}
