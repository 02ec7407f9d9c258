import JobManifest

/// A list with one item per line: a URL, or a JSON string or object.
///
/// Empty lines are skipped, and in lists of URLs those that begin with `#`.
struct LineRows: RowReading {
    /// The form of a line.
    enum Form {
        case text
        case json
    }

    private let form: Form
    private var lines: LineReader
    private let name: String
    private let context: RowContext

    init(_ form: Form, _ stream: any ByteStream, name: String, context: RowContext) throws(SourceError) {
        self.form = form
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
                guard let first = text.first else { continue }
                switch form {
                case .text where first == UInt8(ascii: "#"): continue
                case .text: return Row(url: context.check(text), position: position)
                case .json: return row(bytes, position: position)
                }
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
