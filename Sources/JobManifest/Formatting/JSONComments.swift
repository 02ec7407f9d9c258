/// A comment of JSON, and the space before it.
struct JSONComment {
    /// Its lines, without their ends and the blanks before these.
    let lines: [[UInt8]]
    /// True if a line ends between it and what is before it.
    let isOnOwnLine: Bool
    /// True if an empty line is before it.
    let isBehindBlank: Bool

    /// Takes the text of a comment apart.
    init(_ text: ArraySlice<UInt8>, lineEnds: Int) {
        var lines: [[UInt8]] = [[]]
        var isBehindReturn = false
        for byte in text {
            switch byte {
            case 0x0A where isBehindReturn: break
            case 0x0A, 0x0D: lines.append([])
            default: lines[lines.count - 1].append(byte)
            }
            isBehindReturn = byte == 0x0D
        }
        self.lines = lines.map { line in
            let blanks = line.reversed().prefix { $0 == 0x20 || $0 == 0x09 }
            return Array(line.dropLast(blanks.count))
        }
        isOnOwnLine = lineEnds > 0
        isBehindBlank = lineEnds > 1
    }

    /// The comment with its lines after the first, if each begins with a star, below that of the first.
    func text(indentation: [UInt8]) -> [UInt8] {
        let star = UInt8(ascii: "*")
        let rest = lines.dropFirst().map { $0.drop { $0 == 0x20 || $0 == 0x09 } }
        guard rest.allSatisfy({ $0.first == star }) else { return Array(lines.joined(separator: [0x0A])) }
        return lines[0] + rest.flatMap { [0x0A] + indentation + [0x20] + $0 }
    }
}

/// The comments and the space between two tokens of JSON.
struct JSONGap {
    /// The comments behind a value on its line.
    private(set) var trailing: [JSONComment] = []
    /// The comments before the next value.
    private(set) var leading: [JSONComment] = []
    /// True if a line ends behind the last comment.
    private(set) var endsLine = false
    /// True if an empty line is behind the last comment.
    private(set) var endsWithBlank = false

    /// Nothing at all.
    init() {}

    /// Reads `range` of a text, which has nothing but space, comments, commas and colons; `isBeforeEnd` if a bracket ends an object or
    /// array behind it.
    init(_ range: Range<Int>, of text: [UInt8], isBeforeEnd: Bool = false) {
        var (index, lineEnds) = (range.lowerBound, 0)
        // The comments before the comma, which are about the value that it ends.
        var ended: Int?
        while index < range.upperBound {
            let byte = text[index]
            if byte == UInt8(ascii: "/") {
                let end = text.withUnsafeBufferPointer { JSONParser.endOfComment(in: $0, from: index) }
                let behind = end ?? range.upperBound
                leading.append(JSONComment(text[index..<behind], lineEnds: lineEnds))
                (index, lineEnds) = (behind, 0)
                continue
            }
            if byte == UInt8(ascii: ",") { ended = leading.count }
            let isPair = byte == 0x0D && index + 1 < range.upperBound && text[index + 1] == 0x0A
            if byte == 0x0A || byte == 0x0D && !isPair { lineEnds += 1 }
            index += 1
        }
        (endsLine, endsWithBlank) = (lineEnds > 0, lineEnds > 1)
        let first = leading.prefix { !$0.isOnOwnLine }
        // A comment that neither a line end nor a comma follows is about what does.
        let isAllBehind = first.count < leading.count || endsLine || isBeforeEnd
        trailing = Array(isAllBehind ? first : first.prefix(ended ?? 0))
        leading.removeFirst(trailing.count)
    }

    /// True if it has comments.
    var hasComments: Bool { !trailing.isEmpty || !leading.isEmpty }

    /// True if an empty line is before the next value and its comments.
    var beginsWithBlank: Bool { leading.first?.isBehindBlank ?? endsWithBlank }

    /// Takes the comments that are about the whole object or array before whose first value they stand: those on the line
    /// of its bracket, and those that an empty line parts from that value.
    mutating func takeHead() -> [JSONComment] {
        let last = endsWithBlank ? leading.count : leading.lastIndex { $0.isBehindBlank } ?? 0
        let head = trailing + leading[..<last]
        trailing = []
        leading.removeFirst(last)
        return head
    }
}
