import Foundation

/// An XML document that is written from its beginning to its end.
struct XMLText {
    /// The namespace of S3's documents.
    static let namespace = "http://s3.amazonaws.com/doc/2006-03-01/"

    private var text: String
    private let root: String

    init(root: String, namespace: String? = namespace) {
        self.root = root
        text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<\(root)"
        if let namespace { text += " xmlns=\"\(namespace)\"" }
        text += ">"
    }

    /// The document, ended.
    var data: Data { Data((text + "</\(root)>").utf8) }

    mutating func add(_ name: String, _ value: String) {
        text += "<"
        text += name
        text += ">"
        text += Self.escaped(value)
        text += "</"
        text += name
        text += ">"
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
        text += "<\(name)>"
        content(&self)
        text += "</\(name)>"
    }

    /// Escapes `value`; control characters become references, as S3 writes them.
    ///
    /// XML 1.0 does not allow most of these, so a client that lists such keys must ask for `encoding-type=url`.
    private static func escaped(_ value: String) -> String {
        func isPlain(_ byte: UInt8) -> Bool {
            byte >= 0x20 && !"&<>\"".utf8.contains(byte)
        }
        guard !value.utf8.allSatisfy(isPlain) else { return value }
        var escaped = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case _ where scalar.value < 0x20: escaped += "&#x\(String(scalar.value, radix: 16));"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
