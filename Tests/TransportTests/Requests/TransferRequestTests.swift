import Foundation
import Testing

@testable import Transport

@Suite struct TransferRequestTests {
    private func reason(
        url: String = "http://a/",
        method: String = "GET",
        headers: [TransferRequest.Header] = [],
        schemes: Set<String> = ["http", "https"]
    ) -> TransportError.Reason? {
        TransferRequest(url: url, host: "a", method: method, headers: headers).refusal(schemes: schemes)?
            .reason
    }

    @Test("the scheme is what stands before the first colon, in lower case")
    func schemes() {
        #expect(TransferRequest(url: "HTTP://a:1/", host: "a").scheme == "http")
        #expect(TransferRequest(url: "a/b", host: "a").scheme == "")
        #expect(reason(url: "HTTPS://a/") == nil)
        #expect(reason(url: "ftp://a/") == .scheme)
        #expect(reason(url: "ftp://a/", schemes: ["ftp"]) == nil)
        #expect(reason(schemes: []) == .scheme)
        let text = TransferRequest(url: "x://a/", host: "a").refusal(schemes: ["https", "http"])?.message
        #expect(text == "the scheme \"x\" is not allowed; allowed schemes: http, https")
    }

    @Test(
        "a URL has no spaces and no control characters",
        arguments: ["http://a/ b", "http://a/\u{7F}", "http://a/\u{1F}", "http://a/\n", "http://a/\u{0}"]
    )
    func badURLs(url: String) {
        #expect(reason(url: url) == .badURL)
    }

    @Test(
        "other characters of a URL are libcurl's to judge",
        arguments: ["http://a/!", "http://a/~", "http://a/é"]
    )
    func goodURLs(url: String) {
        #expect(reason(url: url) == nil)
    }

    @Test(
        "a method is a token",
        arguments: ["", "A B", "A:", "É", "A/B", "G(T)", "\"GET\"", "A@B", "A[", "A{"]
    )
    func badMethods(method: String) {
        #expect(reason(method: method) == .protocol)
    }

    @Test("every character of a token is one", arguments: ["azAZ09", "!#$%&'*+-.^_`|~", "M-SEARCH"])
    func goodMethods(method: String) {
        #expect(reason(method: method) == nil)
        #expect(reason(headers: [.init(method, "x")]) == nil)
    }

    @Test("header fields cannot smuggle others in")
    func headers() {
        for value in ["a\r", "a\nb", "\u{0}", "a\r\nB: c"] {
            #expect(reason(headers: [.init("A", "b"), .init("C", value)]) == .protocol)
        }
        for name in ["", "A:", "A B", "A\r\nB", "Ä"] {
            #expect(reason(headers: [.init(name, "x")]) == .protocol)
        }
        #expect(reason(headers: [.init("A", "tab\tand é"), .init("B", "")]) == nil)
    }

    @Test("a refused authentication refuses the request")
    func authentication() {
        var request = TransferRequest(url: "http://a/", host: "a")
        request.authentication = .bearer(token: "")
        #expect(request.refusal(schemes: ["http"])?.reason == .protocol)
        request.authentication = .bearer(token: "x")
        #expect(request.refusal(schemes: ["http"]) == nil)
    }

    @Test("names of fields are compared without case, and in full")
    func names() {
        let header = TransferRequest.Header("Content-Length", "1")
        #expect(header.isNamed("content-LENGTH"))
        #expect(!header.isNamed("content-lengt"))
        #expect(!header.isNamed("content-lengtx"))
    }

    @Test(
        "durations are whole milliseconds, rounded up, of at most 23 days",
        arguments: [
            (Duration.zero, 0), (.nanoseconds(1), 1), (.milliseconds(1), 1), (.microseconds(1001), 2),
            (.seconds(1) + .nanoseconds(1), 1001), (.seconds(1_999_999), 1_999_999_000),
            (.seconds(2_000_000), 2_000_000_000), (.seconds(1 << 60), 2_000_000_000),
            (.seconds(-5), 0), (.milliseconds(-1), 0),
        ]
    )
    func milliseconds(duration: Duration, expected: Int) {
        #expect(duration.wholeMilliseconds == expected)
    }

    @Test("errors are transient by their reason unless said otherwise")
    func transience() {
        for reason: TransportError.Reason in [.dns, .refused, .timeout, .reset, .truncated, .empty] {
            #expect(TransportError(reason, "x").isTransient, "\(reason)")
        }
        for reason: TransportError.Reason in [.badURL, .scheme, .address, .tooLarge, .notFound] {
            #expect(!TransportError(reason, "x").isTransient, "\(reason)")
        }
        #expect(TransportError(.badURL, "x", isTransient: true).isTransient)
        #expect(!TransportError(.reset, "x", isTransient: false).isTransient)
    }

    @Test("the type of a certificate follows from its name")
    func certificates() {
        #expect(ClientCertificate(certificate: "a/B.P12").fileType == "P12")
        #expect(ClientCertificate(certificate: "b.pfx").fileType == "P12")
        #expect(ClientCertificate(certificate: "p12.pem").fileType == "PEM")
    }

    @Test(
        "the port is the URL's, or that of its scheme",
        arguments: [
            ("http://a/", "80"), ("https://a", "443"), ("HTTPS://a?b:1", "443"), ("ftp://a/", "21"),
            ("http://a:8080", "8080"),
            ("http://a:/", "80"), ("http://u:p1@a:81/:9", "81"), ("http://[::1]/", "80"),
            ("http://[::1]:82/", "82"),
            ("http://a1/", "80"),
        ]
    )
    func port(url: String, expected: String) {
        #expect(TransferRequest(url: url, host: "a").port == expected)
    }

    @Test(
        "names are looked up, addresses in any spelling are not",
        arguments: [
            ("a.example", true), ("a", true), ("a_b.example.", true), ("127.0.0.1", false), ("::1", false),
            ("127.1", false),
            ("2130706433", false), ("0x7f.1", false), ("localhost", false), ("a.localhost", false),
            ("", false),
        ]
    )
    func lookedUpHost(host: String, isLookedUp: Bool) {
        #expect(TransferRequest(url: "http://\(host)/", host: host).lookedUpHost == (isLookedUp ? host : nil))
    }
}
