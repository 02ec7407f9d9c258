public import Foundation

/// A folder of its own for one test, removed with everything in it when the last reference goes.
public final class TemporaryFolder: Sendable {
    /// The folder's absolute path, without a slash at its end.
    public let path: String

    /// Makes the folder below `parent`, or the system's temporary folder.
    /// - Throws: the error of `FileManager` if it cannot be made.
    public init(in parent: String? = nil) throws {
        let parent = parent.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        let url = parent.appendingPathComponent("nuke-batch-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The absolute path of `name` below the folder.
    public func path(_ name: String) -> String {
        path + "/" + name
    }

    /// Writes `text` to `name` below the folder, making the folders between, and returns its absolute path.
    /// - Throws: the error of `FileManager` or of the write.
    @discardableResult
    public func write(_ text: String, to name: String) throws -> String {
        try write(Data(text.utf8), to: name)
    }

    /// Writes `data` to `name` below the folder, making the folders between, and returns its absolute path.
    /// - Throws: the error of `FileManager` or of the write.
    @discardableResult
    public func write(_ data: Data, to name: String) throws -> String {
        let url = URL(fileURLWithPath: path(name))
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try data.write(to: url)
        return url.path
    }
}
