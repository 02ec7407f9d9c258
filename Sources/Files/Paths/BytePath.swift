/// A path as the system has it: bytes, which need not be UTF-8.
public struct BytePath: Sendable, Hashable, CustomStringConvertible {
    /// The path if it is UTF-8.
    private let text: String
    /// The bytes if they are not UTF-8.
    private let raw: [UInt8]?

    /// Creates the path of this text.
    public init(_ text: String) {
        (self.text, raw) = (text, nil)
    }

    /// Creates the path of these bytes.
    public init(bytes: [UInt8]) {
        let text = String(validating: bytes, as: UTF8.self)
        (self.text, raw) = (text ?? "", text == nil ? bytes : nil)
    }

    /// True if the path is UTF-8.
    public var isText: Bool { raw == nil }

    /// The bytes.
    public var bytes: [UInt8] { raw ?? Array(text.utf8) }

    /// The text, with U+FFFD in the place of what is not UTF-8.
    public var repaired: String { raw.map { String(decoding: $0, as: UTF8.self) } ?? text }

    /// The text, with bytes that are not UTF-8 as `\xFC`.
    public var description: String {
        guard let raw else { return text }
        var shown = ""
        var rest = raw[...]
        while let first = rest.first {
            let scalar = (1...4).lazy.compactMap { String(validating: rest.prefix($0), as: UTF8.self) }.first
            let digits = String(first, radix: 16, uppercase: true)
            shown += scalar ?? "\\x\(digits)"
            rest = rest.dropFirst(scalar?.utf8.count ?? 1)
        }
        return shown
    }

    /// Returns the path of an entry of the folder at this path.
    public func appending(_ name: BytePath) -> BytePath {
        if isText, name.isText { return BytePath(text == "/" ? "/" + name.text : text + "/" + name.text) }
        let folder = bytes
        return BytePath(
            bytes: (folder == [UInt8(ascii: "/")] ? [] : folder) + [UInt8(ascii: "/")] + name.bytes
        )
    }

    /// Returns true if this path sorts before `other` by its bytes.
    public func precedes(_ other: BytePath) -> Bool {
        isText && other.isText
            ? text.utf8.lexicographicallyPrecedes(other.text.utf8)
            : bytes.lexicographicallyPrecedes(other.bytes)
    }

    /// Returns true if both paths have the same bytes: strings can be equal without that.
    public static func == (one: BytePath, other: BytePath) -> Bool {
        one.raw == other.raw && one.text.utf8.elementsEqual(other.text.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(raw)
    }

    /// Returns the result of `body`, which gets the path as C has it.
    public func withCString<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
        guard let raw else { return try text.withCString(body) }
        return try (raw.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { bytes in
            // An array of at least one element has an address.
            guard let address = bytes.baseAddress else { return try "".withCString(body) }
            return try body(address)
        }
    }
}
