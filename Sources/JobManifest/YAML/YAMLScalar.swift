/// The values of YAML's plain scalars: text without quotes.
enum YAMLScalar {
    /// Returns null, a truth value, a number as JSON writes it, or else text; nil if readers of YAML disagree.
    ///
    /// YAML 1.1 reads `0777`, `0x1F`, `1_000`, `10:30`, `+1` and `.5` as numbers, and other readers some of them as text.
    static func kind(of text: String) -> JSONValue.Kind? {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        default: break
        }
        guard let first = text.utf8.first, isDigit(first) || "+-.".utf8.contains(first) else {
            return .string(text)
        }
        var copy = text
        if copy.withUTF8(JSONParser.isNumber) { return .number(text) }
        return isNumberElsewhere(text) ? nil : .string(text)
    }

    private static func isNumberElsewhere(_ text: String) -> Bool {
        var rest = text.lowercased()[...]
        if let sign = rest.utf8.first, "+-".utf8.contains(sign) { rest.removeFirst() }
        if rest == ".inf" || rest == ".nan" { return true }
        if ["0x", "0o", "0b"].contains(rest.prefix(2)) {
            let digits = rest.dropFirst(2).utf8
            return !digits.isEmpty && digits.allSatisfy(isHexadecimalDigit)
        }
        if let exponent = rest.utf8.firstIndex(of: UInt8(ascii: "e")) {
            var digits = rest.utf8[exponent...].dropFirst()
            if let sign = digits.first, "+-".utf8.contains(sign) { digits.removeFirst() }
            guard !digits.isEmpty, digits.allSatisfy(isDigit) else { return false }
            rest = rest[..<exponent]
        }
        return isDecimal(rest.utf8) || isSexagesimal(rest.utf8)
    }

    /// Digits with `_` among them and at most one point: `1_000`, `0777`, `.5`, `5.`.
    private static func isDecimal(_ text: Substring.UTF8View) -> Bool {
        let points = text.count { $0 == UInt8(ascii: ".") }
        return points <= 1 && text.first != UInt8(ascii: "_") && text.contains(where: isDigit)
            && text.allSatisfy { isDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_") }
    }

    /// Hours, minutes and seconds: `10:30`, `1:30:00.5`.
    private static func isSexagesimal(_ text: Substring.UTF8View) -> Bool {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count > 1, let hours = parts.first, !hours.contains(UInt8(ascii: ".")) else {
            return false
        }
        let others = parts.dropFirst()
        return isDecimal(hours)
            && others.enumerated().allSatisfy { index, part in
                let digits = part.prefix { $0 != UInt8(ascii: ".") }
                let isWhole = digits.count == part.count
                let isLast = index == others.count - 1
                return (1...2).contains(digits.count) && digits.allSatisfy(isDigit)
                    && (digits.count < 2 || digits.first.map { $0 < UInt8(ascii: "6") } ?? false)
                    && (isWhole || isLast && isDecimal(part))
            }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    private static func isHexadecimalDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte) || byte == UInt8(ascii: "_")
    }
}
