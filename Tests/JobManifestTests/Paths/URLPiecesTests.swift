@testable import JobManifest
import Testing

@Suite struct URLPiecesTests {
    @Test(
        "the host is in lower case, with the port unless it is the scheme's",
        arguments: [
            ("https://A.example/x", "a.example", "a.example"),
            ("https://a.example:443/x", "a.example", "a.example"),
            ("https://a.example:80/x", "a.example_80", "a.example:80"),
            ("http://a.example:80", "a.example", "a.example"),
            ("http://a.example:443", "a.example_443", "a.example:443"),
            ("ftp://a.example:21/x", "a.example", "a.example"),
            ("ftp://a.example:22/x", "a.example_22", "a.example:22"),
            ("HTTP://a.example:80/x", "a.example", "a.example"),
            ("https://a.example:/x", "a.example", "a.example"),
            ("https://u:p@a.example/x", "a.example", "a.example"),
            ("https://u:p@a.example:8080?x@y:1", "a.example_8080", "a.example:8080"),
            ("https://a.example#x@y", "a.example", "a.example"),
            ("https://u@v@a.example/x", "a.example", "a.example"),
            ("http://[2001:DB8::1]:8080/x", "2001_db8__1_8080", "2001:db8::1:8080"),
            ("http://[::1]/x", "__1", "::1"), ("http://[::1]:80/x", "__1", "::1"),
            ("file:///a/b.jpg", "local", ""), ("data:,x", "local", ""),
            ("s3://My_Bucket/x", "my_bucket", "s3://my_bucket"), ("S3://b.c/x@y:1", "b.c", "s3://b.c"),
        ]
    )
    func host(url: String, host: String, authority: String) {
        let pieces = URLPieces(PlannedItem(testing: url))
        #expect(pieces.host == host && pieces.authority == authority)
    }

    @Test(
        "folders and stem are those of the path, decoded and made harmless",
        arguments: [
            ("https://a.example/a/b/c.jpg", "a/b", "c"), ("https://a.example/c.jpg", "", "c"),
            ("https://a.example", "", "_"), ("https://a.example/", "", "_"),
            ("https://a.example/a/", "a", "_"), ("https://a.example/a//b/c", "a/b", "c"),
            ("https://a.example/.hidden", "", "_hidden"), ("https://a.example/a.", "", "a"),
            ("https://a.example/a.b.c", "", "a.b"), ("https://a.example/a/./../b/c", "a/b", "c"),
            ("https://a.example/a/%2e/%2E%2e/c", "a", "c"), ("https://a.example/.a/...b/c", "_a/_..b", "c"),
            ("https://a.example/a%2Fb/c%2Fd.jpg", "a_b", "c_d"), ("https://a.example/%zz.jpg", "", "_zz"),
            ("https://a.example/a%4", "", "a_4"), ("https://a.example/a%41", "", "aA"),
            ("https://a.example/%41%42c", "", "ABc"), ("ftp://a.example:2121/a/b.jpg", "a", "b"),
            ("s3://b/p/q/r.jpg", "p/q", "r"), ("s3://b/a%2Fb/c%41.jpg", "a_2Fb", "c_41"),
            ("s3://b/a?b#c/d?e.jpg", "a_b_c", "d_e"), ("s3://b//../a/", "a", "_"), ("s3://b/.x", "", "_x"),
            ("file:///p/q/r.jpg", "p/q", "r"), ("${BASE}/b/c.jpg", "b", "c"),
        ]
    )
    func path(url: String, folders: String, stem: String) {
        let pieces = URLPieces(PlannedItem(testing: url))
        #expect(pieces.folders == folders && pieces.stem == stem)
    }

    @Test(
        "a query tells files of one name apart, a fragment does not",
        arguments: [
            ("https://a.example/a.jpg?", "a"), ("https://a.example/a.jpg?#f", "a"),
            ("https://a.example/a.jpg?x", "a-2d711642"), ("https://a.example/a.jpg?x#f", "a-2d711642"),
            ("https://a.example/a.jpg#x?y", "a"), ("https://a.example?x", "_-2d711642"),
            ("https://a.example/a?x/y.jpg", "a-09568673"),
        ]
    )
    func query(url: String, stem: String) {
        let pieces = URLPieces(PlannedItem(testing: url))
        #expect(pieces.stem == stem && pieces.folders.isEmpty)
    }

    @Test("the data of a data: URL gets into no name")
    func data() {
        let pieces = URLPieces(PlannedItem(testing: "data:,x"))
        #expect(pieces.folders.isEmpty && pieces.stem == "707ce201c2f97b77")
    }

    @Test("folders of a glob's file count below the glob's root, and only there")
    func base() {
        let url = "file:///p/q/r/a.jpg"
        #expect(URLPieces(PlannedItem(testing: url, base: "file:///p/")).folders == "q/r")
        #expect(URLPieces(PlannedItem(testing: url, base: "file:///p/q/r/")).folders == "")
        #expect(URLPieces(PlannedItem(testing: url, base: "file:///p/q/r/")).stem == "a")
        #expect(URLPieces(PlannedItem(testing: url, base: "file:///other/")).folders == "p/q/r")
    }

    @Test("a key that looks like a variable gives its own name, not the form in which it is stored")
    func literalVariable() {
        let pieces = URLPieces(PlannedItem(testing: "s3://b/x$${HOME}/dollar$${HOME}.jpg"))
        #expect(pieces.folders == "x__HOME_" && pieces.stem == "dollar__HOME_", "\(pieces)")
        #expect(URLPieces(PlannedItem(testing: "s3://b/${SEASON}.jpg")).stem == "__SEASON_")
        #expect(URLPieces(PlannedItem(testing: "s3://b/$$x.jpg")).stem == "__x")
    }
}
