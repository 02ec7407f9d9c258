/// A part of a pattern between slashes.
package enum GlobPart: Sendable, Equatable {
    /// `**`: any number of folders, or none.
    case folders
    /// A pattern of one name.
    case name([Token])

    /// A pattern of characters within a name.
    package enum Token: Sendable, Equatable {
        case scalar(UnicodeScalar)
        /// `?`
        case any
        /// `*`
        case many
        /// `[a-z]`, or everything else with `[!a-z]`.
        case oneOf([ClosedRange<UnicodeScalar>], isNegated: Bool)
    }

    init(_ text: [UnicodeScalar]) throws(TextError) {
        if text == ["*", "*"] {
            self = .folders
            return
        }
        if text == ["."] || text == [".", "."] {
            throw TextError("has . or .. behind a wildcard: write the folder before it")
        }
        var tokens: [Token] = []
        var index = 0
        while index < text.count {
            switch text[index] {
            case "*":
                if tokens.last != .many { tokens.append(.many) }
            case "?": tokens.append(.any)
            case "[": tokens.append(try Self.set(text, &index))
            case "\\":
                index += 1
                guard index < text.count else { throw TextError("ends a name with \\: write \\\\ for it") }
                tokens.append(.scalar(text[index]))
            default: tokens.append(.scalar(text[index]))
            }
            index += 1
        }
        self = .name(tokens)
    }

    /// Reads `[…]` and leaves `index` at its end; a `]` or `-` first in it is itself.
    private static func set(_ text: [UnicodeScalar], _ index: inout Int) throws(TextError) -> Token {
        index += 1
        var isNegated = false
        if index < text.count, text[index] == "!" || text[index] == "^" {
            isNegated = true
            index += 1
        }
        var ranges: [ClosedRange<UnicodeScalar>] = []
        let first = index
        while index < text.count, text[index] != "]" || index == first {
            let lower = text[index]
            if index + 2 < text.count, text[index + 1] == "-", text[index + 2] != "]" {
                let upper = text[index + 2]
                guard lower <= upper else { throw TextError("has a range in [] that runs backwards") }
                ranges.append(lower...upper)
                index += 3
            } else {
                ranges.append(lower...lower)
                index += 1
            }
        }
        guard index < text.count else {
            throw TextError("has a [ without its ]: write \\[ for the character")
        }
        return .oneOf(ranges, isNegated: isNegated)
    }

    /// The characters that every name begins with which the part matches.
    package func fixedBeginning(ignoringCase: Bool) -> String {
        guard case .name(let tokens) = self else { return "" }
        var beginning = String.UnicodeScalarView()
        for case .scalar(let scalar) in tokens.prefix(while: \.isScalar) {
            guard !ignoringCase || !scalar.properties.isCased else { break }
            beginning.append(scalar)
        }
        return String(beginning)
    }

    /// Returns true if the part matches a name; `**` matches every folder.
    package func fits(_ name: [UnicodeScalar], ignoringCase: Bool = false) -> Bool {
        switch self {
        case .folders: name.first != "."
        case .name(let tokens):
            (name.first != "." || tokens.first == .scalar("."))
                && Self.fits(tokens, name, ignoringCase: ignoringCase)
        }
    }

    /// After a mismatch the last `*` takes one character more: no more steps than the two lengths multiplied.
    private static func fits(_ tokens: [Token], _ name: [UnicodeScalar], ignoringCase: Bool) -> Bool {
        var token = 0
        var position = 0
        var star: (token: Int, position: Int)?
        while position < name.count {
            if token < tokens.count, tokens[token] == .many {
                star = (token, position)
                token += 1
            } else if token < tokens.count, tokens[token].fits(name[position], ignoringCase: ignoringCase) {
                token += 1
                position += 1
            } else if let last = star {
                star = (last.token, last.position + 1)
                token = last.token + 1
                position = last.position + 1
            } else {
                return false
            }
        }
        return tokens[token...].allSatisfy { $0 == .many }
    }
}

extension GlobPart.Token {
    fileprivate var isScalar: Bool { if case .scalar = self { true } else { false } }

    fileprivate func fits(_ scalar: UnicodeScalar, ignoringCase: Bool) -> Bool {
        switch self {
        case .scalar(let own): own == scalar || ignoringCase && own.lowercased == scalar.lowercased
        case .any: true
        case .many: false
        case .oneOf(let ranges, let isNegated):
            ranges.contains { range in
                range.contains(scalar)
                    || ignoringCase
                        && (range.contains(scalar.lowercased) || range.contains(scalar.uppercased))
            } != isNegated
        }
    }
}

extension UnicodeScalar {
    /// The lower-case letter; the same scalar where that is not one scalar.
    fileprivate var lowercased: UnicodeScalar {
        guard !isASCII else { return (65...90).contains(value) ? UnicodeScalar(UInt8(value) + 32) : self }
        let mapping = properties.lowercaseMapping.unicodeScalars
        return mapping.count == 1 ? mapping[mapping.startIndex] : self
    }

    /// The upper-case letter; the same scalar where that is not one scalar.
    fileprivate var uppercased: UnicodeScalar {
        guard !isASCII else { return (97...122).contains(value) ? UnicodeScalar(UInt8(value) - 32) : self }
        let mapping = properties.uppercaseMapping.unicodeScalars
        return mapping.count == 1 ? mapping[mapping.startIndex] : self
    }
}
