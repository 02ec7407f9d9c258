import Foundation

extension Manifest {
    /// The place that a manifest's text comes from.
    enum Origin {
        case file(name: String, path: String)
        case standardInput
        /// A program that has built this text.
        case code(Data)

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
            case .code: "the manifest"
            }
        }

        /// The absolute path of the file; for another origin, of one in the working directory that need not be there.
        var path: String {
            switch self {
            case .file(_, let path): path
            case .standardInput: FilePath.absolute("stdin", in: FileManager.default.currentDirectoryPath)
            case .code: FilePath.absolute("code", in: FileManager.default.currentDirectoryPath)
            }
        }

        var isStandardInput: Bool { if case .standardInput = self { true } else { false } }

        var isFile: Bool { if case .file = self { true } else { false } }

        /// Returns `errors` with the places that mean something to people: nobody sees the text of a built manifest.
        func placed(_ errors: [ManifestError]) -> [ManifestError] {
            guard case .code = self else { return errors }
            return errors.map { error in
                ManifestError(file: name, line: nil, column: nil, path: error.path, message: error.message)
            }
        }
    }
}
