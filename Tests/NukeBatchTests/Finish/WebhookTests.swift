import NukeBatch
import Testing

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
}
