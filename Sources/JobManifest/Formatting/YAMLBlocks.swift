/// The blocks of a manifest in YAML in their canonical order: each key moves with all lines of its value.
///
/// Nothing else changes: quotes, blanks, empty lines and what is between brackets stay as they are written. A comment moves
/// with the key that it stands above, or on whose line it is. Comments at the top of an object are about all of it if an
/// empty line parts them from its first key.
struct YAMLBlocks {
    private let text: YAMLLines

    /// Takes the text of a manifest.
    init(_ text: [UInt8]) {
        self.text = YAMLLines(text)
    }

    /// The canonical text of the value that the text has.
    func text(of root: JSONValue) -> [UInt8] {
        let block = block(root, KeyOrder.manifest, from: text.start)
        return text.bytes[..<text.start] + block.text + text.bytes[block.end...]
    }

    /// The text of a block in its canonical order, and the offset behind what it covers: its value, or more comments.
    private typealias Block = (text: [UInt8], end: Int)

    /// Returns a value with the text from `start` on, which is before it.
    private func block(_ value: JSONValue, _ order: KeyOrder, from start: Int) -> Block {
        var block: Block = ([], start)
        switch value.kind {
        case .array(let elements) where text.bytes[value.offset] != UInt8(ascii: "["):
            let inner = order.element
            for element in elements {
                let next = self.block(element, inner, from: block.end)
                block.text += next.text
                block.end = next.end
            }
        case .object(let members) where text.bytes[value.offset] != UInt8(ascii: "{"):
            let positions = order.positions(of: members)
            if positions != Array(members.indices), let parts = parts(of: members, order, from: start) {
                return (joined(parts, at: positions, from: start), parts.last?.end ?? start)
            }
            for member in members {
                let body = body(member, order, of: members)
                block.text += text.bytes[block.end..<member.offset] + body.text
                block.end = body.end
            }
        default: return (Array(text.bytes[start..<end(of: value)]), end(of: value))
        }
        return block
    }

    private func body(_ member: JSONMember, _ order: KeyOrder, of members: [JSONMember]) -> Block {
        block(member.value, order.member(member.key, of: members), from: member.offset)
    }

    /// The offset behind a value that has no blocks in it; the lines behind a text of several lines do not count.
    private func end(of value: JSONValue) -> Int {
        var end = value.end
        while end > value.offset, text.isSpace(end - 1) { end -= 1 }
        return end
    }

    /// A key with the lines that move with it.
    private struct Part {
        /// The offset of its first comment, or else of the key.
        let start: Int
        /// The column of the key.
        let column: Int
        /// The canonical text from there on, without the end of the last line.
        let text: [UInt8]
        /// The offset behind it.
        let end: Int
        /// The number of empty lines before it.
        let blankLines: Int
    }

    /// Returns the parts of an object; nil if a key is not the first in its line.
    private func parts(of members: [JSONMember], _ order: KeyOrder, from start: Int) -> [Part]? {
        var parts: [Part] = []
        for member in members {
            let line = text.lineStart(member.offset)
            let column = member.offset - line
            guard column == parts.first?.column ?? column else { return nil }
            let first: Int
            if !text.bytes[line..<member.offset].allSatisfy({ $0 == 0x20 }) {
                guard parts.isEmpty, text.isBehindDash(member.offset) else { return nil }
                first = member.offset
            } else if let last = parts.last {
                first = text.firstNonspace(from: last.end)
            } else {
                first = text.firstComment(above: line, notBefore: start) ?? member.offset
            }
            let body = body(member, order, of: members)
            let end = text.endOfComments(behind: text.lineEnd(body.end), indentedBy: column + 1)
            let content = text.bytes[first..<member.offset] + body.text + text.bytes[body.end..<end]
            parts.append(
                Part(
                    start: first,
                    column: column,
                    text: Array(content),
                    end: end,
                    blankLines: parts.last.map { text.lineEnds(in: $0.end..<first) - 1 } ?? 0
                )
            )
        }
        return parts
    }

    private func joined(_ parts: [Part], at positions: [Int], from start: Int) -> [UInt8] {
        let indentation = [UInt8](repeating: 0x20, count: parts[0].column)
        let line = text.lineStart(parts[0].start)
        let isBehindDash = text.isBehindDash(parts[0].start)
        var result =
            isBehindDash
            ? Array(text.bytes[start..<parts[0].start])
            : Array(text.bytes[start..<max(start, line)]) + indentation
        for (count, position) in positions.enumerated() {
            if count > 0 {
                for _ in 0...parts[position].blankLines { result += text.newline }
                result += indentation
            }
            result += parts[position].text
        }
        return result
    }
}
