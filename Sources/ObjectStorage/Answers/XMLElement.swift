import Foundation

/// An element of an XML document with its text and its children, for the short documents of object stores.
///
/// Names are local names. Document types are refused, and with them all entities that could expand.
struct XMLElement: Sendable {
    let name: String
    var text = ""
    var children: [XMLElement] = []

    /// The deepest nesting; the documents of S3 have five levels.
    private static let deepest = 32

    /// Parses a document; nil for one that is not well-formed.
    init?(_ document: Data) {
        let tree = Tree()
        guard tree.read(document, namespaces: true), let root = tree.root else { return nil }
        self = root
    }

    private init(name: String) {
        self.name = name
    }

    subscript(name: String) -> XMLElement? {
        children.first { $0.name == name }
    }

    /// The elements that are open while a document is parsed.
    private final class Tree: XMLReader {
        private var open: [(element: XMLElement, bytes: [UInt8])] = []
        var root: XMLElement?

        override func begin(_ name: UnsafePointer<CChar>) {
            guard open.count < XMLElement.deepest else { return stop() }
            let name = String(cString: name)
            let local = name.split(separator: "\n").last.map(String.init) ?? name
            open.append((XMLElement(name: local), []))
        }

        override func add(_ text: UnsafeRawBufferPointer) {
            guard !open.isEmpty else { return }
            open[open.count - 1].bytes += text
        }

        override func end() {
            guard let (begun, bytes) = open.popLast() else { return }
            var element = begun
            element.text = String(decoding: bytes, as: UTF8.self)
            if open.isEmpty { root = element } else { open[open.count - 1].element.children.append(element) }
        }
    }
}
