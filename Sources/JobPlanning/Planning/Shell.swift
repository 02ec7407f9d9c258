import Files

/// Words of commands for people to copy.
package enum Shell {
    /// Quotes a word for a POSIX shell.
    package static func quoted(_ word: String) -> String {
        let isPlain = word.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic && scalar.isASCII
                || "0123456789@%_+=:,./-".unicodeScalars.contains(scalar)
        }
        return isPlain && !word.isEmpty ? word : "'\(word.parts(at: "'").joined(separator: "'\\''"))'"
    }
}
