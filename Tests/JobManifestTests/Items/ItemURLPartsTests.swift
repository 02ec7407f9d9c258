@testable import JobManifest
import Testing

@Suite struct ItemURLPartsTests {
    private static let schemes: Set = ["https", "http", "ftp", "data", "file"]

    private func problem(_ text: String, schemes: Set<String> = schemes) -> ItemProblem? {
        ItemURL.check(text, folder: "/srv/job", schemes: schemes).problem
    }

    @Test(
        "the URL of a path keeps nothing that would end the path",
        arguments: [
            ("/a b.jpg", "/a%20b.jpg"), ("/a?b#c[d];e", "/a%3Fb%23c%5Bd%5D%3Be"), ("/100%", "/100%25"),
            ("/%41", "/%2541"), ("/ä", "/%C3%A4"), ("/a\u{7F}\u{1F}\n", "/a%7F%1F%0A"),
            ("/a+b&c=d,e@f:g'h(i)*!$~-._", "/a+b&c=d,e@f:g'h(i)*!$~-._"), ("/", "/"),
        ]
    )
    func file(path: String, encoded: String) {
        #expect(ItemURL.file(absolutePath: path) == "file://" + encoded)
    }

    @Test(
        "a URL's own text keeps what is encoded already",
        arguments: [
            ("100%", "100%"), ("%41", "%41"), ("a b", "a%20b"), ("a?b#c[d];e", "a?b#c[d];e"), ("ä", "%C3%A4"),
            ("<>\"\\^`{|}", "%3C%3E%22%5C%5E%60%7B%7C%7D"), ("\u{0}\u{1F}\u{7F}", "%00%1F%7F"), ("", ""),
        ]
    )
    func encoded(text: String, encoded: String) {
        #expect(ItemURL.encoded(text) == encoded)
    }

    @Test("a scheme that is not allowed has a code of its own")
    func codes() {
        #expect(problem("ftp://a.example/b", schemes: ["https", "http"])?.code == .scheme)
        #expect(problem("b.jpg", schemes: ["https"])?.code == .scheme)
        #expect(problem("a+b-c.d1:x")?.code == .scheme)
        #expect(problem("ftp:", schemes: ["ftp"])?.code == .badURL)
        #expect(
            problem("ftp://a", schemes: ["https", "http"])?.message
                == #"the scheme "ftp" is none of network.schemes: http, https"#
        )
    }

    @Test(
        "what does not begin with a scheme is a path",
        arguments: [
            ("1http://x", "/srv/job/1http:/x"), ("a_b:c", "/srv/job/a_b:c"), ("a/b:c", "/srv/job/a/b:c"),
            (":a", "/srv/job/:a"), ("a", "/srv/job/a"), (".", "/srv/job"), ("./a/../b", "/srv/job/b"),
        ]
    )
    func paths(text: String, path: String) {
        let checked = ItemURL.check(text, folder: "/srv/job", schemes: ["file"])
        #expect(checked.url == "file://" + path && checked.problem == nil)
    }

    @Test(
        "the bounds of hosts, addresses and ports",
        arguments: [
            ("https://a.example:00080/", true), ("https://a.example:000080/", true),
            ("https://a.example:-1/", false), ("https://a.example:+1/", false), ("http://[::]/", true),
            ("http://[:]/", false), ("http://[1.2.3.4]/", false), ("http://[::g]/", false),
            ("https://a-b._~c/", true), ("https://a%20b/", false), ("https://a:b:1/", false),
            ("https://a%2eb/", true),
            ("https://@a/", true), ("https://a@/", false), ("https://a@b@c/", true),
            ("https://a?x:99999", true), ("https://a#:99999", true), ("https://a/:99999", true),
            ("file://localhost/a", true), ("file://localhostx/a", false), ("file://localhost", false),
            ("file:a", false), ("file://", false), ("file:/", true), ("FILE:///a", true), ("DATA:,x", true),
            ("https://a/%4a%4F", true), ("https://a/%4g", true), ("https://a/%", true),
        ]
    )
    func bounds(text: String, isRight: Bool) {
        let problem = problem(text)
        #expect((problem == nil) == isRight, "\(problem?.message ?? "no problem")")
    }

    @Test("bytes that are not UTF-8 are a problem of a URL, and stay in its text")
    func bytes() {
        func check(_ start: String) -> ItemURL.Checked {
            (Array(start.utf8) + [0xFF]).withUnsafeBufferPointer {
                ItemURL.check($0, folder: "/srv/jöb", schemes: Self.schemes)
            }
        }
        #expect(check("https://a/").url == "https://a/%FF")
        #expect(check("https://a/").problem?.message == "the URL is not UTF-8")
        #expect(check("https://a /").problem?.message == "the URL is not UTF-8")
        // The bytes of a path are what the system has.
        #expect(check("../a").url == "file:///srv/a%FF" && check("../a").problem == nil)
        #expect(check("a").url == "file:///srv/j%C3%B6b/a%FF")
    }
}
