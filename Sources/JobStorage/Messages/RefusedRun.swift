import Foundation

/// A run that was refused, because another process held the job: a message for that process, which alone writes the state.
public struct RefusedRun: Codable, Sendable {
    /// The time, in milliseconds since 1970.
    private let time: Int64

    /// A run that is refused now.
    public init() {
        time = JobStore.now
    }

    /// Leaves the message beside the state at `path`, whole and durable.
    /// - Throws: `FileError`.
    public func leave(beside path: String) async throws {
        try await Self.messages(path).leave(self)
    }

    /// Counts the runs whose messages are beside the state of `store`, and removes the messages.
    ///
    /// A run counts twice if this process is killed between the two.
    /// - Returns: A warning for each file that is no such message.
    /// - Throws: `JobStoreError`.
    public static func count(in store: JobStore) async throws(JobStoreError) -> [String] {
        let others = try await messages(store.path).take { (run: Self) async throws(JobStoreError) in
            try await store.countRefusedRun(at: run.time)
        }
        return others.map { "\($0) is no message of a refused run: it is removed" }
    }

    /// Returns the last runs with those refused since that no process has counted yet.
    public static func adding(to runs: [RunRecord], beside path: String) -> [RunRecord] {
        var known = runs
        for time in messages(path).times {
            guard let index = runs.firstIndex(where: { $0.started <= time }) else { continue }
            // A message that has just been counted may be there still.
            guard time > runs[index].lastRefused ?? 0 else { continue }
            known[index].refused += 1
            known[index].lastRefused = time
        }
        return known
    }

    private static func messages(_ path: String) -> StateMessages {
        StateMessages("refused", beside: path)
    }
}
