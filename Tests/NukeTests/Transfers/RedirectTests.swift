import Foundation
import LoopbackServer
import Nuke
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RedirectTests {
    @Test(arguments: [
        ("POST", 301, "GET"), ("POST", 302, "GET"), ("POST", 303, "GET"), ("POST", 307, "POST"),
        ("POST", 308, "POST"),
        ("PUT", 302, "PUT"), ("PUT", 303, "GET"), ("HEAD", 303, "HEAD"), ("GET", 301, "GET"),
    ])
    func keepsOrChangesTheMethod(method: String, status: Int, expected: String) async throws {
        let server = try LoopbackServer { request in
            request.path == "/end" ? .data(Data("x".utf8)) : .redirect(to: "end", status: status)
        }
        var request = URLRequest(url: server.url("/start"))
        request.httpMethod = method
        if method == "POST" || method == "PUT" { request.httpBody = Data("body".utf8) }
        #expect(await CurlDataLoader().load(request).error == nil)
        #expect(server.requests.last?.method == expected)
        let keepsBody = expected == method && request.httpBody != nil
        #expect(server.requests.last?.body == (keepsBody ? Data("body".utf8) : Data()))
    }

    @Test func credentialsDoNotFollowToAnotherOrigin() async throws {
        let other = try LoopbackServer { _ in .data(Data("x".utf8)) }
        let server = try LoopbackServer { request in
            request.path == "/same" ? .redirect(to: other.address + "/x") : .redirect(to: "/same")
        }
        var configuration = CurlDataLoader.Configuration()
        configuration.limits.headers = ["X-Key": "secret"]
        var request = URLRequest(url: server.url("/start"))
        for name in ["Authorization", "Cookie", "X-Token"] {
            request.setValue("secret", forHTTPHeaderField: name)
        }
        request.setValue("image/png", forHTTPHeaderField: "Accept")
        #expect(await CurlDataLoader(configuration: configuration).load(request).error == nil)
        #expect(server.requests.map { $0.headers["authorization"] } == ["secret", "secret"])
        let headers = try #require(other.requests.first?.headers)
        #expect(!headers.values.contains("secret"))
        #expect(headers["accept"] == "image/png")
        #expect(headers["user-agent"] == "Nuke")
    }

    @Test("limits of a host hold in whatever spelling", arguments: ["127.0.0.1", "127.1", "0x7F000001"])
    func anotherOriginGetsItsOwnHeaderFields(host: String) async throws {
        let other = try LoopbackServer { _ in .data(Data("x".utf8)) }
        let server = try LoopbackServer { _ in .redirect(to: other.address + "/x") }
        var configuration = CurlDataLoader.Configuration()
        configuration.hosts["\(host):\(other.port)"] = .init()
        configuration.hosts["\(host):\(other.port)"]?.headers = ["X-Own": "yes"]
        #expect(await CurlDataLoader(configuration: configuration).load(server.url()).error == nil)
        #expect(server.requests.first?.headers["x-own"] == nil)
        #expect(other.requests.first?.headers["x-own"] == "yes")
    }

    @Test func followsNoMoreThanAllowed() async throws {
        let server = try LoopbackServer { request in
            let number = Int(request.path.dropFirst()) ?? 0
            return number == 5 ? .data(Data("x".utf8)) : .redirect(to: "/\(number + 1)")
        }
        #expect(await CurlDataLoader().load(server.url("/0")).error == nil)
        var configuration = CurlDataLoader.Configuration()
        configuration.limits.maxRedirects = 4
        let outcome = await CurlDataLoader(configuration: configuration).load(server.url("/0"))
        #expect(outcome.loadingError?.reason == .redirects)
    }

    @Test func endsACircle() async throws {
        let server = try LoopbackServer { $0.path == "/a" ? .redirect(to: "/b") : .redirect(to: "/a") }
        #expect(await CurlDataLoader().load(server.url("/a")).loadingError?.reason == .redirects)
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [
        ("file:///etc/passwd", DataLoadingError.Reason.scheme), ("ftp://127.0.0.1/x", .scheme),
        ("gopher://127.0.0.1/", .scheme),
        ("http://[::1", .badURL), ("http://", .badURL), ("javascript:alert(1)", .scheme), ("", .redirects),
    ])
    func checksEachHop(location: String, reason: DataLoadingError.Reason) async throws {
        let server = try LoopbackServer { _ in .redirect(to: location) }
        let error = await CurlDataLoader().load(server.url("/start")).loadingError
        #expect(error?.reason == reason || error?.reason == .badURL, "\(String(describing: error))")
        #expect(server.requests.count == 1)
    }

    @Test func checksTheAddressOfEachHop() async throws {
        let inner = try LoopbackServer { _ in .data(Data("secret".utf8)) }
        let server = try LoopbackServer { _ in .redirect(to: "http://127.0.0.2:\(inner.port)/") }
        var configuration = CurlDataLoader.Configuration()
        configuration.addressPolicy = try AddressPolicy(allow: ["127.0.0.1"])
        let error = await CurlDataLoader(configuration: configuration).load(server.url()).loadingError
        #expect(error?.reason == .address)
        #expect(inner.requests.isEmpty)
    }

    @Test func takesARedirectWithoutLocationForAnAnswer() async throws {
        let server = try LoopbackServer { _ in .status(302) }
        #expect(await CurlDataLoader().load(server.url()).loadingError?.statusCode == 302)
    }

    @Test(
        "a Location is the same bytes in the request, but for what no URL may hold",
        arguments: [
            ("/a%20b[1].png", "/a%20b%5B1%5D.png", ""), ("/a?b[]=%20&c={}", "/a", "b%5B%5D=%20&c=%7B%7D"),
            ("/é", "/%C3%A9", ""), ("/\u{FF}", "/%FF", ""),
        ]
    )
    func spellsTheTarget(location: String, path: String, query: String) async throws {
        let server = try LoopbackServer { request in
            guard request.path == "/start" else { return .data(Data("x".utf8)) }
            // The last one is no UTF-8.
            let head = "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: \(location)\r\n\r\n"
            return .init(body: .raw(head.data(using: location == "/\u{FF}" ? .isoLatin1 : .utf8) ?? Data()))
        }
        #expect(await CurlDataLoader().load(server.url("/start")).error == nil)
        #expect(server.requests.last?.path == path && server.requests.last?.query == query)
    }

    @Test func aUserStaysAtItsOrigin() async throws {
        let other = try LoopbackServer { _ in .data(Data("x".utf8)) }
        let server = try LoopbackServer { request in
            switch request.path {
            case "/start": .redirect(to: "http://\(request.headers["host"] ?? "")/absolute")
            case "/absolute": .redirect(to: "relative")
            case "/relative": .redirect(to: "http://other:x@\(request.headers["host"] ?? "")/own")
            default: .redirect(to: other.address)
            }
        }
        let url = try #require(URL(string: "http://a%40b:p%3Aw@127.0.0.1:\(server.port)/start"))
        #expect(await CurlDataLoader().load(url).error == nil)
        let (user, own) = ("Basic YUBiOnA6dw==", "Basic b3RoZXI6eA==")
        #expect(server.requests.map { $0.headers["authorization"] } == [user, user, user, own])
        #expect(other.requests.map { $0.headers["authorization"] } == [nil])
    }
}
