import Foundation

/// An XML document that is written from its beginning to its end.
struct XMLText {
    /// The namespace of S3's documents.
    static let namespace = "http://s3.amazonaws.com/doc/2006-03-01/"

    /// Bytes, because a page of a listing has thousands of small additions.
    private var text: [UInt8] = []
    private let root: String

    init(root: String, namespace: String? = namespace) {
        self.root = root
        append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<\(root)")
        if let namespace { append(" xmlns=\"\(namespace)\"") }
        append(">")
    }

    /// The document, ended.
    var data: Data { Data(text + Array("</\(root)>".utf8)) }

    mutating func add(_ name: String, _ value: String) {
        append("<")
        append(name)
        append(">")
        appendEscaped(value)
        append("</")
        append(name)
        append(">")
    }

    mutating func add(_ name: String, _ value: Int) {
        add(name, String(value))
    }

    /// Adds an element only if there is a value.
    mutating func add(_ name: String, optional value: String?) {
        if let value { add(name, value) }
    }

    /// Adds an element with the elements that `content` adds.
    mutating func add(_ name: String, content: (inout XMLText) -> Void) {
        append("<\(name)>")
        content(&self)
        append("</\(name)>")
    }

    private mutating func append(_ markup: String) {
        text.append(contentsOf: markup.utf8)
    }

    /// Appends `value`; control characters become references, as S3 writes them.
    ///
    /// XML 1.0 does not allow most of these, so a client that lists such keys must ask for `encoding-type=url`.
    private mutating func appendEscaped(_ value: String) {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "&"): append("&amp;")
            case UInt8(ascii: "<"): append("&lt;")
            case UInt8(ascii: ">"): append("&gt;")
            case UInt8(ascii: "\""): append("&quot;")
            case 0..<0x20: append("&#x\(String(byte, radix: 16));")
            default: text.append(byte)
            }
        }
    }
}
