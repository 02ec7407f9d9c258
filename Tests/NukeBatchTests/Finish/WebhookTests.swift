import Testing

@testable import NukeBatch

@Suite struct WebhookTests {
    @Test(
        "an address is an absolute http or https URL",
        arguments: ["http://a.example", "https://user:p%40ss@a.example:8443/x?y#z", "HTTP://[::1]/"]
    )
    func accepted(text: String) {
        #expect(Webhook.Address(text) != nil)
    }

    @Test(
        "other texts are none",
        arguments: [
            "", "a.example", "//a.example", "ftp://a.example/", "file:///tmp/x", "https://", "http:///x",
            "https:a",
        ]
    )
    func refused(text: String) {
        #expect(Webhook.Address(text) == nil)
    }

    @Test("what is percent-encoded in an address stays, beside brackets too")
    func encoded() {
        let url = Webhook.Address("https://u:p@a.example/b%20[c]?d[]=%2F#e")?.url
        #expect(url == "https://a.example/b%20%5Bc%5D?d%5B%5D=%2F")
    }
}
