import Foundation
import Imaging

/// The issues found so far in one file of a manifest or in one row, and what reading it needs to know.
package final class ManifestReading {
    /// An error before its line and column are known.
    package struct Issue {
        let offset: Int
        package let path: JSONPath
        package let message: String
    }

    /// The state that the files of one manifest share while they are read.
    final class Shared {
        var variables: Variables
        /// The limits of images, from `limits`, which is read first; a processor may ask for no longer side.
        var imageLimits = ImageLimits()
        /// True if the manifest itself comes from standard input, which no list can read then.
        var readsStandardInput = false
        /// The images read so far and the digests of their bytes, by the absolute paths of their files.
        var images: [String: (sha256: String, image: Image)] = [:]
        /// The files that the manifest is read from.
        var files: ManifestFiles

        /// Returns the object that has a key, as messages call it: `the output`; nil if none has.
        ///
        /// Handed in, since the reader of values knows no keys.
        let objectWithKey: (String) -> String?

        init(
            environment: [String: String],
            files: ManifestFiles = ManifestFiles(),
            objectWithKey: @escaping (String) -> String?
        ) {
            variables = Variables(environment: environment)
            self.files = files
            self.objectWithKey = objectWithKey
        }
    }

    /// The file's name in errors.
    let file: String
    /// The folder that relative paths start from, absolute.
    let folder: String
    /// True if `${NAME}` is a variable; it never is in the rows of a list.
    let expandsVariables: Bool
    let shared: Shared
    private let text: Data
    /// The most issues that are kept, since a text of many errors costs time and memory for each.
    static let mostIssues = 1000
    package private(set) var issues: [Issue] = []
    /// The number of issues that were found after these.
    private var others = 0

    /// Makes the reading of a manifest's file; the text gives errors their lines and columns.
    init(file: String, text: Data, folder: String, _ shared: Shared) {
        self.file = file
        self.text = text
        self.folder = folder
        self.shared = shared
        expandsVariables = true
    }

    /// Makes the reading of a list's row.
    init(rowIn folder: String, objectWithKey: @escaping (String) -> String?) {
        file = ""
        text = Data()
        self.folder = folder
        shared = Shared(environment: [:], objectWithKey: objectWithKey)
        expandsVariables = false
    }

    package func report(_ message: @autoclosure () -> String, at offset: Int, path: JSONPath) {
        guard issues.count < Self.mostIssues else {
            others += 1
            return
        }
        issues.append(Issue(offset: offset, path: path, message: message()))
    }

    /// The issues as errors of the file, sorted by place.
    var errors: [ManifestError] {
        // Sorted by place and then by time, to keep the order of errors at the same place.
        let sorted = issues.enumerated().sorted {
            ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset)
        }
        let positions = text.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            TextPosition.positions(of: sorted.map(\.element.offset), in: bytes.bindMemory(to: UInt8.self))
        }
        let errors = zip(sorted, positions).map { issue, position in
            ManifestError(
                file: file,
                line: position.line,
                column: position.column,
                path: issue.element.path.description,
                message: issue.element.message
            )
        }
        guard others > 0 else { return errors }
        let rest = "\(others) more \(others == 1 ? "error is" : "errors are") not shown: correct these first"
        return errors + [ManifestError(file: file, line: nil, column: nil, path: "", message: rest)]
    }
}
