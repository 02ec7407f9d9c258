import Foundation

/// The warnings that runs have reported: they are news once, as failures are.
public struct ReportedWarnings: Sendable, Equatable, Codable {
    /// Those about the plan, which stay known until another plan is made.
    public var plan: Set<String>
    /// All that the last run had.
    public var run: Set<String>

    /// Creates warnings from their sentences.
    public init(plan: Set<String> = [], run: Set<String> = []) {
        (self.plan, self.run) = (plan, run)
    }

    /// All of them.
    public var all: Set<String> { plan.union(run) }

    /// The name of the note that holds them, as JSON.
    fileprivate static let note = "reported warnings"
}

extension JobStore {
    /// Replaces the warnings that were reported; one that is not among them any more is news when it comes back.
    /// - Throws: `JobStoreError`.
    public func noteReported(_ warnings: ReportedWarnings) throws(JobStoreError) {
        guard try reader.reportedWarnings() != warnings else { return }
        let text = try? JSONEncoder().encode(warnings)
        try note(ReportedWarnings.note, String(decoding: text ?? Data("{}".utf8), as: UTF8.self))
    }
}

extension JobReader {
    /// Returns the warnings that were reported.
    /// - Throws: `JobStoreError`.
    public func reportedWarnings() throws(JobStoreError) -> ReportedWarnings {
        let text = try note(ReportedWarnings.note) ?? "{}"
        return (try? JSONDecoder().decode(ReportedWarnings.self, from: Data(text.utf8))) ?? ReportedWarnings()
    }
}
