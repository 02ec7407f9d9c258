import Foundation
import LoopbackServer
import Nuke
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct NetworkLogTests {
    private func loader(
        _ log: NetworkLog,
        _ change: (inout CurlDataLoader.Configuration) -> Void = { _ in }
    ) -> CurlDataLoader {
        var configuration = CurlDataLoader.Configuration()
        configuration.observer = log.observer
        change(&configuration)
        return CurlDataLoader(configuration: configuration)
    }

    @Test func tellsEachTransferOfALoad() async throws {
        let server = try LoopbackServer { request in
            request.path == "/a" ? .redirect(to: "/b") : .data(Data(count: 1_000), type: "image/png")
        }
        let log = NetworkLog()
        let loader = loader(log) { $0.rateLimiter = HostRateLimiter() }
        _ = await loader.load(server.url("/a"))
        _ = await loader.load(server.url("/b"))
        let entries = log.entries
        #expect(entries.map(\.status) == [302, 200, 200])
        #expect(entries.map(\.redirects) == [0, 1, 0])
        #expect(entries.map(\.attempt) == [1, 1, 1])
        #expect(entries[0].request == entries[1].request)
        #expect(entries[1].request != entries[2].request)
        #expect(entries[1].url == server.address + "/b")
        #expect(entries[1].responseBodyBytes == 1_000)
        #expect(entries[1].protocolName == "HTTP/1.1")
        #expect(entries[1].address == "127.0.0.1")
        #expect(entries.map(\.isConnectionReused) == [false, true, true])
        #expect(entries[0].timings.connect != nil)
        #expect(entries[1].timings.connect == nil && entries[1].timings.dns == nil)
        #expect(entries.allSatisfy { $0.timings.ssl == nil && $0.timings.blocked != nil })
        #expect(entries.allSatisfy { $0.timings.wait > .zero && $0.timings.receive >= .zero })
        #expect(entries.allSatisfy { $0.source == .network && $0.error == nil })
    }

    @Test func hidesSecrets() async throws {
        let server = try LoopbackServer { request in
            .redirect(to: "http://user:secret@127.0.0.1:1/x?token=secret", status: 302)
        }
        var configuration = NetworkLog.Configuration()
        configuration.redaction.headers = ["x-key"]
        let log = NetworkLog(configuration: configuration)
        var request = URLRequest(
            url: try #require(
                URL(string: "http://me:secret@127.0.0.1:\(server.port)/a?secret&k=secret#secret")
            )
        )
        for name in ["Authorization", "Cookie", "X-Key", "Proxy-Authorization"] {
            request.setValue("secret", forHTTPHeaderField: name)
        }
        request.setValue("http://a.example/?q=secret", forHTTPHeaderField: "Referer")
        request.setValue("image/png", forHTTPHeaderField: "Accept")
        _ = await loader(log) { $0.limits.authentication = .basic(user: "u", password: "secret") }.load(
            request
        )
        #expect(log.entries.count == 2)
        let har = String(decoding: try log.har(), as: UTF8.self)
        #expect(!har.contains("secret"))
        #expect(!"\(log.entries)".contains("secret"))
        #expect(har.contains("image/png") && har.contains("redacted"))
        // The control: a name that nobody said is a secret is there.
        request.setValue("public", forHTTPHeaderField: "X-Other")
        _ = await loader(log).load(request)
        #expect(String(decoding: try log.har(), as: UTF8.self).contains("public"))
    }

    @Test("credentials that an answer repeats are hidden, also by a host that a redirect leads to")
    func hidesEchoes() async throws {
        let second = try LoopbackServer { _ in .init(headers: [("X-Echo", "me:s3cret+word, k%65y-4711")]) }
        let server = try LoopbackServer { request in
            let token = request.headers["authorization"] ?? ""
            return .init(
                status: 302,
                headers: [
                    ("Location", "\(second.address)/k%65y-4711/a?b"), ("X-Echo", "<\(token)>"),
                    ("X-Token", "\(token.dropFirst(6))"), ("X-Key", "key-4711"), ("X-Open", "open"),
                ]
            )
        }
        var configuration = NetworkLog.Configuration()
        configuration.redaction.shownRequestHeaders = ["accept"]
        let log = NetworkLog(configuration: configuration)
        var request = URLRequest(url: server.url("/a"))
        let token = Data("me:s3cret+word".utf8).base64EncodedString()
        request.setValue("Basic \(token)", forHTTPHeaderField: "Authorization")
        request.setValue("key-4711", forHTTPHeaderField: "X-Key")
        request.setValue("image/png", forHTTPHeaderField: "Accept")
        _ = await loader(log).load(request)
        let har = String(decoding: try log.har(), as: UTF8.self)
        for secret in [token, "s3cret", "key-4711", "k%65y"] {
            #expect(!har.contains(secret), "\(secret): \(har)")
        }
        #expect(log.entries.map(\.url) == [server.address + "/a", second.address + "/redacted"])
        #expect(har.contains("image/png") && har.contains("\"open\""))
    }

    @Test("a token in the place of the user is hidden where an answer repeats it", arguments: ["", ":"])
    func hidesTokens(_ end: String) async throws {
        let server = try LoopbackServer { request in
            .init(headers: [("X-Echo", request.headers["authorization"] ?? ""), ("X-User", "ghp-4711")])
        }
        let log = NetworkLog()
        let url = "http://ghp-4711\(end)@127.0.0.1:\(server.port)/ghp-4711"
        _ = await loader(log).load(try #require(URL(string: url)))
        let har = String(decoding: try log.har(), as: UTF8.self)
        for secret in ["ghp-4711", Data("ghp-4711:".utf8).base64EncodedString()] {
            #expect(!har.contains(secret), "\(secret): \(har)")
        }
        #expect(har.contains("X-User"))
    }

    @Test func hidesOfQueriesWhatItIsTold() async throws {
        let server = try LoopbackServer { _ in .data(Data("x".utf8)) }
        var configuration = NetworkLog.Configuration()
        configuration.redaction.query = .values(of: ["Sig nature"])
        let log = NetworkLog(configuration: configuration)
        _ = await loader(log).load(server.url("/a?w=10&sig%20nature=secret&flag&SIG+NATURE=secret"))
        #expect(
            log.entries.first?.url
                == server.address + "/a?w=10&sig%20nature=redacted&flag&SIG+NATURE=redacted"
        )
    }

    @Test func keepsTheNewestEntries() async throws {
        let server = try LoopbackServer { _ in .data(Data("x".utf8)) }
        var configuration = NetworkLog.Configuration()
        configuration.maxEntries = 3
        let log = NetworkLog(configuration: configuration)
        let loader = loader(log)
        for number in 0..<5 { _ = await loader.load(server.url("/\(number)")) }
        #expect(log.entries.map { $0.url.suffix(2) } == ["/2", "/3", "/4"])
        configuration.maxBytes = 1
        let small = NetworkLog(configuration: configuration)
        _ = await self.loader(small).load(server.url("/"))
        #expect(small.entries.isEmpty)
        log.removeAll()
        #expect(log.entries.isEmpty)
    }

    @Test func tiesTheAttemptsOfALoaderTogether() async throws {
        let answers = Order()
        let server = try LoopbackServer { _ in
            answers.append(0)
            return answers.numbers.count < 3 ? .status(503) : .data(Data("x".utf8))
        }
        let log = NetworkLog()
        let loader = log.watching(TwiceMore(loader: loader(log)), reportsTransfers: true)
        #expect(await loader.load(server.url()).error == nil)
        #expect(log.entries.map(\.status) == [503, 503, 200])
        #expect(log.entries.map(\.attempt) == [1, 2, 3])
        #expect(Set(log.entries.map(\.request)).count == 1)
    }

    @Test func watchesAnyLoader() async throws {
        let server = try LoopbackServer { request in
            request.path == "/gone" ? .status(410) : .data(Data(count: 10), type: "image/png")
        }
        let log = NetworkLog()
        let loader = log.watching(DataLoader())
        _ = await loader.load(server.url("/a?b=c"))
        _ = await loader.load(server.url("/gone"))
        #expect(log.entries.map(\.url) == [server.address + "/a?b=redacted", server.address + "/gone"])
        #expect(log.entries.map(\.status) == [200, nil])
        #expect(log.entries.map(\.responseBodyBytes) == [10, 0])
        #expect(log.entries.map { $0.error == nil } == [true, false])
        #expect(log.entries.allSatisfy { $0.source == .network })
    }

    @Test func tellsWhatACacheHasAnswered() async throws {
        let server = try LoopbackServer { _ in .data(Data("x".utf8)) }
        let log = NetworkLog()
        // Reads of itself what the network would not be asked for.
        let loader = log.watching(
            loader(log) { $0.schemes = ["http", "data"] },
            reportsTransfers: true
        )
        _ = await loader.load(server.url())
        _ = await loader.load(try #require(URL(string: "data:,x")))
        #expect(log.entries.map(\.source) == [.network, .cache])
    }

    @Test func exportsAnHTTPArchive() async throws {
        let server = try LoopbackServer { _ in .data(Data(count: 10), type: "image/png") }
        let log = NetworkLog()
        let loader = loader(log)
        _ = await loader.load(server.url("/a?b=c"))
        _ = await loader.load(try #require(URL(string: "http://127.0.0.1:1/refused")))
        let archive = try #require(JSONSerialization.jsonObject(with: log.har()) as? [String: Any])
        let top = try #require(archive["log"] as? [String: Any])
        #expect(top["version"] as? String == "1.2")
        #expect(Set(try #require(top["creator"] as? [String: Any]).keys) == ["name", "version"])
        let entries = try #require(top["entries"] as? [[String: Any]])
        #expect(entries.count == 2)
        for entry in entries {
            // The names that HAR 1.2 does not call optional.
            for name in ["startedDateTime", "time", "request", "response", "cache", "timings"] {
                #expect(entry[name] != nil, "\(name)")
            }
            let request = try #require(entry["request"] as? [String: Any])
            for name in [
                "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize",
                "bodySize",
            ] { #expect(request[name] != nil, "request.\(name)") }
            let response = try #require(entry["response"] as? [String: Any])
            for name in [
                "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL",
                "headersSize", "bodySize",
            ] { #expect(response[name] != nil, "response.\(name)") }
            let content = try #require(response["content"] as? [String: Any])
            #expect(content["size"] is NSNumber && content["mimeType"] is String)
            let timings = try #require(entry["timings"] as? [String: Double])
            for name in ["send", "wait", "receive"] { #expect(try #require(timings[name]) >= 0, "\(name)") }
            let sum = timings.filter { $0.key != "ssl" }.values.reduce(0) { $0 + max($1, 0) }
            #expect(abs(sum - (try #require(entry["time"] as? Double))) < 0.001)
            let start = try #require(entry["startedDateTime"] as? String)
            #expect(start.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d)/#) != nil)
        }
        let query = try #require(
            (entries[0]["request"] as? [String: Any])?["queryString"] as? [[String: String]]
        )
        #expect(query == [["name": "b", "value": "redacted"]])
        #expect((entries[1]["response"] as? [String: Any])?["status"] as? Int == 0)
        #expect(entries[1]["_error"] is String)
    }
}

/// Tries up to three times, as a loader that retries does.
private struct TwiceMore: DataLoading {
    let loader: any DataLoading

    func loadData(
        with request: URLRequest,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) -> any Cancellable {
        Attempts {
            for number in 1...3 {
                let outcome = await loader.load(request)
                guard outcome.error == nil || number == 3 else { continue }
                if let response = outcome.response { didReceiveData(outcome.body, response) }
                return completion(outcome.error)
            }
        }
    }

    private struct Attempts: Cancellable {
        let task: Task<Void, Never>

        init(_ work: @escaping @Sendable () async -> Void) {
            task = Task { await work() }
        }

        func cancel() {
            task.cancel()
        }
    }
}
