/// The layout of a manifest in JSON: two blanks a level, and on one line what fits there.
///
/// An object or array stays on several lines if its first value was written on a line of its own, if it has comments, or if
/// it would not end before column 110. One empty line between values is kept. A comment stays before the value that follows
/// it, or behind the one on whose line it is.
struct JSONLayout {
    /// The most characters of a line that is joined.
    private static let width = 110

    private let text: [UInt8]
    private let lineEnd: [UInt8]
    private let start: Int

    /// Takes the text of a manifest, whose line ends are kept: CRLF if the first one is.
    init(_ text: [UInt8]) {
        self.text = text
        start = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        lineEnd = text.lineEnd
    }

    /// The canonical text of the value that the text has, without a byte order mark and with a line end behind it.
    func text(of root: JSONValue) -> [UInt8] {
        let (before, after) = (
            JSONGap(start..<root.offset, of: text), JSONGap(root.end..<text.count, of: text)
        )
        var lines = Lines()
        lines.add(before.trailing + before.leading, level: 0)
        lines.begin(level: 0, isBehindBlank: before.hasComments && before.endsWithBlank)
        add(root, KeyOrder.manifest, level: 0, isRoot: true, to: &lines)
        lines.add(trailing: after.trailing, level: 0)
        lines.add(after.leading, level: 0)
        let result = lines.text + [0x0A]
        return lineEnd.count == 1 ? result : result.flatMap { $0 == 0x0A ? lineEnd : [$0] }
    }

    /// A member of an object or an element of an array, with its comments.
    private struct Part {
        var key: JSONMember?
        let value: JSONValue
        var isBehindBlank: Bool
        var leading: [JSONComment]
        /// True if an empty line is between its comments and itself.
        let isApart: Bool
        var trailing: [JSONComment] = []
    }

    private func add(
        _ value: JSONValue,
        _ order: KeyOrder,
        level: Int,
        isRoot: Bool = false,
        to lines: inout Lines
    ) {
        let parts: [(JSONMember?, JSONValue)]
        let positions: [Int]
        switch value.kind {
        case .object(let members):
            parts = members.map { ($0, $0.value) }
            positions = order.positions(of: members)
        case .array(let elements):
            parts = elements.map { (nil, $0) }
            positions = Array(elements.indices)
        case .null, .bool, .number, .string: return lines.add(text[value.offset..<value.end])
        }
        var room = Self.width - lines.column
        if !isRoot, let line = line(value, order, room: &room) { return lines.add(line[...]) }
        lines.add(text[value.offset..<value.offset + 1])
        if !add(parts, at: positions, in: value, order, level: level + 1, to: &lines) {
            lines.begin(level: level, isBehindBlank: false)
        }
        lines.add(text[value.end - 1..<value.end])
    }

    /// Adds the parts of a value on lines of their own, with the comments around them.
    /// - Returns: True if there is nothing to add.
    private func add(
        _ values: [(member: JSONMember?, value: JSONValue)],
        at positions: [Int],
        in value: JSONValue,
        _ order: KeyOrder,
        level: Int,
        to lines: inout Lines
    ) -> Bool {
        var parts: [Part] = []
        var end = value.offset + 1
        var head: [JSONComment] = []
        for (member, part) in values {
            var gap = JSONGap(end..<(member?.offset ?? part.offset), of: text)
            if parts.isEmpty {
                head = gap.takeHead()
            } else {
                parts[parts.count - 1].trailing = gap.trailing
            }
            let own = member.map { JSONGap(keyEnd($0)..<part.offset, of: text) } ?? JSONGap()
            parts.append(
                Part(
                    key: member,
                    value: part,
                    isBehindBlank: gap.beginsWithBlank,
                    leading: gap.leading + own.trailing + own.leading,
                    isApart: !gap.leading.isEmpty && gap.endsWithBlank
                )
            )
            end = part.end
        }
        let tail = JSONGap(end..<value.end - 1, of: text, isBeforeEnd: true)
        if !parts.isEmpty { parts[parts.count - 1].trailing = tail.trailing }
        let last = (parts.isEmpty ? tail.trailing : []) + tail.leading
        lines.add(head, level: level)
        let members = values.compactMap(\.member)
        let element = order.element
        for (count, position) in positions.enumerated() {
            let part = parts[position]
            let isBehindBlank = count == 0 ? !head.isEmpty : part.isBehindBlank
            lines.add(part.leading, level: level, isBehindBlank: isBehindBlank)
            lines.begin(level: level, isBehindBlank: part.leading.isEmpty ? isBehindBlank : part.isApart)
            if let key = part.key {
                lines.add(text[key.offset..<keyEnd(key)] + ": ".utf8)
                add(part.value, order.member(key.key, of: members), level: level, to: &lines)
            } else {
                add(part.value, element, level: level, to: &lines)
            }
            if count < positions.count - 1 { lines.add([UInt8(ascii: ",")]) }
            lines.add(trailing: part.trailing, level: level)
        }
        lines.add(last, level: level)
        return head.isEmpty && parts.isEmpty && last.isEmpty
    }

