/// A reason for which a run has something to do with an item or makes an output.
public struct WorkReason: Hashable, Sendable {
    /// The kinds of reasons.
    public enum Kind: Hashable, Sendable {
        /// The item is new.
        case new
        /// An earlier run has not finished the item.
        case unfinished
        /// The item waits for another attempt after `error`.
        case retry
        /// The item was requeued for a reason of its own.
        case requeued(RequeueReason)
        /// The item never had an output of this name.
        case newOutput
        /// The output's settings named in `settings` have changed; empty if these are not known.
        case recipe
        /// The output is outdated although its settings are the same.
        case outdated(OutdatedReason)
        /// The output failed, with the item.
        case failedOutput
    }

    /// The kind.
    public var kind: Kind
    /// The names of changed settings, sorted.
    public var settings: [String] = []
    /// The name of the error that the item failed with.
    public var error: String?
    /// The name of the output; nil for a reason that concerns all outputs of an item.
    public var output: String?

    /// Makes a reason; values that do not apply may be left out.
    public init(_ kind: Kind, settings: [String] = [], error: String? = nil, output: String? = nil) {
        self.kind = kind
        self.settings = settings
        self.error = error
        self.output = output
    }

    /// Reads the column `item.requeued`.
    init(requeued text: String) {
        let words = text.split(separator: " ").map(String.init)
        guard let reason = words.first.flatMap(RequeueReason.init) else {
            // A later release may know others.
            self.init(.unfinished)
            return
        }
        self.init(
            .requeued(reason),
            settings: words.count > 2 ? [words[1]] : [],
            error: words.count > 1 ? words.last : nil
        )
    }
}

/// The work that a run has for one reason.
public struct WorkCount: Hashable, Sendable {
    /// The reason.
    public let reason: WorkReason
    /// The number of items; an item whose outputs have several reasons counts for each.
    public internal(set) var items = 0
    /// The number of outputs to make.
    public internal(set) var outputs = 0
}
