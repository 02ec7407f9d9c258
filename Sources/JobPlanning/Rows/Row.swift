import JobManifest

/// The values of one row, before the source's own values are added.
struct Row {
    var url: ItemURL.Checked
    /// The URL to load if it differs from `url`.
    var target: String?
    var id: String?
    var priority: ItemPriority?
    var headers: [String: String] = [:]
    var variables: [String: String] = [:]
    var validator: String?
    var position: PlannedItem.Position

    /// Creates an invalid row, which counts as a failed item.
    static func failed(_ text: String, _ message: String, position: PlannedItem.Position) -> Row {
        Row(
            url: ItemURL.Checked(url: text, problem: ItemProblem(code: .badURL, message: message)),
            position: position
        )
    }
}

/// The settings of the manifest that every reader of rows needs.
package struct RowContext {
    /// The folder that bare paths are relative to.
    let folder: String
    /// The allowed schemes.
    let schemes: Set<String>

    /// Creates the context from its parts.
    package init(
        folder: String,
        schemes: Set<String>
    ) {
        self.folder = folder
        self.schemes = schemes
    }

    func check(_ text: String) -> ItemURL.Checked {
        ItemURL.check(text, folder: folder, schemes: schemes)
    }

    func check(_ text: UnsafeBufferPointer<UInt8>) -> ItemURL.Checked {
        ItemURL.check(text, folder: folder, schemes: schemes)
    }
}

/// A source, read one row at a time.
protocol RowReading {
    /// Returns the next row; nil after the last.
    mutating func next() throws(SourceError) -> Row?
}

/// The entries of `"urls"`.
struct EntryRows: RowReading {
    private let entries: [ItemEntry]
    private let manifest: Manifest
    private let context: RowContext
    private let source: Int
    private var index = 0

    init(_ entries: [ItemEntry], source: Int, of manifest: Manifest, context: RowContext) {
        self.entries = entries
        self.source = source
        self.manifest = manifest
        self.context = context
    }

    mutating func next() -> Row? {
        guard index < entries.count else { return nil }
        defer { index += 1 }
        let entry = entries[index]
        let checked = context.check(manifest.variables.expanded(entry.url))
        var row = Row(url: checked, position: .entry(source: source, index: index))
        if Variables.occur(in: entry.url) {
            // Stored as written, because the value of a variable may be a secret.
            row.url = ItemURL.Checked(url: written(entry.url), problem: checked.problem)
            row.target = checked.url
        }
        row.id = entry.id
        row.priority = entry.priority
        row.headers = entry.headers
        row.variables = entry.variables
        return row
    }

    /// Returns a text with variables as it is stored.
    ///
    /// A path relative to a folder other than the manifest's gets that folder as a prefix, because stored paths are
    /// relative to the manifest's folder.
    private func written(_ text: String) -> String {
        guard context.folder != manifest.folder else { return text }
        let isSame = manifest.target(of: text) == context.check(manifest.variables.expanded(text)).url
        return isSame ? text : "\(context.folder)/\(text)"
    }
}

/// A list with one URL per line; empty lines and lines that begin with `#` are skipped.
struct TextRows: RowReading {
    private var lines: LineReader
    private let name: String
    private let context: RowContext

    init(_ stream: any ByteStream, name: String, context: RowContext) throws(SourceError) {
        lines = try LineReader(stream)
        self.name = name
        self.context = context
    }

    mutating func next() throws(SourceError) -> Row? {
        while let line = try lines.next() {
            let position = PlannedItem.Position.line(file: name, number: lines.number)
            switch line {
            case .tooLong(let count, let beginning):
                return .tooLong(count, beginning: beginning, position: position)
            case .text(let bytes):
                let text = Self.trimmed(bytes)
                guard let first = text.first, first != UInt8(ascii: "#") else { continue }
                return Row(url: context.check(text), position: position)
            }
        }
        return nil
    }

    private static func trimmed(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        var start = 0
        var end = bytes.count
        while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
        while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
        return UnsafeBufferPointer(rebasing: bytes[start..<end])
    }
}

/// A list with one JSON string or object per line.
struct JSONRows: RowReading {
    private var lines: LineReader
    private let name: String
    private let context: RowContext

    init(_ stream: any ByteStream, name: String, context: RowContext) throws(SourceError) {
        lines = try LineReader(stream)
        self.name = name
        self.context = context
    }

    mutating func next() throws(SourceError) -> Row? {
        while let line = try lines.next() {
            let position = PlannedItem.Position.line(file: name, number: lines.number)
            switch line {
            case .tooLong(let count, let beginning):
                return .tooLong(count, beginning: beginning, position: position)
            case .text(let bytes):
                if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
                return row(bytes, position: position)
            }
        }
        return nil
    }

    private func row(_ bytes: UnsafeBufferPointer<UInt8>, position: PlannedItem.Position) -> Row {
        // The beginning distinguishes failed rows, because items with equal URLs would be one item.
        let beginning = ItemURL.encoded(UnsafeBufferPointer(rebasing: bytes.prefix(1000)))
        let reading = ManifestReading(rowIn: context.folder)
        let entry: ItemEntry?
        do {
            let document = try JSONParser.parse(bytes)
            for key in document.duplicateKeys {
                reading.report("duplicate key: remove one of them", at: key.offset, path: key.path)
            }
            entry = ItemEntry(ManifestNode(value: document.root, path: .top, reading: reading))
        } catch {
            return .failed(
                beginning,
                "not JSON, column \(error.offset + 1): \(error.message)",
                position: position
            )
        }
        guard let entry, reading.issues.isEmpty else {
            let messages = reading.issues.map { issue in
                let path = issue.path.description
                return path.isEmpty ? issue.message : "\(path): \(issue.message)"
            }
            return .failed(beginning, messages.joined(separator: "; "), position: position)
        }
        var row = Row(url: context.check(entry.url), position: position)
        row.id = entry.id
        row.priority = entry.priority
        row.headers = entry.headers.mapValues(Variables.escaped)
        row.variables = entry.variables
        return row
    }
}

extension Row {
    fileprivate static func tooLong(
        _ count: Int,
        beginning: String,
        position: PlannedItem.Position
    ) -> Row {
        .failed(
            "\(beginning)…(\(count))",
            "the line has \(count) bytes; the limit is \(RowBuffer.longestRow)",
            position: position
        )
    }
}
