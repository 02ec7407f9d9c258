import Foundation
import JobFixtures
import JobManifest
import TestSupport
import Testing

@testable import JobPlanning

@Suite struct SitemapParserTests {
    private typealias Entry = SitemapParser.Entry

    private func entries(_ text: String) throws -> [Entry] {
        let folder = try TemporaryFolder()
        let path = try folder.write(text, to: "sitemap.xml")
        let parser = try SitemapParser(try FileStream(path: path, name: "sitemap.xml"), name: "sitemap.xml")
        var entries: [Entry] = []
        while let entry = try parser.next() { entries.append(entry) }
        return entries
    }

    private func error(_ text: String) throws -> SourceError? {
        #expect(throws: SourceError.self) { try entries(text) }
    }

    @Test("addresses of pages, images and sitemaps, with the line that they begin in")
    func kinds() throws {
        let found = try entries(
            """
            <urlset>
              <url><loc>https://a.example/1</loc>
                <image:image xmlns:image="urn:x"><image:loc>
                  https://a.example/1.jpg </image:loc></image:image></url>
              <sitemap><loc>b.xml</loc></sitemap>
              <loc>nobody's</loc>
              <other><loc>neither</loc></other>
            </urlset>
            """
        )
        #expect(found.map(\.address) == ["https://a.example/1", "https://a.example/1.jpg", "b.xml"])
        #expect(found.map(\.line) == [2, 3, 5])
        #expect(found.map { "\($0.kind)" } == ["page", "image", "sitemap"])
    }

    @Test("an address is the text of its element alone, also in pieces")
    func pieces() throws {
        let found = try entries(
            "<urlset><url><loc>https://a.example/?a=1&amp;b=<b>2</b><![CDATA[&c]]></loc><x>no</x></url></urlset>"
        )
        #expect(found.map(\.address) == ["https://a.example/?a=1&b=2&c"])
    }

    @Test("addresses stay in order across the pieces that are read at a time")
    func order() throws {
        let urls = (0..<5000).map { "https://a.example/\($0)" }
        let text = "<urlset>\n" + urls.map { "<url><loc>\($0)</loc></url>\n" }.joined() + "</urlset>"
        let found = try entries(text)
        #expect(found.map(\.address) == urls && found.map(\.line) == Array(2..<5002))
    }

    @Test("the limits hold exactly: depth and length of an address")
    func limits() throws {
        let nested = { (depth: Int) in
            "<urlset>" + String(repeating: "<a>", count: depth - 1)
                + String(repeating: "</a>", count: depth - 1)
                + "</urlset>"
        }
        #expect(try entries(nested(64)).isEmpty)
        #expect(try error(nested(65))?.message == "nests elements more than 64 deep")
        let long = { (count: Int) in
            "<urlset><url><loc>\(String(repeating: "a", count: count))</loc></url></urlset>"
        }
        #expect(try entries(long(65_536)).first?.address.utf8.count == 65_536)
        #expect(try error(long(65_537))?.message == "has an address longer than 65536 bytes")
    }

    /// A sitemap of so many bytes, nearly all of them spaces, as it comes out of a decompressor: a piece at a time.
    private final class LongSitemap: ByteStream {
        private let bytes: Int
        private var position = 0

        init(bytes: Int) { self.bytes = bytes }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
            let (begin, end) = (Array("<urlset>".utf8), Array("</urlset>".utf8))
            let count = min(buffer.count, bytes - position)
            for index in 0..<count {
                let (place, rest) = (position + index, bytes - position - index)
                let byte = rest <= end.count ? end[end.count - rest] : UInt8(ascii: " ")
                buffer[index] = place < begin.count ? begin[place] : byte
            }
            position += count
            return count
        }
    }

    @Test("the pieces of a sitemap count together towards its size")
    func size() throws {
        let whole = try SitemapParser(LongSitemap(bytes: SitemapParser.largest), name: "s")
        #expect(try whole.next() == nil)
        let larger = try SitemapParser(LongSitemap(bytes: SitemapParser.largest + 1), name: "s")
        let error = #expect(throws: SourceError.self) { while try larger.next() != nil {} }
        #expect(error?.message == "is larger than 52428800 bytes, the limit of a sitemap: split it")
    }

    @Test("what is read before the damage is passed on first")
    func damage() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("<urlset><url><loc>a</loc></url>\n</wrong>", to: "sitemap.xml")
        let parser = try SitemapParser(try FileStream(path: path, name: "s"), name: "s")
        let error = #expect(throws: SourceError.self) { while try parser.next() != nil {} }
        #expect(error?.line == 2 && error?.message.hasPrefix("is not XML: ") == true)
    }

    @Test("a document type and another root are refused with their line")
    func refused() throws {
        let type = try error("<?xml version=\"1.0\"?>\n<!DOCTYPE urlset>\n<urlset/>")
        #expect(type?.line == 2 && type?.message.hasPrefix("has a document type declaration") == true)
        let root = try error("<rss><url><loc>a</loc></url></rss>")
        #expect(
            root?.message == "is not a sitemap: it begins with <rss>, not with <urlset> or <sitemapindex>"
        )
    }

    @Test("a tag or a comment without an end is refused before it is read again and again")
    func longTag() throws {
        let long = String(repeating: "a", count: 1_000_000)
        for text in ["<urlset a='\(long)'></urlset>", "<urlset><!--\(long)--></urlset>"] {
            #expect(try error(text)?.message == "has a tag or a comment longer than 131072 bytes")
        }
        let fitting =
            "<urlset a='\(long.prefix(60_000))'><url><loc>b</loc></url><!--\(long.prefix(60_000))--></urlset>"
        #expect(try entries(fitting).map(\.address) == ["b"])
        let texts = "<urlset><x>\(long)</x><x><![CDATA[\(long)]]></x><url><loc>b</loc></url></urlset>"
        #expect(try entries(texts).map(\.address) == ["b"])
    }
}
