import JobManifest
import Testing

@Suite struct ItemURLTests {
    private static let schemes: Set = ["https", "http", "ftp", "data", "file"]

    private func check(_ text: String, schemes: Set<String> = schemes) -> ItemURL.Checked {
        ItemURL.check(text, folder: "/srv/job", schemes: schemes)
    }

    @Test(
        "valid URLs and paths",
        arguments: [
            ("https://a.example/b.jpg", "https://a.example/b.jpg"),
            ("HTTPS://A.example/b.jpg", "HTTPS://A.example/b.jpg"),
            ("http://user:pw@a.example:8080/b?c#d", "http://user:pw@a.example:8080/b?c#d"),
            ("http://a.example:", "http://a.example:"),
            ("http://a.example:65535/", "http://a.example:65535/"),
            ("http://[::1]/a", "http://[::1]/a"), ("http://[::1]:80/a", "http://[::1]:80/a"),
            ("https://a.example/ä|b", "https://a.example/%C3%A4%7Cb"),
            ("https://a.example/%41", "https://a.example/%41"),
            ("ftp://a.example/b", "ftp://a.example/b"), ("data:,x", "data:,x"),
            ("file:///b.jpg", "file:///b.jpg"), ("file://localhost/b.jpg", "file://localhost/b.jpg"),
            ("file:/b.jpg", "file:/b.jpg"),
            ("b.jpg", "file:///srv/job/b.jpg"), ("../b.jpg", "file:///srv/b.jpg"),
            ("/b.jpg", "file:///b.jpg"),
            ("a b?c#d%.jpg", "file:///srv/job/a%20b%3Fc%23d%25.jpg"),
        ]
    )
    func valid(text: String, url: String) {
        let checked = check(text)
        #expect(checked.url == url)
        #expect(checked.problem == nil, "\(checked.problem?.message ?? "")")
    }

    @Test(
        "invalid ones, each with its problem",
        arguments: [
            ("", "the URL is empty"), ("https:", "// should follow"), ("https:a", "// should follow"),
            ("https://", "no host"), ("https://:80/", "no host"), ("https://user@/x", "no host"),
            ("https://ä.example/", "not ASCII"), ("https://a_b,c/", "invalid character"),
            ("https://a.example:65536/", "not a port"), ("https://a.example:8x/", "not a port"),
            ("https://[::1/", "not an IPv6 address"), ("https://[]/", "not an IPv6 address"),
            ("https://[x]/", "not an IPv6 address"), ("https://[::1]x/", "not a port"),
            ("https://a.example/%4", "two hexadecimal digits"),
            ("https://a.example/%zz", "two hexadecimal digits"),
            ("https://a.example/a b", "%20"), ("https://a.example/\u{1}", "control character"),
            ("data:x", "comma"), ("file://host/x", "file:///"), ("//a.example/b", "no scheme"),
            ("a\u{7}.jpg", "control character"),
        ]
    )
    func invalid(text: String, words: String) {
        let problem = check(text).problem
        #expect(problem?.code == .badURL)
        #expect(problem?.message.contains(words) == true, "\(problem?.message ?? "no problem")")
    }

    @Test(
        "schemes that the manifest does not allow",
        arguments: [("http://a.example/", "http"), ("b.jpg", "file"), ("gopher://a.example/", "gopher")]
    )
    func schemes(text: String, scheme: String) {
        let problem = check(text, schemes: ["https"]).problem
        #expect(problem?.message.contains("\"\(scheme)\"") == true, "\(problem?.message ?? "no problem")")
        #expect(check("https://a.example/", schemes: ["https"]).problem == nil)
    }

    @Test("a URL has :// after a scheme, or is data:; a path can have a colon")
    func isURL() {
        for text in ["https://a.example/1", "HTTP://a", "s3://b/c", "file:///a", "data:,x"] {
            #expect(ItemURL.isURL(text), "\(text)")
        }
        for text in ["a.jpg", "products.csv:image_url", "c:/a.jpg", "://a", "a b://c", "", "a/b://c"] {
            #expect(!ItemURL.isURL(text), "\(text)")
        }
    }
}
