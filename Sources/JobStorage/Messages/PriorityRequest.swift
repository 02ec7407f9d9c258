/// A wish for another priority of waiting items, left for a run that is going on: a file beside the state, since the run
/// alone writes the state.
public struct PriorityRequest: Codable, Sendable {
    private let priority: Int
    private let states: [String]
    private let errors: [String]
    private let url: String?

    /// The wish that waiting items that fit `filter` get `priority`, from 0 (very low) to 4 (very high).
    public init(_ filter: ItemFilter, priority: Int) {
        self.priority = priority
        states = filter.states.map(\.rawValue).sorted()
        errors = filter.errors.sorted()
        url = filter.url
    }

    private var filter: ItemFilter {
        ItemFilter(states: Set(states.compactMap(ItemState.init(rawValue:))), errors: Set(errors), url: url)
    }

    /// Leaves the request beside the state at `path`, whole and durable.
    /// - Throws: `FileError`.
    public func leave(beside path: String) async throws {
        try await Self.messages(path).leave(self)
    }

    /// Does what the requests beside the state of `store` ask, then removes them: doing one twice changes nothing.
    /// - Returns: A warning for each file that is no request.
    /// - Throws: `JobStoreError`.
    public static func apply(to store: JobStore) async throws(JobStoreError) -> [String] {
        let others = try await messages(store.path).take { (request: Self) async throws(JobStoreError) in
            _ = try await store.changePriority(of: request.filter, to: request.priority)
        }
        return others.map { "\($0) is no request of retry --priority: it is removed" }
    }

    private static func messages(_ path: String) -> StateMessages {
        StateMessages("priority", beside: path)
    }
}
