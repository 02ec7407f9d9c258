import Foundation

/// The files that a manifest is read from, so that it can be read again where they are not.
///
/// Bytes have the absolute path of their file. A folder that a source names without a pattern has no bytes, and a path that
/// ends with a slash: without it, the same text would mean a file.
struct ManifestFiles {
    /// The files that take the place of those of this machine.
    private let given: [String: Data]
    /// The files used so far.
    private(set) var used: [String: Data] = [:]

    init(_ given: [String: Data] = [:]) {
        self.given = given
    }

    /// True if the manifest was read before, and files were kept of it.
    var areGiven: Bool { !given.isEmpty }

    /// Returns true if the file at `path` was given.
    func contains(_ path: String) -> Bool { given[path] != nil }

    /// Returns the bytes of the file at `path`, which `read` gets if they were not given.
    mutating func contents<Failure>(of path: String, _ read: () throws(Failure) -> Data) throws(Failure)
        -> Data
    {
        let bytes = if let bytes = given[path] { bytes } else { try read() }
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
            areGiven
            ? given[entry] != nil
            : FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
        if exists { used[entry] = Data() }
        return exists
    }
}
