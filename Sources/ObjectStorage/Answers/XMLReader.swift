import CExpat
import Foundation

/// Reads an XML document element by element; a subclass does something with them.
///
/// Document types are refused, and with them all entities that could expand.
class XMLReader {
    private var parser: XML_Parser?

    /// Begins an element; with namespaces, a line feed ends the one of its name.
    func begin(_ name: UnsafePointer<CChar>) {}

    /// Adds a piece of the text of the element that was begun last.
    func add(_ text: UnsafeRawBufferPointer) {}

    /// Ends the element that was begun last.
    func end() {}

    /// Refuses the rest of the document.
    final func stop() {
        if let parser { _ = XML_StopParser(parser, 0) }
    }

    /// Reads a document.
    /// - Returns: False for one that is not well-formed, and for one that was refused.
    final func read(_ document: Data, namespaces: Bool) -> Bool {
        let made = namespaces ? XML_ParserCreateNS("UTF-8", 0x0A) : XML_ParserCreate("UTF-8")
        guard let parser = made else { return false }
        self.parser = parser
        defer {
            self.parser = nil
            XML_ParserFree(parser)
        }
        // The parser calls back only from within `XML_Parse`, during which the reader is alive.
        return withExtendedLifetime(self) {
            XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
            XML_SetStartDoctypeDeclHandler(parser) { user, _, _, _, _ in XMLReader.of(user)?.stop() }
            XML_SetElementHandler(
                parser,
                { user, name, _ in name.map { XMLReader.of(user)?.begin($0) } },
                { user, _ in XMLReader.of(user)?.end() }
            )
            XML_SetCharacterDataHandler(parser) { user, text, count in
                guard let text else { return }
                XMLReader.of(user)?.add(UnsafeRawBufferPointer(start: text, count: Int(count)))
            }
            return document.withUnsafeBytes { bytes in
                let start = bytes.bindMemory(to: CChar.self).baseAddress
                return XML_Parse(parser, start, Int32(clamping: bytes.count), 1) == XML_STATUS_OK
            }
        }
    }

    private static func of(_ user: UnsafeMutableRawPointer?) -> XMLReader? {
        user.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
    }
}
