/// Lines of a list that are items, in one buffer.
struct LineChunk: RowChunk {
    private static let (mostLines, mostBytes) = (1000, 1 << 17)

    private struct Entry {
        let number: Int
        /// The end of the line in `bytes`.
        let end: Int
        /// The number of bytes of a line that is too long, of which only the beginning is here.
        let excess: Int?
    }

    private let parser: LineParser
    private var bytes: [UInt8] = []
    private var lines: [Entry] = []

    init(_ parser: LineParser) {
        self.parser = parser
        lines.reserveCapacity(Self.mostLines)
        bytes.reserveCapacity(Self.mostLines * 64)
    }

    var count: Int { lines.count }

    var isFull: Bool { lines.count >= Self.mostLines || bytes.count >= Self.mostBytes }

    mutating func append(_ line: LineReader.Line, number: Int) {
        switch line {
        case .text(let text):
            bytes.append(contentsOf: text)
            lines.append(Entry(number: number, end: bytes.count, excess: nil))
        case .tooLong(let count, let beginning):
            bytes.append(contentsOf: beginning.utf8)
            lines.append(Entry(number: number, end: bytes.count, excess: count))
        }
    }

    func forEach(_ body: (Row) -> Void) {
        bytes.withUnsafeBufferPointer { bytes in
            var start = 0
            for line in lines {
                let text = UnsafeBufferPointer(rebasing: bytes[start..<line.end])
                start = line.end
                guard let count = line.excess else {
                    body(parser.row(.text(text), number: line.number))
                    continue
                }
                let beginning = String(decoding: text, as: UTF8.self)
                body(parser.row(.tooLong(count, beginning: beginning), number: line.number))
            }
        }
    }
}
