import Files
import JobManifest

/// A Parquet file of a list.
struct ParquetFile: Sendable {
    /// The path of a file that is the standard input of the program.
    private static let standardInput = "-"

    /// The absolute path; for an object, that of its copy, which is the standard input of the program.
    let path: String
    /// The name in errors and locations: as the manifest has it, or, for one that a glob matches, from the manifest's folder.
    let name: String
    /// The object, which is copied before it is read; nil for a file.
    let object: RemoteList?

    init(path: String, name: String) {
        (self.path, self.name, object) = (path, name, nil)
    }

    init(_ object: RemoteList) {
        (path, name, self.object) = (Self.standardInput, object.name, object)
    }

    /// The error that the program has told about this file.
    func error(_ error: ParquetError) -> SourceError {
        SourceError(name, error.description.rest(behind: path + ": ") ?? error.description)
    }
}
