import Files
import Foundation
import LoopbackServer
import Nuke
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AuthenticationTests {
    /// A loader that says who it is in this way to every host.
    private func loader(
        _ authentication: Authentication,
        _ change: (inout CurlDataLoader.Configuration) -> Void = { _ in }
    ) -> CurlDataLoader {
        var configuration = CurlDataLoader.Configuration()
        configuration.limits.authentication = authentication
        change(&configuration)
        return CurlDataLoader(configuration: configuration)
    }

    @Test(arguments: [
        // The example of RFC 7617, section 2.
        (
            Authentication.basic(user: "Aladdin", password: "open sesame"),
            "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
        ),
        (.bearer(token: "mF_9.B5f-4.1JqM"), "Bearer mF_9.B5f-4.1JqM"),
    ])
    func sendsWhoItIsWithEveryRequest(authentication: Authentication, field: String) async throws {
        let server = try LoopbackServer { _ in .data(Data("x".utf8)) }
        let loader = loader(authentication)
        for _ in 0..<2 { #expect(await loader.load(server.url()).error == nil) }
        #expect(server.requests.map { $0.headers["authorization"] } == [field, field])
    }

    @Test func computesTheDigestOfTheStandardsExample() {
        // RFC 7616, section 3.9.1, with SHA-256: what the servers below hold libcurl to.
        let fields = [
            "username": "Mufasa", "realm": "http-auth@example.org", "uri": "/dir/index.html",
            "nc": "00000001",
            "nonce": "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "qop": "auth",
            "cnonce": "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
        ]
        #expect(
            DigestServer.response(to: fields, password: "Circle of Life")
                == "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"
        )
    }

    @Test func answersADigestChallenge() async throws {
        let server = try LoopbackServer(handler: DigestServer(password: "Circle of Life").respond)
        let right = loader(.digest(user: "Mufasa", password: "Circle of Life"))
        for path in ["/dir/index.html", "/other?x=1"] {
            let outcome = await right.load(server.url(path))
            #expect(outcome.error == nil)
            #expect(outcome.httpResponse?.statusCode == 200)
            #expect(outcome.body == Data("secret page".utf8))
        }
        let before = server.requests.count
        let outcome = await loader(.digest(user: "Mufasa", password: "wrong")).load(server.url())
        #expect(outcome.loadingError?.statusCode == 401)
        #expect(outcome.chunks.isEmpty)
        #expect(outcome.completions == 1)
        #expect(server.requests.count - before == 2)
    }

    @Test func readsNetrc() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("machine 127.0.0.1 login Aladdin password opensesame\n", to: "netrc")
        let server = try LoopbackServer { _ in .data(Data("x".utf8)) }
        #expect(await loader(.netrc(path: file)).load(server.url()).error == nil)
        let credentials = Data("Aladdin:opensesame".utf8).base64EncodedString()
        #expect(server.requests.first?.headers["authorization"] == "Basic \(credentials)")
    }

    @Test func theRequestsOwnFieldGoesBefore() async throws {
        let server = try LoopbackServer { _ in .data(Data("x".utf8)) }
        var request = URLRequest(url: server.url())
        request.setValue("own", forHTTPHeaderField: "Authorization")
        _ = await loader(.basic(user: "a", password: "b")).load(request)
        #expect(server.requests.first?.headers["authorization"] == "own")
    }

    @Test(arguments: [Authentication.basic(user: "a", password: "b"), .bearer(token: "t")])
    func staysWithItsOrigin(authentication: Authentication) async throws {
        let other = try LoopbackServer { _ in .data(Data("x".utf8)) }
        let server = try LoopbackServer { request in
            request.path == "/same" ? .redirect(to: other.address + "/x") : .redirect(to: "/same")
        }
        #expect(await loader(authentication).load(server.url("/start")).error == nil)
        #expect(server.requests.allSatisfy { $0.headers["authorization"] != nil })
        #expect(other.requests.first?.headers["authorization"] == nil)
        let ownLoader = loader(authentication) {
            $0.hosts["127.0.0.1:\(other.port)"] = .init()
            $0.hosts["127.0.0.1:\(other.port)"]?.authentication = .bearer(token: "own")
        }
        #expect(await ownLoader.load(server.url("/start")).error == nil)
        #expect(other.requests.last?.headers["authorization"] == "Bearer own")
    }

    @Test func isForgottenAfterItsTransfer() async throws {
        let other = try LoopbackServer { _ in .data(Data("x".utf8)) }
        let server = try LoopbackServer(handler: DigestServer(password: "p").respond)
        for kind in [Authentication.digest(user: "Mufasa", password: "p"), .basic(user: "a", password: "b")] {
            var configuration = CurlDataLoader.Configuration()
            configuration.hosts["127.0.0.1:\(server.port)"] = .init()
            configuration.hosts["127.0.0.1:\(server.port)"]?.authentication = kind
            // One load after the other, so that the second has the first one's handle.
            let loader = CurlDataLoader(configuration: configuration)
            _ = await loader.load(server.url())
            #expect(await loader.load(other.url()).error == nil)
        }
        #expect(server.requests.contains { $0.headers["authorization"] != nil })
        #expect(other.requests.count == 2)
        #expect(other.requests.allSatisfy { $0.headers["authorization"] == nil })
    }

    @Test("a secret that a redirect leads into another origin's answer is hidden there as well")
    func redirectedSecret() async throws {
        let other = try LoopbackServer { request in
            .init(status: 200, headers: [("X-Path", request.path)], body: .data(Data("x".utf8)))
        }
        let server = try LoopbackServer { request in
            let token = request.headers["authorization"]?.split(separator: " ").last ?? ""
            return .redirect(to: "\(other.address)/a/\(token)/b")
        }
        let told = Texts()
        let loader = loader(.bearer(token: "hush-token-4711")) {
            $0.observer = { told.append($0.head?.headers.first { $0.name == "X-Path" }?.value ?? "") }
        }
        #expect(await loader.load(server.url()).error == nil)
        #expect(other.requests.first?.path == "/a/hush-token-4711/b")
        #expect(other.requests.first?.headers["authorization"] == nil)
        #expect(told.values == ["", "redacted"])
    }

    @Test func isNeverShown() async throws {
        let texts = Texts()
        let server = try LoopbackServer { _ in .status(403) }
        for kind in [
            Authentication.basic(user: "u", password: "secret"), .digest(user: "u", password: "secret"),
            .bearer(token: "secret"),
        ] {
            let loader = loader(kind) {
                $0.limits.clientCertificate = .init(certificate: "/nowhere.pem", password: "secret")
                $0.observer = { record in
                    texts.append("\(record) \(String(reflecting: record))")
                    var dumped = ""
                    dump(record, to: &dumped)
                    texts.append(dumped)
                }
            }
            texts.append("\(loader.configuration) \(String(reflecting: loader.configuration))")
            texts.append("\(String(describing: await loader.load(server.url()).error))")
        }
        #expect(texts.values.count == 12)
        #expect(texts.values.allSatisfy { !$0.contains("secret") })
    }

    @Test(arguments: [
        Authentication.basic(user: "a:b", password: ""), .basic(user: "a", password: "b\r\nX-Injected: 1"),
        .bearer(token: "t\r\nX-Injected: 1"), .bearer(token: ""),
    ])
    func refusesWhatCannotBeSent(authentication: Authentication) async throws {
        let server = try LoopbackServer { _ in .data(Data("x".utf8)) }
        #expect(await loader(authentication).load(server.url()).loadingError?.reason == .protocol)
        #expect(server.requests.isEmpty)
    }
}

