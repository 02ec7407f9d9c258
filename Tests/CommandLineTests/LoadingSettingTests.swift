import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// The keys of `loading`, each by what a server sees of it.
@Suite(.timeLimit(.minutes(10))) struct LoadingSettingTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
    }

    /// Runs a job of the URLs with `settings`.
    @discardableResult
    private func run(
        _ urls: [String],
        _ settings: String,
        exit: Int32 = 0,
        at location: SourceLocation = #_sourceLocation
    ) async throws -> Program.Outcome {
        let urls = urls.map { "\"\($0)\"" }.joined(separator: ", ")
        try job.write(#""sources": [{"urls": [\#(urls)]}], \#(settings)"#)
        return try await job.run("--fresh", exit: exit, at: location)
    }

    /// Returns the duration of the run's one request from its connection on, in seconds; other work may wait for the disk.
    private func requestSeconds() async throws -> Double {
        let log = try ToldJob.objects(try await job.nukeBatch("log", "job.json", "--json"))
        #expect(log.count == 1)
        let timings = try #require(log.first?["timings"] as? [String: Any])
        let phases = ["connect", "wait", "receive"].compactMap { timings[$0] as? Double }
        return phases.reduce(0, +) / 1000
    }

    /// Returns the duration that a run reports; the test's own clock includes time in which other processes run.
    private func seconds(_ run: Program.Outcome) throws -> Double {
        let text = try #require(run.output.firstMatch(of: /done in ([0-9.]+) s/)).1
        return try #require(Double(text))
    }

    /// Records the highest number of concurrent requests at a server.
    private final class Crowd: Sendable {
        private let counts = Mutex((now: 0, most: 0))
        private let limit: Int
        private let isFull = Gate()
        private let isPassed = Gate()
        var most: Int { counts.withLock { $0.most } }

        init(limit: Int) { self.limit = limit }

        /// Keeps a request until as many as there may be have come at once, however long that takes, and then until
        /// one more has come, or until that would have happened.
        func enter() {
            let now = counts.withLock { counts in
                counts = (counts.now + 1, max(counts.most, counts.now + 1))
                return counts.now
            }
            if now >= limit { isFull.open() }
            isFull.wait()
            if now > limit { isPassed.open() }
            isPassed.wait(atMost: .milliseconds(20))
            counts.withLock { $0.now -= 1 }
        }
    }

    @Test(
        "no more transfers at once than concurrency, nor from a host than perHost; by default six",
        arguments: [
            ("", 6), (#""perHost": 2"#, 2), (#""concurrency": 3"#, 3),
            (#""perHost": 9, "concurrency": 20"#, 9),
        ]
    )
    func transfers(settings: String, most: Int) async throws {
        let crowd = Crowd(limit: most)
        let picture = try TestImages.tiny(1)
        let server = try LoopbackServer { _ in
            crowd.enter()
            return .data(picture)
        }
        let urls = (0..<24).map { "\(server.address)/\($0)" }
        try await run(urls, #""loading": {\#(settings)}"#)
        #expect(crowd.most == most)
    }

    @Test("headers, user agent and authorization are sent; a host's own settings come before them")
    func fields() async throws {
        let server = try LoopbackServer.tinyPictures()
        let base64 = Data("me:secret".utf8).base64EncodedString()
        let settings = """
            "loading": {"headers": {"X-A": "1", "Accept": "image/png"}, "userAgent": "probe/2", "auth": {"bearer": "t0"},
             "hosts": {"localhost": {"headers": {"x-a": "2"}, "userAgent": "other/3",
              "auth": {"basic": {"user": "me", "password": "secret"}}}}},
            "network": {"allow": ["localhost", "127.0.0.1"]}
            """
        try await run(["\(server.address)/1.png", "http://localhost:\(server.port)/2.png"], settings)
        let sent = server.requests.sorted { $0.path < $1.path }.map { request in
            ["x-a", "accept", "user-agent", "authorization"].map { request.headers[$0] ?? "-" }
        }
        #expect(
            sent == [
                ["1", "image/png", "probe/2", "Bearer t0"], ["2", "image/png", "other/3", "Basic \(base64)"],
            ]
        )
        try await run(["\(server.address)/3.png"], #""loading": {}"#)
        #expect(server.requests.last?.headers["user-agent"]?.hasPrefix("nuke-batch/") == true)
    }

    @Test("a host may send more than the others, or less")
    func maxBytesOfHosts() async throws {
        let server = try LoopbackServer.tinyPictures()
        for (all, own, expected) in [("10", "1MB", ["too_large", "-"]), ("1MB", "10", ["-", "too_large"])] {
            let settings = """
                "loading": {"maxBytes": "\(all)", "hosts": {"localhost": {"maxBytes": "\(own)"}}},
                "network": {"allow": ["localhost", "127.0.0.1"]}, "cache": {"policy": "none"}
                """
            try await run(
                ["\(server.address)/1.png", "http://localhost:\(server.port)/2.png"],
                settings,
                exit: 1
            )
            #expect(try await job.errors() == expected)
        }
    }

    @Test("what comes in chunks without a length counts towards maxBytes as well: an original, and a sitemap")
    func maxBytesOfChunks() async throws {
        let picture = try TestImages.tiny(1)
        let server = try LoopbackServer { request in
            let text = "<urlset><url><loc>http://\(request.headers["host"] ?? "")/1.png</loc></url></urlset>"
            let body = request.path == "/sitemap.xml" ? Data(text.utf8) : picture
            let pieces = stride(from: 0, to: body.count, by: 20).map { body.dropFirst($0).prefix(20) }
            return LoopbackServer.Response(body: .chunked(pieces.map { Data($0) }))
        }
        for (limit, isEnough) in [(picture.count - 1, false), (picture.count, true)] {
            try await run(
                ["\(server.address)/1.png"],
                #""loading": {"maxBytes": \#(limit)}, "cache": {"policy": "none"}"#,
                exit: isEnough ? 0 : 1
            )
            #expect(try await job.errors() == [isEnough ? "-" : "too_large"])
        }
        for (limit, exit) in [(60, 2), (10_000, 0)] as [(Int, Int32)] {
            try job.write(
                """
                "sources": [{"sitemap": "\(server.address)/sitemap.xml"}], "loading": {"maxBytes": \(limit)},
                "cache": {"policy": "none"}
                """
            )
            let run = try await job.run("--fresh", exit: exit)
            #expect(exit == 0 || run.errors.contains("sitemap.xml cannot be used"), "\(run.errors)")
        }
    }

    @Test("credentials do not follow a redirect to another origin, and everywhere else they do")
    func redirects() async throws {
        let other = try LoopbackServer.tinyPictures()
        let server = try LoopbackServer { request in
            switch request.path {
            case "/here": .redirect(to: "/there", status: 307)
            default: .redirect(to: "\(other.address)/1.png")
            }
        }
        try await run(
            ["\(server.address)/here"],
            #""loading": {"headers": {"Cookie": "c=1"}, "auth": {"bearer": "t0"}}"#
        )
        #expect(server.requests.map { $0.headers["authorization"] } == ["Bearer t0", "Bearer t0"])
        #expect(other.requests.map { $0.headers["authorization"] } == [nil])
        #expect(other.requests.map { $0.headers["cookie"] } == [nil])
    }

    @Test(
        "redirects up to maxRedirects, five by default",
        arguments: [("", 5), (#""maxRedirects": 1"#, 1), (#""maxRedirects": 0"#, 0)]
    )
    func maxRedirects(settings: String, most: Int) async throws {
        let picture = try TestImages.tiny(1)
        let server = try LoopbackServer { request in
            let left = Int(request.path.dropFirst()) ?? 0
            return left == 0 ? .data(picture) : .redirect(to: "/\(left - 1)")
        }
        try await run(
            ["\(server.address)/\(most)", "\(server.address)/\(most + 1)"],
            #""loading": {\#(settings)}"#,
            exit: 1
        )
        #expect(try await job.errors() == ["-", "redirects"])
    }

    @Test(
        "a transfer without a byte for timeout, or longer than totalTimeout in all, is over",
        arguments: [#""timeout": "200ms""#, #""totalTimeout": "300ms""#]
    )
    func timeouts(settings: String) async throws {
        let end = DispatchSemaphore(value: 0)
        defer { end.signal() }
        let isDribbling = settings.contains("total")
        let server = try LoopbackServer { _ in
            if isDribbling { return LoopbackServer.Response(body: .endless(Data([0]))) }
            end.wait()
            return .status(404)
        }
        try await run(
            ["\(server.address)/a"],
            #""retry": {"attempts": 1}, "loading": {\#(settings)}"#,
            exit: 1
        )
        #expect(try await job.errors() == ["timeout"])
        // By default it would have been a minute and more.
        #expect(try await requestSeconds() < 30)
    }

    @Test("a connection that does not come about within connectTimeout is given up")
    func connectTimeout() async throws {
        // Its queue of connections is full, so that the kernel answers nobody else.
        let script = """
            import signal, socket
            listener = socket.socket(); listener.bind(("127.0.0.1", 0)); listener.listen(0)
            others = [socket.socket() for _ in range(4)]
            for other in others: other.setblocking(False); other.connect_ex(listener.getsockname())
            print(listener.getsockname()[1], flush=True)
            signal.pause()
            """
        let port = AsyncStream<String>.makeStream()
        let full = try Program(path: "/usr/bin/env", ["python3", "-c", script], in: job.folder.path) {
            port.continuation.yield($0)
        }
        var ports = port.stream.makeAsyncIterator()
        let address = "http://127.0.0.1:\(try #require(await ports.next()))/a"
        let settings = #""retry": {"attempts": 1}, "loading": {"connectTimeout": "200ms"}"#
        try await run([address], settings, exit: 1)
        #expect(try await job.errors() == ["timeout"])
        // By default ten.
        #expect(try await requestSeconds() < 8)
        full.signal(SIGKILL)
        _ = await full.wait()
    }

    @Test("bandwidth is what all transfers together take in a second")
    func bandwidth() async throws {
        let photo = try Repository.photo("rocket.jpg")
        let server = try LoopbackServer { _ in .data(photo) }
        let urls = (0..<3).map { "\(server.address)/\($0)" }
        let run = try await run(urls, #""loading": {"bandwidth": "200KB"}"#)
        // 337 kB: a second and a half, of which the first part may come at once.
        #expect(try seconds(run) > 0.6, "\(run.output)")
    }
}
