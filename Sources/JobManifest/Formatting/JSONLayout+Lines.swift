extension JSONLayout {
    /// The lines written so far; each ends with LF but the last.
    struct Lines {
        private(set) var text: [UInt8] = []
        private var lineStart = 0

        /// The number of characters in the last line.
        var column: Int { text[lineStart...].unicodeCount }

        mutating func add(_ more: ArraySlice<UInt8>) {
            text += more
        }

        /// Begins a line, unless nothing is written yet.
        mutating func begin(level: Int, isBehindBlank: Bool) {
            if !text.isEmpty { text += isBehindBlank ? [0x0A, 0x0A] : [0x0A] }
            lineStart = text.count
            text += Self.indentation(level)
        }

        /// Adds comments on lines of their own, the first behind an empty line if it `isBehindBlank`.
        mutating func add(_ comments: [JSONComment], level: Int, isBehindBlank: Bool? = nil) {
            for (index, comment) in comments.enumerated() {
                let blank = index == 0 ? isBehindBlank ?? comment.isBehindBlank : comment.isBehindBlank
                begin(level: level, isBehindBlank: blank)
                text += comment.text(indentation: Self.indentation(level))
            }
        }

        /// Adds comments behind what is on the last line.
        mutating func add(trailing comments: [JSONComment], level: Int) {
            for comment in comments {
                text.append(0x20)
                text += comment.text(indentation: Self.indentation(level))
            }
        }

        private static func indentation(_ level: Int) -> [UInt8] {
            [UInt8](repeating: 0x20, count: 2 * level)
        }
    }
}
