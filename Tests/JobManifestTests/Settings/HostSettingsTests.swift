@testable import JobManifest
import Testing

@Suite struct HostSettingsTests {
    private static let members = #"""
        "concurrency": 1, "perHost": 2, "rate": "3/m", "burst": 4, "timeout": "5s", "connectTimeout": "6s",
        "totalTimeout": "7s", "maxRedirects": 8, "maxBytes": 9, "bandwidth": 10, "method": "HEAD",
        "headers": {"A": "b"}, "userAgent": "me", "auth": {"bearer": "x"}
        """#

    private func expectAll(_ settings: LoadingSettings) {
        #expect(settings.concurrency == 1 && settings.perHost == 2 && settings.burst == 4)
        #expect(settings.rate == Rate(count: 3, seconds: 60))
        #expect(settings.timeout == .seconds(5) && settings.connectTimeout == .seconds(6))
        #expect(settings.totalTimeout == .seconds(7) && settings.maxRedirects == 8)
        #expect(settings.maxBytes == 9 && settings.bandwidth == 10 && settings.method == .head)
        #expect(settings.headers == ["A": "b"] && settings.userAgent == "me")
        #expect(settings.authorization == .bearer("x"))
    }

    @Test("each key is read into its own setting")
    func keys() throws {
        let reading = try NodeReading("{\(Self.members)}")
        expectAll(LoadingSettings(reading.node))
        #expect(reading.errors.isEmpty)
    }

    @Test("a host has each key as well, and leaves those of all hosts as they are")
    func host() throws {
        let reading = try NodeReading(#"{"hosts": {"a.example": {\#(Self.members)}}}"#)
        var settings = LoadingSettings(reading.node)
        expectAll(try #require(settings.hosts["a.example"]))
        settings.hosts = [:]
        #expect(settings == LoadingSettings(nil) && reading.errors.isEmpty)
    }

    @Test("a host that says nothing has the settings of all hosts, also where those come behind it")
    func inherited() throws {
        let reading = try NodeReading(#"{"hosts": {"a.example": {}}, \#(Self.members)}"#)
        expectAll(try #require(LoadingSettings(reading.node).hosts["a.example"]))
    }

    @Test(
        "the settings for a port come first, then those of the host, then those of all",
        arguments: [
            ("a.example", nil, 2), ("A.EXAMPLE", 80, 2), ("a.example", 8080, 3), ("A.example", 8080, 3),
            ("b.example", 8080, 1), ("c.example", 443, 4), ("c.example", nil, 1), ("c.example", 80, 1),
        ] as [(String, Int?, Int)]
    )
    func ports(host: String, port: Int?, burst: Int) throws {
        let reading = try NodeReading(
            #"""
            {"burst": 1, "hosts": {"a.example": {"burst": 2}, "A.Example:8080": {"burst": 3},
                                   "C.example:443": {"burst": 4}}}
            """#
        )
        #expect(LoadingSettings(reading.node).settings(host: host, port: port).burst == burst)
    }

    @Test(
        "an IPv6 address may stand in brackets, as it does in URLs",
        arguments: [
            ("::1", nil, 2), ("[::1]", 80, 2), ("[0:0::1]", 8080, 3), ("[2001:DB8::1]", 8443, 4),
            ("[2001:db8::1]", 80, 1),
        ] as [(String, Int?, Int)]
    )
    func addresses(host: String, port: Int?, burst: Int) throws {
        let reading = try NodeReading(
            #"""
            {"burst": 1, "hosts": {"[0::1]": {"burst": 2}, "[::1]:8080": {"burst": 3},
                                   "[2001:db8::1]:8443": {"burst": 4}}}
            """#
        )
        #expect(LoadingSettings(reading.node).settings(host: host, port: port).burst == burst)
        #expect(reading.errors.isEmpty, "\(reading.errors)")
    }

    @Test(
        "a host's name in a job finds its settings with a port or without, by its last colon, and a bucket its own",
        arguments: [
            ("a.example", 2), ("a.example:8080", 2), ("a.example:81", 3), ("::1", 4), ("::1:8080", 4),
            ("::2", 1),
            ("s3://photos", 5), ("b.example:8080", 1),
        ]
    )
    func names(name: String, burst: Int) throws {
        let reading = try NodeReading(
            #"""
            {"burst": 1, "hosts": {"a.example": {"burst": 2}, "a.example:81": {"burst": 3}, "::1": {"burst": 4},
                                   "photos": {"burst": 5}}}
            """#
        )
        #expect(LoadingSettings(reading.node).settings(named: name).burst == burst)
    }

    @Test("a bucket that is not named has the rate of buckets, unless the manifest chooses one")
    func buckets() throws {
        for (text, rate) in [("{}", 3000.0), (#"{"rate": "5/s"}"#, 5)] {
            let settings = LoadingSettings(try NodeReading(text).node).settings(named: "s3://photos")
            #expect(settings.rate.perSecond == rate)
        }
    }

    @Test("a host's header takes the place of the same one, in whatever case")
    func headers() throws {
        let reading = try NodeReading(
            #"{"headers": {"A": "1", "B": "2"}, "hosts": {"h": {"headers": {"a": "3", "C": "4"}}, "i": {}}}"#
        )
        let settings = LoadingSettings(reading.node)
        #expect(settings.headers == ["A": "1", "B": "2"])
        #expect(settings.hosts["h"]?.headers == ["B": "2", "a": "3", "C": "4"])
        #expect(settings.hosts["i"]?.headers == ["A": "1", "B": "2"])
    }

    @Test(
        "two spellings of one host are told",
        arguments: [
            ("localhost", "LOCALHOST."), ("127.0.0.1", "0x7f.1"), ("::1", "[0:0:0:0:0:0:0:1]"),
            ("bücher.example:81", "xn--bcher-kva.example:81"),
        ]
    )
    func twice(one: String, other: String) throws {
        let reading = try NodeReading(#"{"hosts": {"\#(one)": {}, "b": {}, "\#(other)": {}}}"#)
        _ = LoadingSettings(reading.node)
        #expect(reading.errors.count == 1)
        let reason = ": is \"\(one)\" in another spelling: write the host once"
        #expect(reading.errors.first?.hasSuffix(reason) == true, "\(reading.errors)")
    }

    @Test("what is no host is told", arguments: ["", "a/b", "u@a", "a b", "a\\tb"])
    func wrong(host: String) throws {
        let reading = try NodeReading(#"{"hosts": {"\#(host)": {}}}"#)
        _ = LoadingSettings(reading.node)
        #expect(reading.errors.count == 1)
        #expect(reading.errors.first?.contains("is not a host: write it like") == true, "\(reading.errors)")
    }

    @Test("a host has no hosts, and its errors name it")
    func errors() throws {
        let reading = try NodeReading(#"{"hosts": {"a": {"hosts": {}, "burst": 0}}}"#)
        _ = LoadingSettings(reading.node)
        #expect(reading.errors.count == 2 && reading.errors[0].hasPrefix("hosts.a.hosts: unknown key"))
        #expect(reading.errors[1] == "hosts.a.burst: should be from 1 to 1000000, not 0")
    }

    @Test(
        "a name that no request has is refused",
        arguments: [
            ("a.example", true), ("a.example:8080", true), ("::1", true), ("", false), ("a/b", false),
            ("a@b", false), ("a@\u{301}b", false), ("a b", false), ("é.example", true),
            ("é.example:80", true), ("\u{200D}.example", false),
            ("a.example:0443", false),
            ("a.example:", false), ("a.example:x", false), ("[::1]", true), ("[::1]:8080", true),
            ("[::1]:", false), ("[::1]:x", false), ("[::1", false), ("::1]", false), ("a:b:c", false),
            ("http:::80", false), (":80", false),
        ]
    )
    func names(host: String, isRight: Bool) throws {
        let reading = try NodeReading(#"{"hosts": {"\#(host)": {"burst": 2}}}"#)
        _ = LoadingSettings(reading.node)
        #expect(reading.errors.isEmpty == isRight, "\(reading.errors)")
    }
}
