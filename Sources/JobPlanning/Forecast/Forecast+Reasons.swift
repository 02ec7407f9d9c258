public import JobManifest
package import JobStorage

extension Forecast {
    /// The work of the next run for one reason.
    ///
    /// In JSON, all keys are always present (`docs/command-line.md`).
    public struct Reason: Sendable, Encodable {
        /// One of the names in `docs/command-line.md`, such as `recipe`.
        public let reason: String
        /// The manifest's keys that have changed, sorted; empty if the reason is another one or an earlier release made
        /// the output.
        public let settings: [String]
        /// The output's name; nil if the reason concerns all outputs of the items.
        @Nullable public package(set) var output: String?
        /// The error that the items failed with.
        @Nullable public package(set) var error: String?
        /// The number of items.
        public let items: Int
        /// The number of outputs to make.
        public let outputs: Int

        package init(_ count: WorkCount) {
            let reason = count.reason
            self.reason = reason.name
            settings = reason.settings
            output = reason.output
            error = reason.error
            items = count.items
            outputs = count.outputs
            phrase = reason.phrase
        }

        private let phrase: String

        private enum CodingKeys: String, CodingKey {
            case reason, settings, output, error, items, outputs
        }

        /// The reason as a phrase, such as `processors changed: small`.
        public var text: String {
            let subject = output ?? error
            return subject.map { "\(phrase): \($0)" } ?? phrase
        }

        /// The number of outputs or, for a reason for which none are made, of items.
        public var count: Int { outputs > 0 ? outputs : items }

        /// Sorts by the number, the largest first, then by the phrase.
        static func precedes(_ left: Reason, _ right: Reason) -> Bool {
            (right.count, left.text) < (left.count, right.text)
        }
    }

    /// An item with the reasons for which the next run has something to do with it.
    ///
    /// In JSON, these are the key `reasons` among those of the item.
    public struct Item: Sendable, Encodable {
        /// The item as the run would find it.
        public let listing: ItemListing
        /// The reasons; empty if the item is finished.
        public let reasons: [Reason]

        private enum CodingKeys: CodingKey {
            case reasons
        }

        /// Encodes the keys of the item and `reasons` into one object.
        public func encode(to encoder: any Encoder) throws {
            try listing.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(reasons, forKey: .reasons)
        }
    }
}

extension WorkReason {
    /// The name in JSON.
    fileprivate var name: String {
        switch kind {
        case .new: "new"
        case .unfinished, .requeued(.outputs): "unfinished"
        case .retry: "retry"
        case .requeued(let reason): reason.rawValue
        case .newOutput: "newOutput"
        case .recipe: "recipe"
        case .outdated(let reason): reason.rawValue
        case .failedOutput: "failedOutput"
        }
    }

    /// The words for people, without the output and the error.
    fileprivate var phrase: String {
        switch kind {
        case .new: "new"
        // With nothing left to make, the change that requeued it was undone.
        case .unfinished, .requeued(.outputs): "not finished by an earlier run"
        case .retry: "waiting for another attempt"
        case .requeued(let reason): reason.phrase(settings)
        case .newOutput: "new output"
        case .recipe where settings.isEmpty: "recipe changed"
        case .recipe: "\(settings.map { $0 == "when" ? "conditions" : $0 }.joined(separator: ", ")) changed"
        case .outdated(let reason): reason.phrase
        case .failedOutput: "failed before"
        }
    }
}

extension RequeueReason {
    fileprivate func phrase(_ settings: [String]) -> String {
        switch self {
        case .original: "original changed"
        case .outputs: "outputs changed"
        case .facts: "facts missing"
        case .path: "path changed"
        case .collisions: "paths of other rows changed"
        case .row: "row corrected"
        case .retryable: "failed, retried by every run"
        case .recheck: "due again (retry.recheck)"
        case .setting: "setting changed (\(settings.joined(separator: ", ")))"
        case .request: "selected by retry"
        case .revalidate: "to revalidate"
        case .lost: "cached original lost"
        case .duplicate: "now a duplicate"
        }
    }
}

extension OutdatedReason {
    fileprivate var phrase: String {
        switch self {
        case .encoder: "encoder changed"
        case .missing: "output missing or damaged"
        case .collision: "path free again"
        case .existing: "existing file may be replaced"
        case .optOut: "opt-out no longer honoured"
        case .duplicate: "no longer a duplicate"
        }
    }
}
