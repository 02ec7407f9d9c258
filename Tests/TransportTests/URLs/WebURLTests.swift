import Testing
import Transport

@Suite struct WebURLTests {
    @Test(
        "URLs in their one spelling",
        arguments: [
            ("HTTP://A.Example:80/b", "http://a.example/b"), ("https://a.example:443", "https://a.example/"),
            ("https://a.example:00080/x", "https://a.example:80/x"),
            ("ftp://a.example:21/x", "ftp://a.example/x"),
            ("https://a.example?q", "https://a.example/?q"), ("https://a/b/../c/./d", "https://a/c/d"),
            ("https://a/b/%2e%2E/c", "https://a/c"), ("https://a/b/.%2e", "https://a/"),
            ("https://a/../..", "https://a/"),
            ("https://a/b/.", "https://a/b/"), ("https://a//b//", "https://a//b//"),
            ("https://a/...", "https://a/..."),
            (" \u{1}https://a/b c\t\n", "https://a/b%20c"), ("https://a/b\nc", "https://a/bc"),
            ("https:\\\\a\\b\\c?d\\e", "https://a/b/c?d%5Ce"), ("https:a/b", "https://a/b"),
            ("https:////a", "https://a/"),
            ("https://u:p@a@b:81/", "https://u:p@a@b:81/"), ("https://a/b#c?d", "https://a/b"),
            ("https://a#/b", "https://a/"),
            ("https://a/%zz%4", "https://a/%25zz%254"),
            ("https://a/<\"`{|}^>", "https://a/%3C%22%60%7B%7C%7D%5E%3E"),
            ("https://a/ü?ü", "https://a/%C3%BC?%C3%BC"),
            ("http://[2001:DB8:0:0::1]:80/", "http://[2001:db8::1]/"),
            ("http://127.1/", "http://127.0.0.1/"),
            ("http://user@MÜNCHEN.example/", "http://user@xn--mnchen-3ya.example/"),
        ]
    )
    func spelling(text: String, expected: String) throws {
        let url = try WebURL(text)
        #expect(url.description == expected)
        // It is its own spelling.
        #expect(try WebURL(expected).description == expected && WebURL(expected).host == url.host)
    }

    @Test(
        "what was written stays as far as a URL may have it",
        arguments: [
            ("HTTP://A.Example:80/b/../c", "HTTP://A.Example:80/b/../c"),
            ("http://127.1/a", "http://127.1/a"),
            ("http://a.example:", "http://a.example:"), ("https://a?b", "https://a?b"),
            ("https://ä/b", "https://xn--4ca/b"),
            ("https:\\\\A\\b", "https://A/b"),
        ]
    )
    func written(text: String, expected: String) throws {
        #expect(try WebURL(text).written == expected)
    }

    @Test(
        "references start from a base",
        arguments: [
            ("c", "https://a.example/x/c"), ("/c", "https://a.example/c"), ("\\c", "https://a.example/c"),
            ("../c d", "https://a.example/c%20d"), ("?q", "https://a.example/x/y?q"),
            ("", "https://a.example/x/y?z"),
            ("#f", "https://a.example/x/y?z"), ("//b.example/c", "https://b.example/c"),
            ("\\\\b.example", "https://b.example/"),
            ("http://b.example/c", "http://b.example/c"), ("https:c", "https://a.example/x/c"),
            ("https:/c", "https://a.example/c"), ("https://b", "https://b/"), ("http:b", "http://b/"),
            ("a:b/c", nil),
            ("file:///c", nil), ("javascript:x", nil), ("//", nil),
        ] as [(String, String?)]
    )
    func references(text: String, expected: String?) throws {
        let base = try WebURL("https://a.example/x/y?z#w")
        let url = try? WebURL(text, base: base)
        #expect(url?.description == expected)
    }

    @Test(
        "what browsers refuse has a reason",
        arguments: [
            ("x", "no scheme"), ("https://", "no host"), ("https://:80", "no host"),
            ("https://u@", "no host"),
            ("https://a:65536", "port"), ("https://a:8x", "port"), ("https://a:+1", "port"),
            ("https://[::1", "IPv6"),
            ("https://[]", "IPv6"), ("https://[1::2::3]", "IPv6"), ("https://1.2.3.4.5", "IPv4"),
            ("https://0x100000000", "IPv4"),
            ("https://a.0x", "IPv4"), ("https://a b", "invalid character"),
            ("https://a%00", "invalid character"),
            ("mailto:x", "none of the web"),
        ]
    )
    func refused(text: String, words: String) {
        let error = #expect(throws: WebURLError.self) { try WebURL(text) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }
}

@Suite struct HostNameTests {
    @Test(
        "all spellings of a host are one",
        arguments: [
            ("A.Example.", "a.example"), ("a.example", "a.example"), ("127.1", "127.0.0.1"),
            ("2130706433", "127.0.0.1"),
            ("0x7f.1", "127.0.0.1"), ("0X7F000001", "127.0.0.1"), ("0177.0.0.01", "127.0.0.1"),
            ("127.0.1", "127.0.0.1"),
            ("127.0.0.1.", "127.0.0.1"), ("[::ffff:127.0.0.1]", "127.0.0.1"), ("::1", "::1"),
            ("[0:0::1]", "::1"),
            ("%6cocalhost", "localhost"), ("１２７.１", "127.0.0.1"), ("BÜCHER.example", "xn--bcher-kva.example"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("a。example", "a.example"),
            ("a\u{AD}b", "ab"), ("0", "0.0.0.0"),
            ("0x", "0.0.0.0"), ("a1.b2", "a1.b2"), ("1a.b", "1a.b"), ("a.1b", "a.1b"),
            ("not a host", "not a host"), ("", ""),
        ]
    )
    func comparable(host: String, expected: String) {
        #expect(HostName.comparable(host) == expected)
    }

    @Test("a policy refuses an address in every notation, and allows international names")
    func policy() throws {
        let policy = try AddressPolicy(allow: ["bücher.example"])
        let private10 = try #require(IPAddress("10.0.0.1"))
        #expect(policy.permits(private10, host: try HostName.canonical("Bücher.example".utf8)))
        #expect(!policy.permits(private10, host: "a.example"))
        for host in ["127.1", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]"] {
            #expect(AddressPolicy.publicOnly.refusal(of: HostName.comparable(host)) != nil, "\(host)")
        }
    }
}
