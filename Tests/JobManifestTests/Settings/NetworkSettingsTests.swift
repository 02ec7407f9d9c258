@testable import JobManifest
import Testing

@Suite struct NetworkSettingsTests {
    private func settings(_ reading: NodeReading) -> NetworkSettings {
        NetworkSettings(reading.node, folder: "/srv/job")
    }

    @Test(
        "hosts, addresses and ranges may be allowed",
        arguments: [
            "localhost", "a-b_c.example", "10.0.0.1", "10.0.0.0/8", "0.0.0.0/0", "10.0.0.1/32", "::1",
            "fe80::1",
            "::/0", "::1/128", "::ffff:1.2.3.4", "[::1]", "a.example.", String(repeating: "a", count: 253),
        ]
    )
    func allowed(text: String) throws {
        let reading = try NodeReading(#"{"allow": ["\#(text)"]}"#)
        #expect(settings(reading).allow == [text] && reading.errors.isEmpty)
    }

    @Test(
        "what is none of these is refused",
        arguments: [
            "", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8/8", "/8", "::1/129", "a.example/8",
            "a b", "é/8", "a:80", "10.0.0.0/x", "10.0.0.0/+8", "10.0.0", "a..b", ".", "0x7f.1",
            "/\u{301}8", String(repeating: "a", count: 254),
        ]
    )
    func refused(text: String) throws {
        let reading = try NodeReading(#"{"allow": ["ok", "\#(text)"]}"#)
        #expect(settings(reading).allow == ["ok"] && reading.errors.count == 1)
        #expect(reading.errors.first?.hasPrefix("allow[1]: ") == true, "\(reading.errors)")
        #expect(reading.errors.first?.contains("is not a host, address or range") == true)
    }

    @Test(
        "a proxy is a URL, or the environment's",
        arguments: [
            ("environment", .environment), ("http://p:3128", .url("http://p:3128")),
            ("https://u:w@p.example", .url("https://u:w@p.example")), ("socks4://p", .url("socks4://p")),
            ("socks4a://p", .url("socks4a://p")), ("socks5://p", .url("socks5://p")),
            ("SOCKS5H://p", .url("SOCKS5H://p")), ("ftp://p", nil), ("p:3128", nil), ("http:p", nil),
            ("", nil), ("Environment", nil), ("socks://p", nil), ("http://:3128", nil), ("http://", nil),
            ("http://p:0443", nil), ("http://p:70000", nil), ("http://u:w@", nil),
            ("http://[::1]:3128", .url("http://[::1]:3128")), ("http://0:10", .url("http://0:10")),
        ] as [(String, NetworkSettings.Proxy?)]
    )
    func proxies(text: String, expected: NetworkSettings.Proxy?) throws {
        let reading = try NodeReading(#"{"proxy": "\#(text)"}"#)
        #expect(settings(reading).proxy == expected ?? NetworkSettings.Proxy.none)
        #expect(reading.errors.isEmpty == (expected != nil), "\(reading.errors)")
        #expect(reading.errors.allSatisfy { $0.hasPrefix("proxy: is not the URL of a proxy") })
    }

    @Test("folders start from the manifest's, in whose place they come")
    func fileRoots() throws {
        #expect(NetworkSettings(nil, folder: "/srv/job").fileRoots == ["/srv/job"])
        #expect(settings(try NodeReading("{}")).fileRoots == ["/srv/job"])
        #expect(settings(try NodeReading(#"{"fileRoots": []}"#)).fileRoots.isEmpty)
        let roots = settings(try NodeReading(#"{"fileRoots": ["a/../b", "..", "/c"]}"#)).fileRoots
        #expect(roots == ["/srv/job/b", "/srv", "/c"])
    }

    @Test("schemes are those that are named, or all")
    func schemes() throws {
        #expect(settings(try NodeReading("{}")).schemes == ["https", "http", "s3", "ftp", "data", "file"])
        #expect(settings(try NodeReading(#"{"schemes": ["https"]}"#)).schemes == ["https"])
        #expect(settings(try NodeReading(#"{"schemes": []}"#)).schemes.isEmpty)
    }
}
