import Testing

@testable import Transport

@Suite struct ProxyExceptionTests {
    @Test(
        "no_proxy is read as libcurl reads it",
        arguments: [
            ("*", "a.example", true), ("b.example, *", "a.example", false), ("", "a.example", false),
            ("a.example", "a.example", true), ("A.example.", "a.example", true),
            ("a.example", "a.example.", true),
            ("b.example,example", "a.example", true), ("b.example\t.example", "a.example", true),
            ("xample", "a.example", false), ("10.0.0.1", "10.0.0.1", true), ("10.0.0.0/8", "10.1.2.3", true),
            ("10.0.0.0/8", "11.1.2.3", false), ("0.0.1", "127.0.0.1", false), ("::1", "::1", true),
            ("fd00::/8", "fd00::5", true), ("[::1]", "::1", false), ("127.0.0.0/8", "localhost", false),
        ]
    )
    func exceptions(list: String, host: String, isExcepted: Bool) {
        #expect(TransportConfiguration.isExcepted(host, by: list) == isExcepted)
    }
}
