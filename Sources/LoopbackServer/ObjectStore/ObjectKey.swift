/// An object's key, compared by the bytes of its UTF-8, as S3 does.
///
/// Swift's strings compare by canonical equivalence, in which two ways to write `é` are one key.
struct ObjectKey: Hashable, Comparable, Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (left: Self, right: Self) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    static func < (left: Self, right: Self) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }

    func hasPrefix(_ prefix: String) -> Bool {
        text.utf8.starts(with: prefix.utf8)
    }
}
