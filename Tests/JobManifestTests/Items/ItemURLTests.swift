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
            ("http://user:pw@a.example:8080/b?c#d", "http://user:pw@a.example:8080/b?c"),
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
            ("https://a.example/a b\u{1}.jpg", "https://a.example/a%20b%01.jpg"),
            ("//a.example/b", "https://a.example/b"),
            (" https://A.example/b#c ", "https://A.example/b"),
            ("https:\\\\a.example\\b", "https://a.example/b"),
            ("https:a", "https://a"), ("https:///a/b", "https://a/b"),
            ("https://a.exa\tmple/b\r\nc", "https://a.example/bc"),
            ("https://a.example/%4", "https://a.example/%254"),
            ("https://a.example/%zz?%", "https://a.example/%25zz?%25"),
            ("https://ä.example/ä", "https://xn--4ca.example/%C3%A4"),
            ("https://%61.example/", "https://a.example/"),
            ("http://127.1/a", "http://127.1/a"), ("http://0x7f.1/a#b", "http://0x7f.1/a"),
            ("http://1.2.3.4./", "http://1.2.3.4./"),
            ("https://a/b?c\\d e", "https://a/b?c%5Cd%20e"), ("data:,a b#c", "data:,a%20b"),
            ("file:///a b#c", "file:///a%20b"),
            ("file:///a\\b", "file:///a/b"), ("http://a.example/b#", "http://a.example/b"),
            (" b.jpg ", "file:///srv/job/%20b.jpg%20"),
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
            ("", "the URL is empty"), ("https:", "no host"), ("https:\\\\", "no host"),
            ("http://1.2.3.4.5/", "IPv4"),
            ("http://a.1/", "IPv4"), ("http://256.1.1.1", "IPv4"), ("http://4294967296/", "IPv4"),
            ("http://09.1/", "IPv4"),
            ("http://[1.2.3.4]/", "IPv6"), ("http://[::1%25eth0]/", "IPv6"),
            ("http://a%2Fb/", "invalid character"),
            ("http://a b/", "invalid character"), ("http://\u{200D}.example/", "international"),
            ("http://a／b/", "international"),
            ("https://a/\0", "NUL"),
            ("https://", "no host"), ("https://:80/", "no host"), ("https://user@/x", "no host"),
            ("https://a_b,c/", "invalid character"),
            ("https://a.example:65536/", "not a port"), ("https://a.example:8x/", "not a port"),
            ("https://[::1/", "not an IPv6 address"), ("https://[]/", "not an IPv6 address"),
            ("https://[x]/", "not an IPv6 address"), ("https://[::1]x/", "not an IPv6 address"),
            ("data:x", "comma"), ("file://host/x", "file:///"),
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
        for text in [
            "https://a.example/1", " https://a", "https:/a", "http:\\\\a", "HTTP://a", "s3://b/c",
            "file:///a", "data:,x",
        ] {
            #expect(ItemURL.isURL(text), "\(text)")
        }
        for text in ["a.jpg", "products.csv:image_url", "c:/a.jpg", "://a", "a b://c", "", "a/b://c"] {
            #expect(!ItemURL.isURL(text), "\(text)")
        }
    }
}
