import JobManifest

/// A list with one item per line, read line by line.
///
/// Empty lines are skipped, and in lists of URLs those that begin with `#`.
struct LineRows: RowReading {
    private var lines: LineReader
    private let parser: LineParser

    init(
        _ form: LineParser.Form,
        _ stream: any ByteStream,
        name: String,
        context: RowContext
    ) throws(SourceError) {
        lines = try LineReader(stream, name: name)
        parser = LineParser(form: form, name: name, context: context)
    }

    mutating func next() throws(SourceError) -> Row? {
        while let line = try lines.next() {
            if parser.isItem(line) { return parser.row(line, number: lines.number) }
        }
        return nil
    }

    mutating func nextChunk() throws(SourceError) -> (any RowChunk)? {
        var chunk = LineChunk(parser)
        while !chunk.isFull, let line = try lines.next() {
            guard parser.isItem(line) else { continue }
            chunk.append(line, number: lines.number)
            // At each line, as a pipe may give one now and then.
            if parser.context.isStopped() { break }
        }
        return chunk.count > 0 ? chunk : nil
    }
}
