/// A JSON value (RFC 8259) and where in its text it begins.
package struct JSONValue: Sendable {
    /// The type and content of a value; a number keeps its text, so that no digit is lost.
    package enum Kind: Sendable {
        case null
        case bool(Bool)
        case number(String)
        case string(String)
        case array([JSONValue])
        case object([JSONMember])
    }

    package let kind: Kind
    /// Bytes from the beginning of the text.
    package let offset: Int
    /// The offset behind the value; for a block of YAML, behind the last value in it.
    package let end: Int

    /// The name of the type in errors.
    package var kindName: String {
        switch kind {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// A key of an object with its value, in the order of the text; equal keys are all there.
package struct JSONMember: Sendable {
    package let key: String
    /// The offset of the key in bytes from the beginning of the text.
    package let offset: Int
    package let value: JSONValue
}

/// The way from the top of a document to a value, shown as `outputs[0].format.jpeg.quality`.
package indirect enum JSONPath: Sendable, CustomStringConvertible {
    case top
    case key(JSONPath, String)
    case index(JSONPath, Int)

    package var description: String {
        switch self {
        case .top: return ""
        case .index(let parent, let index): return "\(parent)[\(index)]"
        case .key(let parent, let key):
            let isPlain = !key.isEmpty && key.utf8.allSatisfy(Self.isPlain)
            if !isPlain { return "\(parent)[\(CanonicalJSON.string(key).text)]" }
            let prefix = parent.description
            return prefix.isEmpty ? key : "\(prefix).\(key)"
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// A place in a text for people: both counted from 1, columns in Unicode scalars.
package struct TextPosition: Sendable, Equatable {
    package var line = 1
    package var column = 1

    /// The positions of ascending `offsets` in `text`, found in one pass; a byte order mark counts as nothing.
    package static func positions(of offsets: [Int], in text: UnsafeBufferPointer<UInt8>) -> [TextPosition] {
        var positions: [TextPosition] = []
        positions.reserveCapacity(offsets.count)
        var position = TextPosition()
        var index = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        for offset in offsets {
            while index < min(offset, text.count) {
                let byte = text[index]
                if byte == UInt8(ascii: "\n") {
                    position.line += 1
                    position.column = 1
                } else if byte & 0xC0 != 0x80 {
                    position.column += 1
                }
                index += 1
            }
            positions.append(position)
        }
        return positions
    }
}
