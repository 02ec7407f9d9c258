import Files
import Foundation

/// Messages of other processes for the one that has a state open, each a file beside the state: that process alone writes it.
struct StateMessages {
    private let folder: String
    /// The beginning of the files' names.
    private let prefix: String

    /// The messages of one kind beside the state at `path`.
    init(_ kind: String, beside path: String) {
        folder = Folder.enclosing(path)
        let name = ((path as NSString).lastPathComponent as NSString).deletingPathExtension
        prefix = "\(name).\(kind)-"
    }

    /// Leaves a message, whole and durable.
    /// - Throws: `FileError`.
    func leave(_ message: some Encodable & Sendable) async throws {
        // Sorted by name they are in the order of their time.
        let time = Int64(Date().timeIntervalSince1970 * 1000)
        let name = "\(prefix)\(time)-\(ProcessInfo.processInfo.processIdentifier)"
        let folder = try Folder(path: folder)
        try await DurableWriter(threads: 1).write(try JSONEncoder().encode(message), to: name, in: folder)
    }

    /// Calls `body` with each message, oldest first, and removes it when that returns.
    ///
    /// A process that is killed in between leaves the message for the next one.
    /// - Returns: The paths of files that are no message, which are removed too.
    /// - Throws: `JobStoreError`.
    func take<Message: Decodable>(
        _ body: (Message) async throws(JobStoreError) -> Void
    ) async throws(JobStoreError) -> [String] {
        var others: [String] = []
        do {
            let opened = try Folder(path: folder)
            for name in try names(in: opened) {
                let data = try opened.read(name)
                if let message = try? JSONDecoder().decode(Message.self, from: data) {
                    try await body(message)
                } else {
                    others.append("\(folder)/\(name)")
                }
                try opened.remove(name)
            }
        } catch {
            throw JobStoreError(error)
        }
        return others
    }

    /// The times at which the messages were left, in milliseconds since 1970, oldest first; none if the folder cannot be read.
    var times: [Int64] {
        guard let opened = try? Folder(path: folder), let names = try? names(in: opened) else { return [] }
        return names.compactMap { name in
            name.dropFirst(prefix.count).split(separator: "-").first.flatMap { Int64($0) }
        }
    }

    private func names(in folder: Folder) throws(FileError) -> [String] {
        try folder.names().filter { $0.hasPrefix(prefix) }.sorted()
    }
}
