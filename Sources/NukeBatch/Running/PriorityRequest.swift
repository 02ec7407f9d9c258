import Files
import Foundation
import JobStorage

/// What `retry --priority` asks of a run that is going on: a file beside the state, since the run alone writes the state.
struct PriorityRequest: Codable, Sendable {
    let priority: Int
    let states: [String]
    let errors: [String]
    let url: String?

    init(_ selection: ItemSelection, priority: ItemPriority) {
        self.priority = priority.rank
        states = selection.states.sorted()
        errors = selection.errors.sorted()
        url = selection.url
    }

    private var filter: ItemFilter {
        ItemSelection(states: Set(states), errors: Set(errors), url: url).filter
    }

    /// Leaves the request beside the state at `path`, whole and durable.
    /// - Throws: `FileError`.
    func leave(beside path: String) async throws {
        // Sorted by name they are in the order of their time.
        let time = Int64(Date().timeIntervalSince1970 * 1000)
        let name = "\(Self.prefix(path))\(time)-\(ProcessInfo.processInfo.processIdentifier)"
        let folder = try Folder(path: Self.folder(path))
        try await DurableWriter(threads: 1).write(try JSONEncoder().encode(self), to: name, in: folder)
    }

    /// Does what the requests beside the state of `store` ask, then removes them: to do one twice changes nothing.
    /// - Throws: `JobStoreError`.
    static func apply(to store: JobStore, _ tally: RunTally) async throws(JobStoreError) {
        let folder = folder(store.path)
        let prefix = prefix(store.path)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names.filter({ $0.hasPrefix(prefix) }).sorted() {
            let path = "\(folder)/\(name)"
            let data = FileManager.default.contents(atPath: path) ?? Data()
            if let request = try? JSONDecoder().decode(Self.self, from: data) {
                _ = try await store.changePriority(of: request.filter, to: request.priority)
            } else {
                tally.warn("\(path) is no request of retry --priority: it is removed")
            }
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    private static func folder(_ statePath: String) -> String {
        (statePath as NSString).deletingLastPathComponent
    }

    private static func prefix(_ statePath: String) -> String {
        "\(FilePath.stem(of: statePath)).priority-"
    }
}
