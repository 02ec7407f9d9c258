import CExpat
package import JobManifest

/// Reads the addresses in a sitemap or an index of sitemaps (https://www.sitemaps.org/protocol.html), a piece at a time.
///
/// Elements are recognized by their local names, because sites use different namespaces. Document types are refused,
/// and with them all entities that could expand.
package final class SitemapParser {
    /// An address in a sitemap.
    package struct Entry {
        package enum Kind {
            /// The address of a page.
            case page
            /// The address of an image on a page (the extension `image:image`).
            case image
            /// The address of a sitemap, in an index.
            case sitemap
        }

        package let kind: Kind
        package let address: String
        /// The line in which it begins, from 1.
        package let line: Int
    }

    /// The maximum size of an uncompressed sitemap in bytes: 50 MB, as in the protocol.
    package static let largest = 52_428_800
    /// The deepest nesting of elements; sitemaps have five levels.
    private static let deepest = 64
    /// The maximum length of an address in bytes.
    private static let longestAddress = 65_536

    /// The maximum length of a tag or a comment in bytes, which the parser reads from its beginning again with each piece.
    private static let longestTag = 131_072

    private let stream: any ByteStream
    private let name: String
    private let parser: XML_Parser
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    private var count = 0
    private var isAtEnd = false
    /// The names of the elements that are open.
    private var path: [String] = []
    /// The address that is being read: its kind, its line and its bytes.
    private var open: (kind: Entry.Kind, line: Int, bytes: [UInt8])?
    /// Entries that were found but not yet returned, in reverse order.
    private var entries: [Entry] = []
    private var failure: String?

    /// Creates a parser of `stream`, which errors call `name`.
    init(_ stream: any ByteStream, name: String) throws(SourceError) {
        guard let parser = XML_ParserCreateNS(nil, 0x0A) else {
            throw SourceError(name, "not enough memory to read it")
        }
        self.stream = stream
        self.name = name
        self.parser = parser
        // The parser calls back only from within `XML_Parse`, which `feed` calls on this object.
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetStartDoctypeDeclHandler(parser) { user, _, _, _, _ in
            SitemapParser.of(user)?.fail("has a document type declaration, which sitemaps must not have")
        }
        XML_SetElementHandler(
            parser,
            { user, name, _ in name.map { SitemapParser.of(user)?.begin(String(cString: $0)) } },
            { user, _ in SitemapParser.of(user)?.end() }
        )
        XML_SetCharacterDataHandler(parser) { user, text, count in
            guard let text else { return }
            SitemapParser.of(user)?.add(UnsafeRawBufferPointer(start: text, count: Int(count)))
        }
    }

    deinit {
        XML_ParserFree(parser)
        buffer.deallocate()
    }

    /// Returns the next address; nil after the last.
    /// - Throws: The error that makes the rest unreadable.
    package func next() throws(SourceError) -> Entry? {
        while entries.isEmpty, !isAtEnd { try feed() }
        return entries.popLast()
    }

    private func feed() throws(SourceError) {
        let read = try stream.read(into: buffer)
        count += read
        guard count <= Self.largest else {
            throw SourceError(name, "is larger than \(Self.largest) bytes, the limit of a sitemap: split it")
        }
        isAtEnd = read == 0
        let bytes = buffer.bindMemory(to: CChar.self).baseAddress
        let status = XML_Parse(parser, bytes, Int32(read), isAtEnd ? 1 : 0)
        entries.reverse()
        // -1 before the first tag has ended.
        let unfinished = count - max(0, Int(nb_xml_byte_index(parser)))
        if status == XML_STATUS_OK, !isAtEnd, unfinished > Self.longestTag {
            throw SourceError(
                name,
                line: Int(clamping: nb_xml_line(parser)),
                "has a tag or a comment longer than \(Self.longestTag) bytes"
            )
        }
        guard status != XML_STATUS_OK else { return }
        let line = Int(clamping: nb_xml_line(parser))
        let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "unknown"
        throw SourceError(name, line: line, failure ?? "is not XML: \(reason)")
    }

    private static func of(_ user: UnsafeMutableRawPointer?) -> SitemapParser? {
        user.map { Unmanaged<SitemapParser>.fromOpaque($0).takeUnretainedValue() }
    }

    private func fail(_ message: String) {
        guard failure == nil else { return }
        failure = message
        XML_StopParser(parser, 0)
    }

    /// Opens an element; `name` may begin with a namespace and a line break.
    private func begin(_ name: String) {
        let name = String(name.split(separator: "\n").last ?? "")
        if path.isEmpty, name != "urlset", name != "sitemapindex" {
            fail("is not a sitemap: it begins with <\(name.prefix(40))>, not with <urlset> or <sitemapindex>")
        }
        if name == "loc", open == nil {
            let kind: Entry.Kind? =
                switch path.last {
                case "url": .page
                case "image": .image
                case "sitemap": .sitemap
                default: nil
                }
            open = kind.map { ($0, Int(clamping: nb_xml_line(parser)), []) }
        }
        path.append(name)
        if path.count > Self.deepest { fail("nests elements more than \(Self.deepest) deep") }
    }

    private func add(_ text: UnsafeRawBufferPointer) {
        guard open != nil else { return }
        open?.bytes.append(contentsOf: text)
        if let open, open.bytes.count > Self.longestAddress {
            fail("has an address longer than \(Self.longestAddress) bytes")
        }
    }

    private func end() {
        guard path.popLast() == "loc", let found = open else { return }
        open = nil
        let isSpace = { (byte: UInt8) in byte <= 0x20 }
        let text = found.bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        entries.append(
            Entry(kind: found.kind, address: String(decoding: text, as: UTF8.self), line: found.line)
        )
    }
}
