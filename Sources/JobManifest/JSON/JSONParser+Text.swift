/// The parts of a JSON text that hold no other: space, numbers, strings.
extension JSONParser {
    /// The byte that is next, nil at the end of the text.
    var peek: UInt8? { index < text.count ? text[index] : nil }

    /// Skips white space, and comments where the form has them.
    mutating func skipSpace() throws(SyntaxError) {
        while index < text.count {
            switch text[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            case UInt8(ascii: "/") where form == .relaxed:
                guard let end = Self.endOfComment(in: text, from: index) else {
                    throw SyntaxError(index, "the comment does not end: its closing */ is missing")
                }
                guard end > index else { return }
                index = end
            default: return
            }
        }
    }

    /// Returns the offset behind the comment that begins at `start`; `start` if none does, nil if it does not end.
    static func endOfComment(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        var index = start + 2
        guard index <= text.count else { return start }
        switch text[start + 1] {
        case UInt8(ascii: "/"):
            while index < text.count, text[index] != 0x0A, text[index] != 0x0D { index += 1 }
            return index
        case UInt8(ascii: "*"):
            while index + 1 < text.count {
                if text[index] == UInt8(ascii: "*"), text[index + 1] == UInt8(ascii: "/") { return index + 2 }
                index += 1
            }
            return nil
        default: return start
        }
    }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        index += 1
        return true
    }

    mutating func skip(_ word: StaticString) -> Bool {
        let end = index + word.utf8CodeUnitCount
        guard end <= text.count else { return false }
        let matches = word.withUTF8Buffer { $0.elementsEqual(text[index..<end]) }
        if matches { index = end }
        return matches
    }

    /// The error that `expected` was expected at this place.
    func unexpected(_ expected: String) -> SyntaxError {
        guard let byte = peek else { return SyntaxError(index, "the text ends too early: \(expected)") }
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "#"):
            let remedy =
                form == .strict ? "JSON has no comments: remove it" : "comments begin with // or /* in JSON"
            return SyntaxError(index, "\(expected), and \(remedy)")
        case UInt8(ascii: "'"):
            return SyntaxError(index, "\(expected), and JSON quotes with \" only")
        case 0x21...0x7E:
            let found = Character(UnicodeScalar(byte))
            return SyntaxError(index, "\(expected), not '\(found)'")
        default:
            return SyntaxError(
                index,
                "\(expected), not the byte 0x\(String(byte, radix: 16, uppercase: true))"
            )
        }
    }

    /// Returns true if `text` is a number as JSON writes it, and nothing else.
    static func isNumber(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var parser = JSONParser(text, .strict, limits: Limits())
        return (try? parser.number()) != nil && parser.index == text.count
    }

    /// Reads `-? (0 | 1-9 digits) (. digits)? (e ±? digits)?` and returns its text.
    mutating func number() throws(SyntaxError) -> String {
        let begin = index
        _ = skip(UInt8(ascii: "-"))
        if skip(UInt8(ascii: "0")) {
            if let byte = peek, isDigit(byte) {
                throw SyntaxError(begin, "a JSON number does not begin with 0: remove it")
            }
        } else {
            try digits("digits should follow the '-'")
        }
        if skip(UInt8(ascii: ".")) { try digits("digits should follow the '.'") }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
            try digits("digits of the exponent should follow")
        }
        return String(decoding: text[begin..<index], as: UTF8.self)
    }

    private mutating func digits(_ expected: String) throws(SyntaxError) {
        guard let first = peek, isDigit(first) else { throw unexpected(expected) }
        while let byte = peek, isDigit(byte) { index += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    /// Reads a string with its quotes and escapes.
    mutating func string() throws(SyntaxError) -> String {
        let begin = index
        index += 1
        var unescaped = ""
        var run = index
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                let end = index
                index += 1
                let rest = try utf8(run..<end)
                return unescaped.isEmpty ? rest : unescaped + rest
            case UInt8(ascii: "\\"):
                unescaped += try utf8(run..<index)
                unescaped.unicodeScalars.append(try escape())
                run = index
            case 0..<0x20:
                throw SyntaxError(
                    index,
                    "a control character in a string: write it as an escape, such as \\n"
                )
            default: index += 1
            }
        }
        throw SyntaxError(begin, "the string does not end: its closing quote is missing")
    }

    private func utf8(_ range: Range<Int>) throws(SyntaxError) -> String {
        let bytes = UnsafeBufferPointer(rebasing: text[range])
        if let string = String(validating: bytes, as: UTF8.self) { return string }
        throw SyntaxError(
            range.lowerBound + UTF8Check.validCount(of: bytes),
            "the bytes are not UTF-8: save the file as UTF-8"
        )
    }

    private mutating func escape() throws(SyntaxError) -> UnicodeScalar {
        let begin = index
        index += 1
        guard let byte = peek else { throw unexpected("an escape should follow the '\\'") }
        index += 1
        switch byte {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try scalar(from: begin)
        default:
            throw SyntaxError(begin, "invalid escape: write a backslash as \\\\")
        }
    }

    /// Reads what follows `\u`, and the second half where it is the first of a surrogate pair.
    private mutating func scalar(from begin: Int) throws(SyntaxError) -> UnicodeScalar {
        let unit = try hexadecimalUnit(from: begin)
        if let scalar = UnicodeScalar(unit) { return scalar }
        let high = UInt32(unit)
        if high < 0xDC00, skip("\\u") {
            let low = UInt32(try hexadecimalUnit(from: begin))
            if (0xDC00...0xDFFF).contains(low),
                let scalar = UnicodeScalar(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
            {
                return scalar
            }
        }
        throw SyntaxError(begin, "half of a surrogate pair: write the character itself, or both halves")
    }

    private mutating func hexadecimalUnit(from begin: Int) throws(SyntaxError) -> UInt16 {
        let end = index + 4
        guard end <= text.count,
            text[index..<end].allSatisfy({ UnicodeScalar($0).properties.isASCIIHexDigit }),
            let unit = UInt16(String(decoding: text[index..<end], as: UTF8.self), radix: 16)
        else { throw SyntaxError(begin, "four hexadecimal digits should follow \\u") }
        index = end
        return unit
    }
}

/// A check of UTF-8 (RFC 3629).
enum UTF8Check {
    /// Returns the number of bytes from the first that are well-formed UTF-8.
    static func validCount(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var count = 0
        while case .scalarValue(let scalar) = decoder.decode(&iterator) { count += UTF8.width(scalar) }
        return count
    }
}
