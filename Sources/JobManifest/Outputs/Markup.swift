import Imaging

/// The markup of an output: `<picture>` elements with all its images, for the pages that show them.
public struct Markup: Sendable {
    /// The files that hold it.
    public enum File: Sendable {
        /// An index of all items, at this path.
        case index(String)
        /// A snippet for each item.
        case snippets(OutputPath)
    }

    /// The outputs of one format.
    public struct Format: Sendable {
        /// The media type; nil if it depends on the original, which only the last format may do.
        public let mediaType: String?
        /// The names of the outputs, by ascending width.
        public let outputs: [String]
    }

    /// The name of the manifest's output.
    public let name: String
    /// The files that hold it, below the destination.
    public internal(set) var file: File
    /// The `sizes` attribute; nil if the output has no widths.
    public let sizes: String?
    /// The column or variable of the `alt` attribute's text.
    public let altColumn: String
    /// The URL that every path is appended to, with a slash at its end; empty if there is none.
    public let baseURL: String
    /// The formats, the most compatible one last.
    public let formats: [Format]
    /// The treatment of a file that nuke-batch did not write.
    public let existing: Output.Existing

    /// Gives the index of a part of the job's items a name of its own, as each part knows its own items only.
    package mutating func nameIndex(of shard: Partition) {
        guard case .index(let path) = file, let dot = path.unicodeScalars.lastIndex(of: ".") else { return }
        file = .index("\(path[..<dot])-\(shard.number)-of-\(shard.count)\(path[dot...])")
    }

    /// The path of the index, or the template of the snippets.
    package var path: String {
        switch file {
        case .index(let path): path
        case .snippets(let template): template.description
        }
    }

    /// The template of snippets; nil for an index.
    var snippets: OutputPath? { if case .snippets(let template) = file { template } else { nil } }

    /// True if the paths of snippets need the bytes of an original.
    package var needsHash: Bool { snippets?.needsHash ?? false }

    /// The path variables of snippets that are columns or `vars`.
    package var columns: [String] { snippets?.columns ?? [] }

    /// Returns the path of an item's snippet; nil for an index.
    package func snippetPath(of item: PlannedItem, originalSHA256: String) -> String? {
        guard case .snippets(let template) = file else { return nil }
        let facts = OutputFacts(fileExtension: "", width: 0, height: 0, hash: originalSHA256)
        return template.finished(template.planned(for: item), with: facts)
    }
}

extension OutputFormat {
    /// The media type; nil if it depends on the original.
    var mediaType: String? {
        if case .encoded(let format) = self { "image/\(format.imageFormat.rawValue)" } else { nil }
    }
}
