import Files
import Foundation
import LoopbackServer
import Nuke
import Synchronization
import TestSupport
import Testing

/// A ``DataLoader`` puts the challenge of a 401 to its delegate, and judges the final answer.
@Suite(.timeLimit(.minutes(10)))
struct SessionAuthenticationTests {
    private static let basic = ("WWW-Authenticate", "Basic realm=\"photos\"")

    /// A server that wants `me:secret`, by Basic.
    private static func server() throws -> LoopbackServer {
        try LoopbackServer { request in
            if request.path == "/moved" { return .redirect(to: "/photo") }
            let isKnown = request.headers["authorization"] == "Basic bWU6c2VjcmV0"
            return isKnown ? .data(Data("photo".utf8)) : .status(401, headers: [basic])
        }
    }

    private func isRejected(_ outcome: LoadOutcome, with status: Int = 401) -> Bool {
        guard case .statusCodeUnacceptable(status)? = outcome.error as? DataLoader.Error else { return false }
        return outcome.chunks.isEmpty && outcome.completions == 1 && !outcome.isLate
    }

    @Test("a credential of the delegate answers a Basic challenge", arguments: [true, false])
    func answersBasic(isLate: Bool) async throws {
        let server = try Self.server()
        let keeper = Keeper(isLate: isLate) { _ in (.useCredential, ("me", "secret")) }
        let loader = DataLoader()
        loader.delegate = keeper
        let outcome = await loader.load(server.url("/photo"))
        #expect(outcome.text == "photo" && outcome.error == nil && outcome.completions == 1)
        #expect(outcome.httpResponse?.statusCode == 200)
        #expect(keeper.challenges.map(\.realm) == ["photos"])
        #expect(keeper.challenges.map(\.method) == [NSURLAuthenticationMethodHTTPBasic])
        // The user sees one load: the answer to the first request is no answer.
        #expect(keeper.events == ["challenge 0", "response 200", "data", "end"])
        #expect(server.requests.count == 2)
    }

    @Test("a credential of the delegate answers a Digest challenge", arguments: ["MD5", "SHA-256"])
    func answersDigest(algorithm: String) async throws {
        let digest = algorithm == "MD5" ? Digest.md5 : .sha256
        let challenge =
            "Digest realm=\"a, \\\"b\\\"\", nonce=\"n1\", qop=\"auth-int, auth\", opaque=\"o\", algorithm=\(algorithm)"
        let server = try LoopbackServer { request in
            let sent = request.headers["authorization"] ?? ""
            func field(_ name: String) -> String {
                guard let start = sent.range(of: "\(name)=\"") else { return "" }
                return String(sent[start.upperBound...].prefix { $0 != "\"" })
            }
            let secret = digest.hex(of: "me:a, \"b\":secret")
            let action = digest.hex(of: "GET:/photo?a=%20b")
            let proof = digest.hex(of: "\(secret):n1:00000001:\(field("cnonce")):auth:\(action)")
            let isKnown = field("response") == proof && field("uri") == "/photo?a=%20b"
            // The weaker scheme is not chosen.
            return isKnown
                ? .data(Data("photo".utf8))
                : .status(401, headers: [Self.basic, ("WWW-Authenticate", challenge)])
        }
        let keeper = Keeper { _ in (.useCredential, ("me", "secret")) }
        let loader = DataLoader()
        loader.delegate = keeper
        let outcome = await loader.load(server.url("/photo?a=%20b"))
        #expect(outcome.text == "photo" && outcome.error == nil)
        #expect(keeper.challenges.map(\.method) == [NSURLAuthenticationMethodHTTPDigest])
        #expect(server.requests.count == 2)
    }

    @Test("a nonce that is too old is renewed without another question")
    func renewsNonces() async throws {
        let server = try LoopbackServer { request in
            let sent = request.headers["authorization"] ?? ""
            if sent.contains("nonce=\"new\"") { return .data(Data("photo".utf8)) }
            let text = sent.isEmpty ? "nonce=\"old\"" : "nonce=\"new\", stale=true"
            return .status(401, headers: [("WWW-Authenticate", "Digest realm=\"r\", " + text)])
        }
        let keeper = Keeper { _ in (.useCredential, ("me", "secret")) }
        let loader = DataLoader()
        loader.delegate = keeper
        #expect(await loader.load(server.url()).text == "photo")
        #expect(keeper.challenges.count == 1 && server.requests.count == 3)
    }

