import Foundation
import JobPlanning

extension FileHandle {
    /// Makes an empty file of a scratch folder, for this user alone, and opens it for writing.
    /// - Throws: `RunError.machine`.
    static func scratch(_ path: String) throws(RunError) -> FileHandle {
        let isMade = FileManager.default.createFile(
            atPath: path,
            contents: nil,
            attributes: [.posixPermissions: 0o600]
        )
        guard isMade, let file = FileHandle(forWritingAtPath: path) else {
            throw .machine("cannot write \(path)")
        }
        return file
    }
}
