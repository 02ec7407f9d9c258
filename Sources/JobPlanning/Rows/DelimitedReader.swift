import JobManifest

/// Reads the rows of a CSV or TSV file (RFC 4180); quoted fields may contain delimiters, line breaks and doubled
/// quotes.
struct DelimitedReader {
    /// A field of a row.
    struct Field {
        /// The bytes of the field, without quotes.
        let range: Range<Int>
        let hasDoubledQuotes: Bool

        /// Returns the text of the field of the row in `bytes`; nil if it is not UTF-8.
        func text(of bytes: UnsafeBufferPointer<UInt8>) -> String? {
            let text = String(validating: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
            return hasDoubledQuotes ? text?.replacing("\"\"", with: "\"") : text
        }
    }

    private let buffer: RowBuffer
    private let delimiter: UInt8
    /// The file's name in errors.
    private let name: String
    /// The line in which the last row begins, from 1.
    private(set) var number = 0
    private var nextNumber = 1
    /// The fields of the last row.
    private(set) var fields: [Field] = []
    /// True if text follows the closing quote of a field of the last row.
    private(set) var isMalformed = false
    private var breaks = 0

    init(_ stream: any ByteStream, delimiter: Character, name: String) throws(SourceError) {
        buffer = RowBuffer(stream)
        self.delimiter = delimiter.asciiValue ?? UInt8(ascii: ",")
        self.name = name
        try buffer.skipByteOrderMark()
    }

    /// Reads the next row into `fields` and returns its bytes, valid until the next one; nil after the last.
    mutating func next() throws(SourceError) -> UnsafeBufferPointer<UInt8>? {
        while true {
            let bytes = buffer.unused
            if bytes.isEmpty, buffer.isAtEnd { return nil }
            if let end = scan(bytes, isWhole: buffer.isAtEnd) {
                guard end <= RowBuffer.longestRow else { throw tooLong() }
                number = nextNumber
                nextNumber += breaks
                buffer.use(end)
                return UnsafeBufferPointer(rebasing: bytes[..<end])
            }
            if buffer.isAtEnd {
                throw SourceError(
                    file: name,
                    line: nextNumber,
                    message: "a quoted field has no closing quote: add it"
                )
            }
            guard bytes.count <= RowBuffer.longestRow else { throw tooLong() }
            try buffer.fill()
        }
    }

    private func tooLong() -> SourceError {
        SourceError(
            file: name,
            line: nextNumber,
            message:
                "the row does not end within \(RowBuffer.longestRow) bytes: check for a missing closing quote"
        )
    }

    /// True if the last row is empty; empty rows are skipped.
    var isBlank: Bool { fields.count == 1 && fields[0].range.isEmpty }

    /// Finds the fields of the first row in `bytes`, and returns the start of the next row; nil if the row continues
    /// beyond `bytes`.
    private mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>, isWhole: Bool) -> Int? {
        fields.removeAll(keepingCapacity: true)
        isMalformed = false
        breaks = 1
        var index = 0
        while true {
            var field: Field?
            if index < bytes.count, bytes[index] == UInt8(ascii: "\"") {
                guard let quoted = quotedField(bytes, at: index, isWhole: isWhole) else { return nil }
                field = quoted
                index = quoted.range.upperBound + 1
            }
            let start = index
            while index < bytes.count, bytes[index] != delimiter, bytes[index] != UInt8(ascii: "\n") {
                index += 1
            }
            guard index < bytes.count || isWhole else { return nil }
            let endsRow = index == bytes.count || bytes[index] == UInt8(ascii: "\n")
            var end = index
            if endsRow, end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
            if field != nil, end > start { isMalformed = true }
            fields.append(field ?? Field(range: start..<end, hasDoubledQuotes: false))
            if endsRow { return min(index + 1, bytes.count) }
            index += 1
        }
    }

    private mutating func quotedField(_ bytes: UnsafeBufferPointer<UInt8>, at quote: Int, isWhole: Bool)
        -> Field?
    {
        var index = quote + 1
        var hasDoubledQuotes = false
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\n"): breaks += 1
            case UInt8(ascii: "\""):
                if index + 1 == bytes.count, !isWhole { return nil }
                guard index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "\"") else {
                    return Field(range: (quote + 1)..<index, hasDoubledQuotes: hasDoubledQuotes)
                }
                hasDoubledQuotes = true
                index += 1
            default: break
            }
            index += 1
        }
        return nil
    }
}
