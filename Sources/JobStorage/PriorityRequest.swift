import Files
import Foundation

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
        // Sorted by name they are in the order of their time.
        let time = Int64(Date().timeIntervalSince1970 * 1000)
        let name = "\(Self.prefix(path))\(time)-\(ProcessInfo.processInfo.processIdentifier)"
        let folder = try Folder(path: Self.folder(path))
        try await DurableWriter(threads: 1).write(try JSONEncoder().encode(self), to: name, in: folder)
    }

    /// Does what the requests beside the state of `store` ask, then removes them: doing one twice changes nothing.
    /// - Returns: A warning for each file that is no request.
    /// - Throws: `JobStoreError`.
    public static func apply(to store: JobStore) async throws(JobStoreError) -> [String] {
        var warnings: [String] = []
        let folder = folder(store.path)
        let prefix = prefix(store.path)
        let opened: Folder
        let names: [String]
        do throws(FileError) {
            opened = try Folder(path: folder)
            names = try opened.names().filter { $0.hasPrefix(prefix) }.sorted()
        } catch {
            throw JobStoreError(error)
        }
        for name in names {
            let data: Data
            do throws(FileError) { data = try opened.read(name) } catch { throw JobStoreError(error) }
            if let request = try? JSONDecoder().decode(Self.self, from: data) {
                _ = try await store.changePriority(of: request.filter, to: request.priority)
            } else {
                warnings.append("\(folder)/\(name) is no request of retry --priority: it is removed")
            }
            do throws(FileError) { try opened.remove(name) } catch { throw JobStoreError(error) }
        }
        return warnings
    }

    private static func folder(_ statePath: String) -> String {
        let folder = (statePath as NSString).deletingLastPathComponent
        return folder.isEmpty ? "." : folder
    }

    private static func prefix(_ statePath: String) -> String {
        let name = (statePath as NSString).lastPathComponent
        return "\((name as NSString).deletingPathExtension).priority-"
    }
}