    /// Returns a value on one line; nil if it has comments, was written on several lines, or does not fit.
    private func line(_ value: JSONValue, _ order: KeyOrder, room: inout Int) -> [UInt8]? {
        let (open, close) = (text[value.offset], text[value.end - 1])
        var line: [UInt8] = []
        switch value.kind {
        case .object(let members):
            line.append(open)
            var end = value.offset + 1
            for member in members {
                let own = JSONGap(keyEnd(member)..<member.value.offset, of: text)
                guard isJoined(end..<member.offset, own, isFirst: end == value.offset + 1) else { return nil }
                end = member.value.end
            }
            guard !JSONGap(end..<value.end - 1, of: text).hasComments else { return nil }
            for (count, position) in order.positions(of: members).enumerated() {
                let member = members[position]
                let key = text[member.offset..<keyEnd(member)]
                let (between, colon) = (count == 0 ? "" : ", ", ": ")
                room -= key.unicodeCount + between.utf8.count + colon.utf8.count
                guard room > 0,
                    let part = self.line(member.value, order.member(member.key, of: members), room: &room)
                else { return nil }
                line += between.utf8
                line += key
                line += colon.utf8
                line += part
            }
        case .array(let elements):
            line.append(open)
            let inner = order.element
            var end = value.offset + 1
            for (count, element) in elements.enumerated() {
                let between = count == 0 ? "" : ", "
                room -= between.utf8.count
                guard isJoined(end..<element.offset, JSONGap(), isFirst: count == 0), room > 0,
                    let part = self.line(element, inner, room: &room)
                else { return nil }
                line += between.utf8
                line += part
                end = element.end
            }
            guard !JSONGap(end..<value.end - 1, of: text).hasComments else { return nil }
        case .null, .bool, .number, .string:
            let scalar = text[value.offset..<value.end]
            room -= scalar.unicodeCount
            return room >= 0 ? Array(scalar) : nil
        }
        room -= 2
        return room >= 0 ? line + [close] : nil
    }

    /// True if nothing between two values keeps them on lines of their own.
    private func isJoined(_ range: Range<Int>, _ own: JSONGap, isFirst: Bool) -> Bool {
        let gap = JSONGap(range, of: text)
        return !gap.hasComments && !own.hasComments && !(isFirst && gap.endsLine)
    }

    /// The offset behind a key and its quotes.
    private func keyEnd(_ member: JSONMember) -> Int {
        var index = member.offset + 1
        while text[index] != UInt8(ascii: "\"") { index += text[index] == UInt8(ascii: "\\") ? 2 : 1 }
        return index + 1
    }
}

extension ArraySlice<UInt8> {
    /// The number of Unicode scalars in UTF-8.
    var unicodeCount: Int { count { $0 & 0xC0 != 0x80 } }
}
