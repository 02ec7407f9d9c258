import CFiles
public import Foundation

/// A folder for one test, removed with its content when the last reference is released.
public final class TemporaryFolder: Sendable {
    /// The folder's absolute path, without a slash at its end.
    public let path: String
    /// The folder around it, in which the programs that work here have their user's folders as well.
    let root: String

    private static let prefix = "nuke-batch-test-"

    /// The temporary folder of the programs that work here (`TMPDIR`), made with the first of them.
    public var programsTemporary: String { root + "/tmp" }

    /// True on a file system whose files can share blocks.
    public var sharesBlocks: Bool {
        let descriptor = nb_open(path, O_RDONLY | O_DIRECTORY, 0)
        defer { close(descriptor) }
        return nb_shares_blocks(descriptor) == 1
    }

    /// Makes the folder below `parent`, or the system's temporary folder.
    /// - Throws: the error of `FileManager` if it cannot be made.
    public init(in parent: String? = nil) throws {
        let parent = parent.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        root = parent.appendingPathComponent("\(Self.prefix)\(UUID().uuidString)").path
        path = root + "/work"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: root)
    }

    /// The folder around the temporary folder in which `path` is; nil where it is in none.
    static func root(of path: String) -> String? {
        let parts = path.components(separatedBy: "/")
        guard let last = parts.firstIndex(where: { $0.hasPrefix(prefix) }) else { return nil }
        return parts[...last].joined(separator: "/")
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

    /// Writes a shell script to `name` below the folder, as a program, and returns its absolute path.
    ///
    /// Another process writes it: a child that a parallel test starts meanwhile would hold this process's descriptor,
    /// and the kernel runs no file that anybody has open for writing (ETXTBSY, execve(2)).
    /// - Throws: the error of `FileManager` or `Process`, or `CocoaError` if the script could not be written.
    @discardableResult
    public func program(_ script: String, to name: String) throws -> String {
        let draft = try write("#!/bin/sh\n\(script)\n", to: "\(name).draft")
        let install = try Process.run(
            URL(fileURLWithPath: "/usr/bin/install"),
            arguments: ["-m", "755", draft, path(name)]
        )
        install.waitUntilExit()
        guard install.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
        try FileManager.default.removeItem(atPath: draft)
        return path(name)
    }
}
