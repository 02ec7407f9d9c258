import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import TestSupport
import Testing

@Suite struct SitemapRowsTests {
    private static let start = #"<?xml version="1.0" encoding="UTF-8"?>"#
    private static let namespaces =
        #"xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1""#

    private func items(_ folder: ManifestFolder, _ name: String = "sitemap.xml") async throws -> [PlannedItem]
    {
        let manifest = try folder.read(#"{"sources": [{"sitemap": "\#(name)"}]}"#)
        let reader = ItemReader(
            manifest,
            loaded: try await SourceLoader.sources(of: manifest, RunOptions())
        )
        var items: [PlannedItem] = []
        try reader.forEach { items.append($0) }
        return items
    }

    private func error(_ text: String) async throws -> String {
        let folder = try ManifestFolder()
        try folder.folder.write(text, to: "sitemap.xml")
        do {
            _ = try await items(folder)
            return "none"
        } catch let error as SourceError {
            return error.description
        } catch let error as RunError {
            return error.description
        }
    }

    @Test("images of pages, and pages that are images; other addresses are none")
    func images() async throws {
        let folder = try ManifestFolder()
        try folder.folder.write(
            """
            \(Self.start)
            <urlset \(Self.namespaces) xmlns:video="http://www.google.com/schemas/sitemap-video/1.1">
              <url><loc>https://a.example/page.html</loc>
                <image:image><image:loc>
                  https://a.example/1.jpg?a=1&amp;b=2
                </image:loc><image:title>loc</image:title></image:image>
                <image:image><image:loc><![CDATA[https://cdn.example/ä.png]]></image:loc></image:image>
                <video:video><video:thumbnail_loc>https://a.example/no.jpg</video:thumbnail_loc></video:video></url>
              <url><loc>https://a.example/2.JPEG?x#y</loc></url>
              <url><loc>https://a.example/jpg</loc><image:image><image:loc></image:loc></image:image></url>
            </urlset>
            """,
            to: "sitemap.xml"
        )
        let items = try await items(folder)
        #expect(
            items.map(\.url) == [
                "https://a.example/1.jpg?a=1&b=2", "https://cdn.example/%C3%A4.png",
                "https://a.example/2.JPEG?x", "",
            ]
        )
        #expect(items.map(\.location) == [4, 7, 9, 10].map { "sitemap.xml:\($0)" })
        #expect(items.map { $0.problem == nil } == [true, true, true, false])
    }

    @Test(
        "pages count as images by the extensions by which files of a folder do",
        arguments: Glob.imageExtensions
    )
    func extensions(_ name: String) async throws {
        let folder = try ManifestFolder()
        let pages = ["1.\(name)", "2.\(name.uppercased())?v=1", "3.\(name)x", "\(name)"]
        let urls = pages.map { "<url><loc>https://a.example/\($0)</loc></url>" }.joined()
        try folder.folder.write("<urlset \(Self.namespaces)>\(urls)</urlset>", to: "sitemap.xml")
        let found = try await items(folder).map(\.url)
        #expect(found == pages.prefix(2).map { "https://a.example/\($0)" })
        for file in ["1.\(name)", "2.\(name.uppercased())", "3.\(name)x"] {
            try folder.folder.write("x", to: "photos/\(file)")
        }
        let files = try folder.items(#"{"sources": [{"files": "photos"}]}"#)
        #expect(files.map(\.location) == ["photos/1.\(name)", "photos/2.\(name.uppercased())"])
    }

    @Test("an index leads to its sitemaps, each once, also where one leads back, and to gzip under any name")
    func index() async throws {
        let folder = try ManifestFolder()
        let names = ["a.xml", "b.xml", "a.xml", "sitemap.xml", "sub/index.xml"]
        try folder.folder.write(
            "<sitemapindex>" + names.map { "<sitemap><loc>\($0)</loc></sitemap>" }.joined()
                + "</sitemapindex>",
            to: "sitemap.xml"
        )
        try folder.folder.write("<urlset><url><loc>https://a.example/a.jpg</loc></url></urlset>", to: "a.xml")
        // `<urlset><url><loc>https://a.example/b.jpg</loc></url></urlset>`, by gzip.
        let compressed = try #require(
            Data(
                base64Encoded:
                    "H4sIAAAAAAACA7MpLcopTi2xswHSdjY5+cl2GSUlBcVW+vqJeqkVibkFOan6SXpZBek2+iBJG32wOn2oLgBxZ4hJPgAAAA=="
            )
        )
        try folder.folder.write(compressed, to: "b.xml")
        try folder.folder.write(
            "<sitemapindex><sitemap><loc>a.xml</loc></sitemap></sitemapindex>",
            to: "sub/index.xml"
        )
        let items = try await items(folder)
        #expect(items.map(\.url) == ["https://a.example/a.jpg", "https://a.example/b.jpg"])
        #expect(items.map(\.location).last == "file://" + folder.folder.path("b.xml") + ":1")
    }

    @Test("what is no sitemap is an error with its place")
    func wrong() async throws {
        let bomb = """
            <!DOCTYPE urlset [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
            <urlset><url><loc>https://a.example/&b;.jpg</loc></url></urlset>
            """
        #expect(try await error(bomb).hasPrefix("sitemap.xml:1: has a document type"))
        #expect(
            try await error("<html></html>")
                == "sitemap.xml:1: is not a sitemap: it begins with <html>, not with <urlset> or <sitemapindex>"
        )
        #expect(try await error("<urlset>\n<url>").hasPrefix("sitemap.xml:2: is not XML: no element found"))
        #expect(try await error("").contains("no element found"))
        let deep = "<urlset>" + String(repeating: "<a>", count: 100)
        #expect(try await error(deep).contains("nests elements more than 64 deep"))
        let long = "<urlset><url><loc>" + String(repeating: "a", count: 70_000)
        #expect(try await error(long).contains("an address longer than 65536 bytes"))
        let large = "<urlset>" + String(repeating: " ", count: 52_428_800) + "</urlset>"
        #expect(try await error(large).contains("larger than 52428800 bytes"))
        let missing = "<sitemapindex><sitemap><loc>gone.xml</loc></sitemap></sitemapindex>"
        #expect(try await error(missing).contains("gone.xml cannot be used"))
        let outside = "<sitemapindex><sitemap><loc>file:///etc/passwd</loc></sitemap></sitemapindex>"
        #expect(try await error(outside).contains("network.fileRoots"))
    }

    @Test("a sitemap that is missing is an error of the manifest")
    func missing() throws {
        let errors = try ManifestFolder().errors(
            #"{"sources": [{"sitemap": "gone.xml"}, {"sitemap": "ftp://a/b"}]}"#
        )
        #expect(errors.count == 2, "\(errors)")
        #expect(
            errors.first
                == "1:14: sources[0]: gone.xml: there is no such file: check its name, which starts from the manifest's folder"
        )
    }
}
