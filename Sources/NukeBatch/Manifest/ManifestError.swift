import Foundation
import Imaging

/// One thing that is wrong in a manifest: where, what, and what to do about it.
public struct ManifestError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The manifest's path as it was given.
    public let file: String
    /// The line, from 1; nil where the file as a whole is meant.
    public let line: Int?
    /// The column in Unicode scalars, from 1; nil where the file as a whole is meant.
    public let column: Int?
    /// The way to the value, such as `outputs[0].format.jpeg.quality`; empty for the whole manifest.
    public let path: String
    /// What is wrong and the remedy, one sentence.
    public let message: String

    /// `jobs/thumbnails.json:12:5: outputs[0].format: …`, as editors and compilers have it.
    public var description: String {
        var text = file
        if let line { text += ":\(line)" }
        if let column { text += ":\(column)" }
        if !path.isEmpty { text += ": \(path)" }
        return "\(text): \(message)"
    }
}

/// Everything that is wrong in a manifest, in the order of its text.
public struct ManifestErrors: Error, Sendable, Equatable, CustomStringConvertible {
    /// At least one.
    public let errors: [ManifestError]

    /// One line an error.
    public var description: String { errors.map(\.description).joined(separator: "\n") }
}

/// The issues found so far in one file of a manifest or in one row, and what reading it needs to know.
final class ManifestReading {
    /// An error before its line and column are known.
    struct Issue {
        let offset: Int
        let path: JSONPath
        let message: String
    }

    /// What the files of one manifest share while they are read.
    final class Shared {
        var variables: Variables
        /// Of `limits`, which is read first: the largest side that a processor may ask for.
        var maxDimension = LimitSettings.largestDimension
        /// Of `limits`: the largest picture that a processor may bring along.
        var pictureLimits = ImageLimits()
        /// The pictures read so far, by their absolute paths.
        var pictures: [String: ManifestPicture] = [:]

        init(environment: [String: String]) {
            variables = Variables(environment: environment)
        }
    }

    /// The file's name in errors.
    let file: String
    /// The folder that relative paths start from, absolute.
    let folder: String
    /// Whether `${NAME}` is a variable; it never is in the rows of a list.
    let expandsVariables: Bool
    let shared: Shared
    private let text: Data
    private(set) var issues: [Issue] = []

    /// For a file of a manifest, whose text errors are placed in.
    init(file: String, text: Data, folder: String, _ shared: Shared) {
        self.file = file
        self.text = text
        self.folder = folder
        self.shared = shared
        expandsVariables = true
    }

    /// For a row of a list.
    init(rowIn folder: String) {
        file = ""
        text = Data()
        self.folder = folder
        shared = Shared(environment: [:])
        expandsVariables = false
    }

    func report(_ message: String, at offset: Int, path: JSONPath) {
        issues.append(Issue(offset: offset, path: path, message: message))
    }

    /// The issues as errors of the file, sorted by place.
    var errors: [ManifestError] {
        // Sorting by place and then by time keeps the order of what was found at one place.
        let sorted = issues.enumerated().sorted {
            ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset)
        }
        let positions = text.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            TextPosition.positions(of: sorted.map(\.element.offset), in: bytes.bindMemory(to: UInt8.self))
        }
        return zip(sorted, positions).map { issue, position in
            ManifestError(
                file: file,
                line: position.line,
                column: position.column,
                path: issue.element.path.description,
                message: issue.element.message
            )
        }
    }
}