    @Test("wrong credentials end as the 401 once the delegate has no other")
    func judgesWrongCredentials() async throws {
        let server = try Self.server()
        let loader = DataLoader()
        let stubborn = Keeper { _ in (.useCredential, ("me", "wrong")) }
        loader.delegate = stubborn
        #expect(isRejected(await loader.load(server.url("/photo"))))
        #expect(stubborn.challenges.map(\.failures) == [0, 1] && server.requests.count == 2)
        let second = Keeper {
            ($0.failures < 2 ? .useCredential : .performDefaultHandling, ("me", "\($0.failures)"))
        }
        loader.delegate = second
        #expect(isRejected(await loader.load(server.url("/photo"))))
        #expect(second.challenges.map(\.failures) == [0, 1, 2] && server.requests.count == 5)
        let third = Keeper { (.useCredential, ("me", $0.failures == 0 ? "wrong" : "secret")) }
        loader.delegate = third
        #expect(await loader.load(server.url("/photo")).text == "photo")
    }

    @Test("without a credential the 401 is judged", arguments: [true, false])
    func judgesWithoutCredential(isLate: Bool) async throws {
        let server = try Self.server()
        let dispositions: [URLSession.AuthChallengeDisposition] = [
            .performDefaultHandling, .rejectProtectionSpace, .useCredential,
        ]
        for disposition in dispositions {
            let loader = DataLoader()
            let keeper = Keeper(isLate: isLate) { _ in (disposition, nil) }
            loader.delegate = keeper
            #expect(isRejected(await loader.load(server.url("/photo"))))
            #expect(keeper.challenges.count == 1)
        }
        let loader = DataLoader()
        loader.delegate = Keeper(isLate: isLate) { _ in (.cancelAuthenticationChallenge, nil) }
        #expect((await loader.load(server.url("/photo")).error as? URLError)?.code == .cancelled)
    }

    @Test("without a delegate, and with one that knows no challenges, the 401 is judged")
    func judgesWithoutDelegate() async throws {
        let server = try Self.server()
        let loader = DataLoader()
        #expect(isRejected(await loader.load(server.url("/photo"))))
        loader.delegate = Deaf()
        #expect(isRejected(await loader.load(server.url("/photo"))))
        #expect(server.requests.count == 2)
    }

    @Test("a 401 that the validation accepts arrives whole and ends", arguments: [nil, false, true])
    func deliversAnAcceptedAnswer(isLate: Bool?) async throws {
        let body = Data(count: 300_000)
        let server = try LoopbackServer { _ in .init(status: 401, headers: [Self.basic], body: .data(body)) }
        let loader = DataLoader { _ in nil }
        let keeper = isLate.map { Keeper(isLate: $0) { _ in (.performDefaultHandling, nil) } }
        loader.delegate = keeper
        let outcome = await loader.load(server.url())
        #expect(outcome.error == nil && outcome.body == body)
        #expect(outcome.httpResponse?.statusCode == 401)
        #expect(outcome.completions == 1 && !outcome.isLate)
    }

    @Test("a proxy's 407, and a challenge in an unknown scheme, are judged")
    func judgesOtherChallenges() async throws {
        let server = try LoopbackServer { request in
            request.path == "/proxy"
                ? .status(407, headers: [("Proxy-Authenticate", "Basic realm=\"proxy\"")])
                : .status(401, headers: [("WWW-Authenticate", "Bearer realm=\"tokens\"")])
        }
        let loader = DataLoader()
        let keeper = Keeper { _ in (.useCredential, ("me", "secret")) }
        loader.delegate = keeper
        #expect(isRejected(await loader.load(server.url("/proxy")), with: 407))
        #expect(isRejected(await loader.load(server.url("/token"))))
        #expect(keeper.challenges.isEmpty && server.requests.count == 2)
    }

