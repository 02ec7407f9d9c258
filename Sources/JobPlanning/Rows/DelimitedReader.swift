import JobManifest

/// Reads the rows of a CSV or TSV file (RFC 4180), which end with LF, CR LF or CR; quoted fields may contain delimiters, line
/// breaks and doubled quotes.
struct DelimitedReader {
    /// A field of a row.
    struct Field {
        /// The bytes of the field, without quotes.
        let range: Range<Int>
        let hasDoubledQuotes: Bool

        /// Returns the text of the field of the row in `bytes`; nil if it is not UTF-8.
        func text(of bytes: UnsafeBufferPointer<UInt8>) -> String? {
            let field = UnsafeBufferPointer(rebasing: bytes[range])
            guard hasDoubledQuotes else { return String(validating: field, as: UTF8.self) }
            // Byte by byte, since a quote and a combining mark behind it are one `Character`.
            var isFirst = false
            let plain = field.filter { byte in
                isFirst = byte == UInt8(ascii: "\"") && !isFirst
                return !isFirst
            }
            return String(validating: plain, as: UTF8.self)
        }

        /// True if the field of the row in `bytes` is in quotes.
        func isQuoted(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
            range.lowerBound > 0 && bytes[range.lowerBound - 1] == UInt8(ascii: "\"")
        }
    }

    let buffer: RowBuffer
    /// The byte between two fields.
    var delimiter: UInt8
    /// The file's name in errors.
    private let name: String
    /// The line in which the last row begins, from 1.
    private(set) var number = 0
    var nextNumber = 1
    /// The fields of the last row.
    private(set) var fields: [Field] = []
    /// The number of columns of the header row; nil to look for no swallowed rows.
    var columns: Int?
    /// The quoted fields that may have swallowed rows.
    private(set) var stretches = QuotedStretches()
    /// The quoted field of the last row that runs over lines: the lines from the row's first on, and the delimiters in it.
    private var stretch: (first: Int, last: Int, delimiters: Int)?
    /// True to pass over a row that is too long, of which only the length is told; false to throw, since in a list that people write
    /// it is a quote without an end.
    var passesLongRows = false
    /// The bytes of the last row if it was passed over, which has no fields then.
    private(set) var excess: Int?
    /// True if text follows the closing quote of a field of the last row.
    private(set) var isMalformed = false
    private var breaks = 0

    init(_ stream: any ByteStream, delimiter: UInt8 = UInt8(ascii: ","), name: String) throws(SourceError) {
        buffer = RowBuffer(stream)
        self.delimiter = delimiter
        self.name = name
        try buffer.skipByteOrderMark(of: name)
    }

    /// Reads the next row into `fields` and returns its bytes, valid until the next one; nil after the last.
    mutating func next() throws(SourceError) -> UnsafeBufferPointer<UInt8>? {
        excess = nil
        while true {
            let bytes = buffer.unused
            if bytes.isEmpty, buffer.isAtEnd { return nil }
            if let end = scan(bytes, isWhole: buffer.isAtEnd) {
                guard end <= RowBuffer.longestRow else { return try passOver() }
                number = nextNumber
                nextNumber += breaks
                if let stretch, let columns, stretch.delimiters >= columns - 1 {
                    stretches.add(lines: number + stretch.first...number + stretch.last)
                }
                buffer.use(end)
                return UnsafeBufferPointer(rebasing: bytes[..<end])
            }
            if buffer.isAtEnd {
                throw SourceError(name, line: nextNumber, "a quoted field has no closing quote: add it")
            }
            guard bytes.count <= RowBuffer.longestRow else { return try passOver() }
            try buffer.fill()
        }
    }

