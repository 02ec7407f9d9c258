import Foundation

extension Manifest {
    /// The place that a manifest's text comes from.
    enum Origin {
        case file(name: String, path: String)
        case standardInput

        /// The origin that `path` names, which is relative to `folder`.
        init(_ path: String, in folder: String) {
            self =
                path == Manifest.standardInput
                ? .standardInput : .file(name: path, path: FilePath.absolute(path, in: folder))
        }

        /// The name in errors.
        var name: String {
            switch self {
            case .file(let name, _): name
            case .standardInput: "<stdin>"
            }
        }

        /// The absolute path of the file; for standard input, of a file `stdin` that need not be there.
        var path: String {
            switch self {
            case .file(_, let path): path
            case .standardInput: FilePath.absolute("stdin", in: FileManager.default.currentDirectoryPath)
            }
        }

        var isStandardInput: Bool {
            if case .standardInput = self { true } else { false }
        }
    }
}
