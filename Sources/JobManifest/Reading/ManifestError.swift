/// An error of a manifest: its position, the problem and the remedy.
public struct ManifestError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The manifest's path as it was given; `<stdin>` for standard input, `the manifest` for one built in code.
    public let file: String
    /// The line, from 1; nil for an error of the whole file or of a manifest built in code.
    public let line: Int?
    /// The column in Unicode scalars, from 1; nil where the line is.
    public let column: Int?
    /// The JSON path of the value, such as `outputs[0].format.jpeg.quality`; empty for the whole manifest.
    public let path: String
    /// The problem and its remedy, one sentence.
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

/// All errors of a manifest, in the order of its text.
public struct ManifestErrors: Error, Sendable, Equatable, CustomStringConvertible {
    /// At least one.
    public let errors: [ManifestError]

    /// One line an error.
    public var description: String { errors.map(\.description).joined(separator: "\n") }
}

extension ManifestErrors {
    /// The error of a whole file.
    init(_ message: String, in file: String) {
        self.init(errors: [ManifestError(file: file, line: nil, column: nil, path: "", message: message)])
    }
}
