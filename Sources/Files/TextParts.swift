/// Text in columns.
extension String {
    /// Returns the text with `padding` before it, `width` characters in all; a longer text stays as it is.
    package func leftPadded(to width: Int, with padding: Character = " ") -> String {
        String(repeating: padding, count: max(0, width - count)) + self
    }

    /// Returns the text with spaces behind it, `width` characters in all; a longer text stays as it is.
    package func rightPadded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}

extension String {
    /// Returns true if the text holds an ASCII character, in whatever `Character` it is part of; bytes are compared many at once.
    package func containsASCII(_ character: Unicode.Scalar) -> Bool {
        let byte = UInt8(ascii: character)
        return utf8.withContiguousStorageIfAvailable { $0.contains(byte) } ?? utf8.contains(byte)
    }

    /// Returns the text behind `prefix`, compared byte by byte; nil if it does not begin with it.
    package func rest(behind prefix: String) -> String? {
        guard utf8.starts(with: prefix.utf8) else { return nil }
        return String(decoding: utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }
}

/// Text taken apart by Unicode scalars.
///
/// A combining mark after `/` or `:` makes another `Character` of the two, which hides the separator from `split` and
/// `firstIndex` of a string, but not from the system and from protocols.
extension StringProtocol where SubSequence == Substring {
    /// Returns the parts between the occurrences of `separator`, also empty ones.
    package func parts(at separator: Unicode.Scalar, maxSplits: Int = .max) -> [Substring] {
        Substring(self).unicodeScalars
            .split(separator: separator, maxSplits: maxSplits, omittingEmptySubsequences: false)
            .map { Substring($0) }
    }

    /// Returns the text after `index`, which is that of a scalar.
    package func rest(after index: Index) -> Substring {
        self[unicodeScalars.index(after: index)...]
    }
}
