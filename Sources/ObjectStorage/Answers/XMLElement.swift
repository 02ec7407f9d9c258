import CExpat
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
        guard let parser = XML_ParserCreateNS("UTF-8", 0x0A) else { return nil }
        defer { XML_ParserFree(parser) }
        let tree = Tree(parser)
        // The parser calls back only from within `XML_Parse`, during which `tree` is alive.
        let isParsed = withExtendedLifetime(tree) {
            XML_SetUserData(parser, Unmanaged.passUnretained(tree).toOpaque())
            XML_SetStartDoctypeDeclHandler(parser) { user, _, _, _, _ in Tree.of(user)?.stop() }
            XML_SetElementHandler(
                parser,
                { user, name, _ in name.map { Tree.of(user)?.begin(String(cString: $0)) } },
                { user, _ in Tree.of(user)?.end() }
            )
            XML_SetCharacterDataHandler(parser) { user, text, count in
                guard let text else { return }
                Tree.of(user)?.add(UnsafeRawBufferPointer(start: text, count: Int(count)))
            }
            return document.withUnsafeBytes { bytes in
                let start = bytes.bindMemory(to: CChar.self).baseAddress
                return XML_Parse(parser, start, Int32(clamping: bytes.count), 1) == XML_STATUS_OK
            }
        }
        guard isParsed, let root = tree.root else { return nil }
        self = root
    }

    private init(name: String) {
        self.name = name
    }

    /// The first child of this name.
    subscript(name: String) -> XMLElement? {
        children.first { $0.name == name }
    }

    /// The elements that are open while a document is parsed.
    private final class Tree {
        private let parser: XML_Parser
        private var open: [(element: XMLElement, bytes: [UInt8])] = []
        var root: XMLElement?

        init(_ parser: XML_Parser) {
            self.parser = parser
        }

        static func of(_ user: UnsafeMutableRawPointer?) -> Tree? {
            user.map { Unmanaged<Tree>.fromOpaque($0).takeUnretainedValue() }
        }

        func stop() {
            _ = XML_StopParser(parser, 0)
        }

        func begin(_ name: String) {
            guard open.count < XMLElement.deepest else { return stop() }
            let local = name.split(separator: "\n").last.map(String.init) ?? name
            open.append((XMLElement(name: local), []))
        }

        func add(_ text: UnsafeRawBufferPointer) {
            guard !open.isEmpty else { return }
            open[open.count - 1].bytes += text
        }

        func end() {
            guard let (begun, bytes) = open.popLast() else { return }
            var element = begun
            element.text = String(decoding: bytes, as: UTF8.self)
            if open.isEmpty { root = element } else { open[open.count - 1].element.children.append(element) }
        }
    }
}
