import CExpat
import Foundation

/// An element of a small XML document, as requests have them.
final class DocumentElement {
    let name: String
    private(set) var text = ""
    private(set) var children: [DocumentElement] = []

    private init(name: String) {
        self.name = name
    }

    subscript(name: String) -> DocumentElement? {
        children.first { $0.name == name }
    }

    /// Returns the root of the document in `data`; nil if it is not well-formed or has a document type.
    static func parse(_ data: Data) -> DocumentElement? {
        guard let parser = XML_ParserCreate(nil) else { return nil }
        defer { XML_ParserFree(parser) }
        let reading = Reading()
        // The parser calls back only from within `XML_Parse`, while `reading` is alive.
        XML_SetUserData(parser, Unmanaged.passUnretained(reading).toOpaque())
        XML_SetStartDoctypeDeclHandler(parser) { user, _, _, _, _ in Reading.of(user)?.hasDocumentType = true
        }
        XML_SetElementHandler(
            parser,
            { user, name, _ in
                guard let name else { return }
                Reading.of(user)?.open.append(DocumentElement(name: String(cString: name)))
            },
            { user, _ in Reading.of(user)?.close() }
        )
        XML_SetCharacterDataHandler(parser) { user, text, count in
            let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
            Reading.of(user)?.open.last?.text += String(decoding: bytes, as: UTF8.self)
        }
        let status = withExtendedLifetime(reading) {
            data.withUnsafeBytes { bytes in
                let characters = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                return XML_Parse(parser, characters, Int32(bytes.count), 1)
            }
        }
        return status == XML_STATUS_OK && !reading.hasDocumentType ? reading.root : nil
    }

    private final class Reading {
        var open: [DocumentElement] = []
        var root: DocumentElement?
        var hasDocumentType = false

        static func of(_ user: UnsafeMutableRawPointer?) -> Reading? {
            user.map { Unmanaged<Reading>.fromOpaque($0).takeUnretainedValue() }
        }

        func close() {
            guard let element = open.popLast() else { return }
            if let parent = open.last { parent.children.append(element) } else { root = element }
        }
    }
}
