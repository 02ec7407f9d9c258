import Foundation

/// The files that a manifest is read from, so that it can be read again where they are not.
///
/// Bytes have the absolute path of their file. A folder that a source names without a pattern has no bytes, and a path that
/// ends with a slash: without it, the same text would mean a file.
struct ManifestFiles {
    /// The files that take the place of those of this machine; nil to read those of this machine.
    private let given: [String: Data]?
    /// The files used so far.
    private(set) var used: [String: Data] = [:]

    init(_ given: [String: Data]? = nil) {
        self.given = given
    }

    /// True if the manifest was read before, and files were kept of it: no file of this machine is opened then.
    var areGiven: Bool { given != nil }

    /// Returns true if the file at `path` was given.
    func contains(_ path: String) -> Bool { given?[path] != nil }

    /// Returns the bytes of the file at `path` that were given; nil if the files are those of this machine.
    /// - Throws: `SourceError` for a file that is not among those that were given.
    func kept(_ path: String) throws(SourceError) -> Data? {
        guard let given else { return nil }
        guard let bytes = given[path] else {
            throw SourceError(path, "\(path) is not among the files that the manifest was planned with")
        }
        return bytes
    }

    /// Returns the bytes of the file at `path`: those that were given, or of this machine those that `read` gets.
    /// - Throws: The error of `read`, and that of ``kept(_:)``.
    mutating func contents(of path: String, _ read: () throws(SourceError) -> Data) throws(SourceError)
        -> Data
    {
        let bytes = if let bytes = try kept(path) { bytes } else { try read() }
        used[path] = bytes
        return bytes
    }

    /// Notes the bytes of the file at `path`, which were read elsewhere.
    mutating func note(_ bytes: Data, of path: String) {
        used[path] = bytes
    }

    /// Returns true if there is a folder at `path`.
    mutating func isFolder(_ path: String) -> Bool {
        let entry = path + "/"
        var isFolder: ObjCBool = false
        let exists =
            if let given {
                given[entry] != nil
            } else {
                FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
            }
        if exists { used[entry] = Data() }
        return exists
    }
}
