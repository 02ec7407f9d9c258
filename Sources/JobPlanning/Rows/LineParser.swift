import JobManifest

/// Parses the lines of a list: URLs, or JSON strings or objects.
struct LineParser: Sendable {
    /// The form of a line.
    enum Form {
        case text
        case json
        /// A JSON object whose keys are columns.
        case table(ItemList.Columns)
    }

    let form: Form
    /// The list's name in errors and locations.
    let name: String
    let context: RowContext

    /// Returns false for an empty line, and for a comment.
    func isItem(_ line: LineReader.Line) -> Bool {
        guard case .text(let bytes) = line else { return true }
        guard let first = Self.trimmed(bytes).first else { return false }
        if case .text = form { return first != UInt8(ascii: "#") }
        return true
    }

    /// Returns the item of a line.
    func row(_ line: LineReader.Line, number: Int) -> Row {
        let position = PlannedItem.Position.line(file: name, number: number)
        return switch line {
        case .tooLong(let count, let beginning): .tooLong(count, beginning: beginning, position: position)
        case .text(let bytes):
            switch form {
            case .text: Row(url: context.check(Self.trimmed(bytes)), position: position)
            case .json: row(bytes, position: position)
            case .table(let columns): row(bytes, columns, position: position)
            }
        }
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
    fileprivate static func tooLong(_ count: Int, beginning: String, position: PlannedItem.Position) -> Row {
        .failed(
            "\(beginning)…(\(count))",
            "the line has \(count) bytes; the limit is \(RowBuffer.longestRow)",
            position: position
        )
    }
}
