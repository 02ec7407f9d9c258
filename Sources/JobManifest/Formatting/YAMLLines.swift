/// The bytes of a text in YAML, and where its lines begin and end.
struct YAMLLines {
    let bytes: [UInt8]
    /// The end of a line: that of the first one.
    let newline: [UInt8]
    /// The offset of the first line: a byte order mark before it is none of it.
    let start: Int

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        newline = bytes.lineEnd
    }

    func isSpace(_ index: Int) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) }

    /// The offset of the first byte of the line that `index` is in.
    func lineStart(_ index: Int) -> Int {
        bytes[..<index].lastIndex(of: 0x0A).map { $0 + 1 } ?? start
    }

    /// The offset of the end of the line that `index` is in, or of the text.
    func lineEnd(_ index: Int) -> Int {
        let end = bytes[index...].firstIndex(of: 0x0A) ?? bytes.count
        return end > index && end < bytes.count && bytes[end - 1] == 0x0D ? end - 1 : end
    }

    /// The number of lines that end in `range`.
    func lineEnds(in range: Range<Int>) -> Int { bytes[range].count { $0 == 0x0A } }

    /// The offset of the first byte from `start` on that is not a blank and not the end of a line.
    func firstNonspace(from start: Int) -> Int {
        (start..<bytes.count).first { !isSpace($0) } ?? bytes.count
    }

    /// True if nothing but the dashes of sequences is before `index` in its line.
    func isBehindDash(_ index: Int) -> Bool {
        let before = bytes[lineStart(index)..<index]
        return before.contains(UInt8(ascii: "-"))
            && before.allSatisfy { $0 == 0x20 || $0 == UInt8(ascii: "-") }
    }

    /// The offset of the first of the comments that are the lines above a line, none of which begins before `start`.
    ///
    /// Nil without comments, and if an empty line follows them. A comment that sets up an editor stays at the top.
    func firstComment(above line: Int, notBefore start: Int) -> Int? {
        var (line, first): (Int, Int?) = (line, nil)
        while line > start {
            let above = lineStart(line - 1)
            let content = bytes[above..<line].drop { $0 == 0x20 || $0 == 0x09 }
            guard above >= start, content.first == UInt8(ascii: "#"),
                !content.dropFirst().drop(while: { $0 == 0x20 }).starts(with: "yaml-language-server".utf8)
            else { break }
            (line, first) = (above, content.startIndex)
        }
        return first
    }

    /// The offset behind the comments that follow the line which ends at `end`, if they are indented by `column` or more.
    func endOfComments(behind end: Int, indentedBy column: Int) -> Int {
        var end = end
        while let newline = bytes[end...].firstIndex(of: 0x0A) {
            let line = bytes[(newline + 1)...]
            let indentation = line.prefix { $0 == 0x20 }.count
            guard indentation >= column, line.dropFirst(indentation).first == UInt8(ascii: "#") else { break }
            end = lineEnd(newline + 1)
        }
        return end
    }
}