    @Test("a credential follows no redirect to another origin")
    func keepsCredentialsFromOthers() async throws {
        let other = try LoopbackServer { _ in .data(Data("there".utf8)) }
        let target = other.url("/there").absoluteString
        let server = try LoopbackServer { request in
            request.headers["authorization"] == nil
                ? .status(401, headers: [Self.basic]) : .redirect(to: target)
        }
        let loader = DataLoader()
        loader.delegate = Keeper { _ in (.useCredential, ("me", "secret")) }
        #expect(await loader.load(server.url()).text == "there")
        #expect(other.requests.map { $0.headers["authorization"] } == [nil])
    }

    @Test("a redirect to a challenge is answered where it leads")
    func answersAfterARedirect() async throws {
        let server = try Self.server()
        let loader = DataLoader()
        loader.delegate = Keeper { _ in (.useCredential, ("me", "secret")) }
        #expect(await loader.load(server.url("/moved")).text == "photo")
        #expect(server.requests.map(\.path) == ["/moved", "/photo", "/photo"])
    }

    @Test("a load that is cancelled while the delegate decides tells the delegate alone")
    func endsWhileAsking() async throws {
        let server = try Self.server()
        let loader = DataLoader()
        let keeper = Keeper { _ in nil }
        loader.delegate = keeper
        let recorder = LoadRecorder()
        let load = recorder.start(URLRequest(url: server.url("/photo")), on: loader)
        await keeper.question()
        load.cancel()
        try await eventually { keeper.events.contains { $0.hasPrefix("end") } }
        #expect(recorder.outcome.completions == 0)
    }

    @Test("early hints come before the answer and are not it")
    func ignoresEarlyHints() async throws {
        let answer =
            "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
            + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nphoto"
        let server = try LoopbackServer { _ in .init(body: .raw(Data(answer.utf8))) }
        let keeper = Keeper { _ in (.performDefaultHandling, nil) }
        let loader = DataLoader()
        loader.delegate = keeper
        let outcome = await loader.load(server.url())
        #expect(outcome.text == "photo" && outcome.error == nil)
        #expect(outcome.httpResponse?.statusCode == 200)
        #expect(keeper.events == ["response 200", "data", "end"])
    }
}

/// A delegate that implements nothing.
private final class Deaf: NSObject, URLSessionDataDelegate, Sendable {}

/// A delegate that decides about challenges, and keeps the record.
private final class Keeper: NSObject, URLSessionDataDelegate, Sendable {
    struct Challenge: Sendable {
        let realm: String?
        let method: String
        let failures: Int
    }

    typealias Answer = (URLSession.AuthChallengeDisposition, (user: String, password: String)?)

    private let isLate: Bool
    private let decide: @Sendable (Challenge) -> Answer?
    private let state = Mutex<(challenges: [Challenge], events: [String])>(([], []))
    private let asked = AsyncStream<Void>.makeStream()

    var challenges: [Challenge] { state.withLock { $0.challenges } }
    var events: [String] { state.withLock { $0.events } }

    /// Answers at once, or with `isLate` from another thread, when the whole response may have come; nil never answers.
    init(isLate: Bool = false, _ decide: @escaping @Sendable (Challenge) -> Answer?) {
        self.isLate = isLate
        self.decide = decide
    }

    /// Suspends until the first challenge.
    func question() async {
        for await _ in asked.stream { return }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let seen = Challenge(
            realm: challenge.protectionSpace.realm,
            method: challenge.protectionSpace.authenticationMethod,
            failures: challenge.previousFailureCount
        )
        state.withLock {
            $0.challenges.append(seen)
            $0.events.append("challenge \(seen.failures)")
        }
        asked.continuation.yield()
        guard let (disposition, login) = decide(seen) else { return }
        let answer = { @Sendable in
            let credential = login.map {
                URLCredential(user: $0.user, password: $0.password, persistence: .none)
            }
            completionHandler(disposition, credential)
        }
        guard isLate else { return answer() }
        // The session's queue is serial: what has arrived by now is delivered before.
        session.delegateQueue.addOperation { Thread.detachNewThread(answer) }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        state.withLock { $0.events.append("response \(status)") }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        state.withLock { $0.events.append("data") }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        state.withLock { $0.events.append("end") }
    }
}
