import Foundation
import LoopbackServer
import Testing
import Transport

@Suite(.timeLimit(.minutes(10)))
struct AddressPolicyTests {
    @Test(arguments: [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.254", "127.0.0.1",
        "127.255.255.254", "168.63.129.16", "::ffff:168.63.129.16", "64:ff9b::168.63.129.16",
        "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.5",
        "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.9",
        "224.0.0.1",
        "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
        "::127.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::1", "100::1",
        "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:2::1", "2001:10::1", "2001:db8::1",
        "2002:7f00:1::", "2002:808:808::1", "3fff::1", "5f00::1", "fc00::1", "fd12::1", "fe80::1", "fec0::1",
        "ff02::1", "2606:4700::5efe:10.0.0.1", "2606:4700::200:5efe:127.0.0.1",
    ])
    func refusesAddressesThatAreNotPublic(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(!AddressPolicy.publicOnly.permits(address, host: "example.com"))
        #expect(AddressPolicy.any.permits(address, host: "example.com"))
    }

    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "93.184.216.34", "100.63.255.255", "100.128.0.0", "172.15.255.255",
        "172.32.0.0", "168.63.129.15", "168.63.129.17",
        "192.0.1.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
        "2606:4700::1111", "2001:4860:4860::8888", "2a00:1450::1", "2606:4700::5efe:8.8.8.8",
    ])
    func permitsPublicAddresses(text: String) throws {
        #expect(AddressPolicy.publicOnly.permits(try #require(IPAddress(text)), host: "example.com"))
    }

    @Test(
        "the addresses at which a cloud serves credentials",
        arguments: [
            "169.254.0.0", "169.254.169.254", "169.254.255.255", "168.63.129.16", "::ffff:169.254.169.254",
            "64:ff9b::169.254.169.254", "64:ff9b::168.63.129.16", "fe80::1", "febf::1", "fd00:ec2::254",
        ]
    )
    func cloud(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(!AddressPolicy.anyService.permits(address, host: "example.com"))
    }

    @Test(
        "a service may be anywhere else",
        arguments: [
            "127.0.0.1", "10.0.0.1", "192.168.1.1", "169.253.255.255", "169.255.0.0", "168.63.129.17", "::1",
            "fd00:ec2::253", "fd00:ec2::1:254", "fec0::1", "fe7f::1", "64:ff9b::10.0.0.1", "8.8.8.8",
        ]
    )
    func services(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(AddressPolicy.anyService.permits(address, host: "example.com"))
    }

    @Test func permitsWhatIsAllowed() throws {
        let policy = try AddressPolicy(allow: [
            "10.0.0.0/8", "127.0.0.1", "LocalHost.", "fd00::/8", "[::1]", "192.168.7.7/32", "fc00::9/128",
        ])
        let permits = { (text: String, host: String) in
            try policy.permits(#require(IPAddress(text)), host: host)
        }
        #expect(try permits("10.200.3.4", "a"))
        #expect(try permits("127.0.0.1", "a"))
        #expect(try permits("::ffff:127.0.0.1", "a"))
        #expect(try !permits("127.0.0.2", "a"))
        #expect(try permits("127.0.0.2", "localhost"))
        #expect(try permits("127.0.0.2", "LOCALHOST."))
        #expect(try permits("192.168.7.7", "a"))
        #expect(try !permits("192.168.7.6", "a"))
        #expect(try permits("fc00::9", "a"))
        #expect(try !permits("fc00::8", "a"))
        #expect(try permits("::1", "a"))
        #expect(try permits("fd00::7", "a"))
        #expect(try !permits("fc00::7", "a"))
        #expect(try permits("11.0.0.1", "a"))
        #expect(try !permits("192.168.0.1", "localhost.example.com"))
    }

    @Test(arguments: [
        "", "10.0.0", "2130706433", "0x7f000001", "10.0.0.0/33", "fd00::/129", "a b", "/8", "10.0.0.0/",
        "a..b", "*", ".", "é é", "10.0.0.0/+8", "10.0.0.0/\u{301}8",
    ])
    func refusesEntriesThatAreNone(entry: String) {
        #expect(throws: AddressPolicyError.self) { try AddressPolicy(allow: [entry]) }
    }

    /// Every spelling of a local address that is resolved without a name server, tried against a listener.
    @Test func noSpellingReachesALocalListener() async throws {
        let server = try LoopbackServer { _ in .status(200) }
        var configuration = TransportConfiguration()
        configuration.addressPolicy = .publicOnly
        let guarded = Transport(configuration: configuration)
        let open = Transport()
        var reached = 0
        for host in Self.spellings {
            let url = "http://\(host):\(server.port)/"
            let bare = host.trimmingCharacters(in: ["[", "]"])
            let refused = await guarded.run(TransferRequest(url: url, host: bare))
            #expect(refused.error != nil, "\(host)")
            #expect(refused.head == nil, "\(host)")
            guard Self.reaching.contains(host) else { continue }
            let error = await open.run(TransferRequest(url: url, host: bare)).error
            #expect(error == nil, "\(host)")
            if error == nil { reached += 1 }
        }
        #expect(server.requests.count == reached)
    }

    @Test func saysHowToAllowAnAddress() async throws {
        let server = try LoopbackServer { _ in .status(200) }
        var configuration = TransportConfiguration()
        configuration.addressPolicy = .publicOnly
        let error = await Transport(configuration: configuration).run(
            TransferRequest(url: "http://localhost:\(server.port)/", host: "localhost")
        ).error
        #expect(error?.reason == .address)
        let remedy = "\"localhost\" to the AddressPolicy(allow:) of configuration.addressPolicy to reach it"
        #expect(error?.message.hasSuffix(remedy) == true, "\(String(describing: error))")
        #expect(error?.refusedAddress?.host == "localhost")
        configuration.addressPolicy = try AddressPolicy(allow: ["localhost"])
        let transport = Transport(configuration: configuration)
        let url = "http://localhost:\(server.port)/"
        #expect(await transport.run(TransferRequest(url: url, host: "localhost")).error == nil)
        #expect(await transport.run(TransferRequest(server)).error?.reason == .address)
    }

    @Test(arguments: [
        ("::", "::"), ("::1", "::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
        ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"),
        ("fe80::", "fe80::"), ("::ffff:1.2.3.4", "1.2.3.4"), ("0.0.0.0", "0.0.0.0"),
    ])
    func printsAddresses(text: String, printed: String) throws {
        #expect(try #require(IPAddress(text)).description == printed)
    }

    /// Spellings that libcurl takes for 127.0.0.1.
    static let reaching = [
        "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0x7f.0.0.1", "0177.0.0.1",
        "017700000001", "127.0.0.01", "0x7F.0x0.0x0.0x1", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
        "[0:0:0:0:0:ffff:127.0.0.1]", "localhost", "LOCALHOST", "0", "0.0.0.0", "0x0",
    ]

    static let spellings =
        reaching + [
            "00000177.0.0.1", "127.0.0.1.", "127.000.000.001", "127.65535", "0x7f.0xffffff",
            "127.255.255.254", "127.0.0.2",
            "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::127.0.0.1]", "[::ffff:0:127.0.0.1]",
            "[64:ff9b::7f00:1]",
            "[64:ff9b::127.0.0.1]", "[64:ff9b:1::1]", "[2002:7f00:1::]", "[2002:7f00:1::1]", "[2001::1]",
            "[2001:0:7f00:1::]", "[fe80::1]", "[fc00::1]", "[fd00::1]", "[fec0::1]", "[100::1]",
            "[2001:db8::1]",
            "[3fff::1]", "[5f00::1]", "[ff02::1]", "[2001:2::1]", "[2001:10::1]", "10.0.0.1", "172.16.0.1",
            "192.168.0.1", "169.254.169.254", "0xa9fea9fe", "2852039166", "0251.0376.0251.0376",
            "[::ffff:169.254.169.254]", "100.64.0.1", "192.0.0.1", "192.0.2.1", "192.88.99.1", "198.18.0.1",
            "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
        ]
}
