import JobManifest

/// Finding the delimiter of a list by its header row.
extension DelimitedReader {
    /// The delimiters that are looked for.
    private static let candidates = Array(",;\t|".utf8)

    /// Sets the delimiter, before the first row is read: the one that the line `sep=;` of Excel names, or `standard` if it finds
    /// all columns of `names`, or else the one that finds them, or that finds the most columns.
    mutating func findDelimiter(standard: UInt8, names: Set<String>) throws(SourceError) {
        if try findNamedDelimiter() { return }
        var best = (delimiter: standard, hasNames: false, count: 1)
        for candidate in [standard] + Self.candidates.filter({ $0 != standard }) {
            delimiter = candidate
            guard let found = try peekedRow() else { continue }
            let hasNames = names.isSubset(of: found)
            if hasNames, candidate == standard { return }
            if (hasNames ? 1 : 0, found.count) > (best.hasNames ? 1 : 0, best.count) {
                best = (candidate, hasNames, found.count)
            }
        }
        delimiter = best.delimiter
    }

    /// Uses the line `sep=;` if it is the first one.
    private mutating func findNamedDelimiter() throws(SourceError) -> Bool {
        while buffer.unused.count < 6, !buffer.isAtEnd { try buffer.fill() }
        let bytes = Array(buffer.unused.prefix(7))
        guard bytes.count >= 6, bytes.starts(with: "sep=".utf8), !"\r\n\"".utf8.contains(bytes[4]),
            "\r\n".utf8.contains(bytes[5])
        else { return false }
        delimiter = bytes[4]
        buffer.use(bytes.starts(with: "\r\n".utf8, at: 5) ? 7 : 6)
        nextNumber += 1
        return true
    }

    /// Returns the fields of the next row without using it; nil if it has no end.
    private mutating func peekedRow() throws(SourceError) -> [String]? {
        while true {
            let bytes = buffer.unused
            if scan(bytes, isWhole: buffer.isAtEnd) != nil { return fields.map { $0.text(of: bytes) ?? "" } }
            guard !buffer.isAtEnd, bytes.count <= RowBuffer.longestRow else { return nil }
            try buffer.fill()
        }
    }
}

extension [UInt8] {
    fileprivate func starts(with other: String.UTF8View, at index: Int) -> Bool {
        dropFirst(index).starts(with: other)
    }
}

extension ItemList.Format {
    /// The delimiter that the name of a file implies.
    var delimiter: UInt8 { self == .tsv ? UInt8(ascii: "\t") : UInt8(ascii: ",") }
}