private final class Texts: Sendable {
    private let state = Mutex<[String]>([])
    var values: [String] { state.withLock { $0 } }
    func append(_ text: String) { state.withLock { $0.append(text) } }
}

/// Asks for a digest (RFC 7616, with SHA-256) and checks it.
private struct DigestServer {
    let password: String

    @Sendable func respond(_ request: LoopbackServer.Request) -> LoopbackServer.Response {
        let fields = Self.fields(request.headers["authorization"] ?? "")
        let target = request.path + (request.query.isEmpty ? "" : "?" + request.query)
        if fields["uri"] == target, fields["response"] == Self.response(to: fields, password: password) {
            return .data(Data("secret page".utf8))
        }
        let challenge =
            #"Digest realm="http-auth@example.org", qop="auth", algorithm=SHA-256, nonce="7ypf/xlj9XX""#
        return .status(401, headers: [("WWW-Authenticate", challenge)])
    }

    static func response(to fields: [String: String], password: String) -> String {
        func hash(_ names: String...) -> String { Digest.sha256.hex(of: names.joined(separator: ":")) }
        let field = { fields[$0] ?? "" }
        return hash(
            hash(field("username"), field("realm"), password),
            field("nonce"),
            field("nc"),
            field("cnonce"),
            field("qop"),
            hash("GET", field("uri"))
        )
    }

    /// The fields of a header field such as `Digest a="b", c=d`.
    private static func fields(_ text: String) -> [String: String] {
        guard text.hasPrefix("Digest ") else { return [:] }
        let pairs = text.dropFirst("Digest ".count).components(separatedBy: ", ").map {
            $0.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: ["\"", " "]) }
        }
        return Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { first, _ in first }
    }
}
