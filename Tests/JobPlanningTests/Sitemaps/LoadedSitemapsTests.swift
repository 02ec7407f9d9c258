import Files
import Foundation
import JobFixtures
import JobManifest
import TestSupport
import Testing

@testable import JobPlanning

@Suite struct LoadedSitemapsTests {
    private let context = RowContext(folder: "/jobs", schemes: ["https", "http", "file"])

    private func file(_ url: String, base: String? = nil) -> LoadedSitemaps.File {
        LoadedSitemaps.File(url: url, base: base, label: "sitemap.xml", path: "/none")
    }

    @Test(
        "addresses of a sitemap on the web start from its own",
        arguments: [
            ("https://b.example/1.jpg", "https://b.example/1.jpg"), ("/1.jpg", "https://a.example/1.jpg"),
            ("1.jpg", "https://a.example/maps/1.jpg"), ("//b.example/1.jpg", "https://b.example/1.jpg"),
            ("?page=2", "https://a.example/maps/sitemap.xml?page=2"),
            ("file:///etc/passwd", nil), ("data:,x", nil), ("", nil),
        ] as [(String, String?)]
    )
    func web(address: String, expected: String?) {
        let checked = file("https://a.example/maps/sitemap.xml").resolve(address, context)
        #expect((checked.problem == nil) == (expected != nil), "\(checked)")
        if let expected { #expect(checked.url == expected) }
    }

    @Test("behind a redirect, they start from the URL that answered")
    func redirected() {
        let file = file("https://a.example/sitemap.xml", base: "https://b.example/maps/1.xml")
        for (address, expected) in [("1.jpg", "/maps/1.jpg"), ("/1.jpg", "/1.jpg"), ("../a", "/a")] {
            #expect(file.resolve(address, context).url == "https://b.example" + expected)
        }
        #expect(file.resolve("https://a.example/1.jpg", context).url == "https://a.example/1.jpg")
    }

    @Test("in a sitemap on this machine a bare path is a file of the manifest's folder")
    func local() {
        let checked = file("file:///maps/sitemap.xml").resolve("photos/1.jpg", context)
        #expect(checked.problem == nil && checked.url == "file:///jobs/photos/1.jpg")
        let web = file("file:///maps/sitemap.xml").resolve("https://a.example/1.jpg", context)
        #expect(web.url == "https://a.example/1.jpg")
    }

    @Test("the digest changes with the bytes of each file and with their addresses")
    func digest() throws {
        let folder = try TemporaryFolder()
        let scratch = try ScratchFolder(prefix: "maps", in: folder.path)
        let path = try folder.write("<urlset/>", to: "a.xml")
        func digest(_ url: String, base: String? = nil) throws -> String {
            let file = LoadedSitemaps.File(url: url, base: base, label: "a", path: path)
            return try LoadedSitemaps([0: [file]], in: scratch).digest(of: 0)
        }
        let first = try digest("https://a.example/a.xml")
        #expect(try digest("https://a.example/a.xml") == first)
        #expect(try digest("https://a.example/b.xml") != first)
        #expect(try digest("https://a.example/a.xml", base: "https://b.example/a.xml") != first)
        try folder.write("<urlset></urlset>", to: "a.xml")
        #expect(try digest("https://a.example/a.xml") != first)
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: SourceError.self) { try digest("https://a.example/a.xml") }
        #expect(throws: SourceError.self) { try LoadedSitemaps().digest(of: 0) }
    }

    @Test("pages count if their path ends as an image's does, whatever follows")
    func pages() throws {
        let folder = try TemporaryFolder()
        let scratch = try ScratchFolder(prefix: "maps", in: folder.path)
        let pages = [
            "https://a.example/1.JPG", "https://a.example/2.html", "https://a.example/3.webp?x=.html",
            "https://a.example/4", "https://a.example/x.html?a=5.jpg", "https://a.example/6.heic#a",
        ]
        let text = "<urlset>" + pages.map { "<url><loc>\($0)</loc></url>" }.joined() + "</urlset>"
        let path = try folder.write(text, to: "a.xml")
        let file = LoadedSitemaps.File(url: "https://a.example/a.xml", label: "a.xml", path: path)
        var rows = SitemapRows(
            try LoadedSitemaps([0: [file, file]], in: scratch).files(of: 0),
            context: context
        )
        var urls: [String] = []
        while let row = try rows.next() { urls.append(row.url.url) }
        let images = [pages[0], pages[2], "https://a.example/6.heic"]
        #expect(urls == images + images)
    }

    @Test("the folder of a run's sitemaps lies beside its state")
    func path() {
        #expect(
            LoadedSitemaps.path(besideState: "/a/.nuke-batch/job.sqlite") == "/a/.nuke-batch/job.sitemaps"
        )
    }
}