    /// Passes over the row at the beginning of the buffer, a piece at a time.
    private mutating func passOver() throws(SourceError) -> UnsafeBufferPointer<UInt8> {
        guard passesLongRows else {
            throw SourceError(
                name,
                line: nextNumber,
                "the row does not end within \(RowBuffer.longestRow) bytes: check for a missing closing quote"
            )
        }
        var (count, isQuoted) = (0, false)
        while true {
            let bytes = buffer.unused
            // A doubled quote ends and begins.
            let end = bytes.firstIndex { byte in
                if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
                return !isQuoted && Self.isLineEnd(byte)
            }
            count += end ?? bytes.count
            buffer.use(end ?? bytes.count)
            if end != nil || buffer.isAtEnd { break }
            try buffer.fill()
        }
        // The line end itself, of which CR LF may be cut.
        while buffer.unused.count < 2, !buffer.isAtEnd { try buffer.fill() }
        if !buffer.unused.isEmpty {
            buffer.use(Self.end(of: buffer.unused, at: 0, isWhole: true) ?? 1)
        }
        (number, excess) = (nextNumber, count)
        nextNumber += 1
        fields.removeAll(keepingCapacity: true)
        isMalformed = false
        return UnsafeBufferPointer(rebasing: buffer.unused[..<0])
    }

    /// True if the last row is empty; empty rows are skipped.
    var isBlank: Bool { fields.count == 1 && fields[0].range.isEmpty }

    /// Finds the fields of the first row in `bytes`, and returns the start of the next row; nil if the row continues
    /// beyond `bytes`.
    mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>, isWhole: Bool) -> Int? {
        fields.removeAll(keepingCapacity: true)
        isMalformed = false
        breaks = 1
        stretch = nil
        var index = 0
        while true {
            var field: Field?
            if index < bytes.count, bytes[index] == UInt8(ascii: "\"") {
                guard let quoted = quotedField(bytes, at: index, isWhole: isWhole) else { return nil }
                field = quoted
                index = quoted.range.upperBound + 1
            }
            let start = index
            while index < bytes.count, bytes[index] != delimiter, !Self.isLineEnd(bytes[index]) { index += 1 }
            guard index < bytes.count || isWhole else { return nil }
            if field != nil, index > start { isMalformed = true }
            fields.append(field ?? Field(range: start..<index, hasDoubledQuotes: false))
            if index == bytes.count { return index }
            if Self.isLineEnd(bytes[index]) { return Self.end(of: bytes, at: index, isWhole: isWhole) }
            index += 1
        }
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool {
        // Nearly all bytes are greater.
        byte <= UInt8(ascii: "\r") && (byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r"))
    }

    /// Returns the start of the row behind the line end at `index`; nil if the rest of it may be beyond `bytes`.
    private static func end(of bytes: UnsafeBufferPointer<UInt8>, at index: Int, isWhole: Bool) -> Int? {
        guard bytes[index] == UInt8(ascii: "\r") else { return index + 1 }
        guard index + 1 < bytes.count else { return isWhole ? index + 1 : nil }
        return bytes[index + 1] == UInt8(ascii: "\n") ? index + 2 : index + 1
    }

    private mutating func quotedField(_ bytes: UnsafeBufferPointer<UInt8>, at quote: Int, isWhole: Bool)
        -> Field?
    {
        var index = quote + 1
        var hasDoubledQuotes = false
        let first = breaks - 1
        var delimiters = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\n"): breaks += 1
            case UInt8(ascii: "\r"):
                if index + 1 < bytes.count, bytes[index + 1] != UInt8(ascii: "\n") { breaks += 1 }
            case UInt8(ascii: "\""):
                if index + 1 == bytes.count, !isWhole { return nil }
                guard index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "\"") else {
                    if breaks - 1 > first { stretch = (first, breaks - 1, delimiters) }
                    return Field(range: (quote + 1)..<index, hasDoubledQuotes: hasDoubledQuotes)
                }
                hasDoubledQuotes = true
                index += 1
            case delimiter: delimiters += 1
            default: break
            }
            index += 1
        }
        return nil
    }
}
