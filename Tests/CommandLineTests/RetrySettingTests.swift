import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// The keys of `retry`, and what hosts ask for by `Retry-After`.
@Suite(.timeLimit(.minutes(10))) struct RetrySettingTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
    }

    /// Runs a job of the URLs with `settings`.
    private func run(_ urls: [String], _ settings: String, exit: Int32 = 0) async throws {
        let urls = urls.map { "\"\($0)\"" }.joined(separator: ", ")
        try job.write(#""sources": [{"urls": [\#(urls)]}], \#(settings)"#)
        try await job.run("--fresh", exit: exit)
    }

    @Test(
        "statuses are tried again as often as attempts says, others once; the next run takes up what may pass"
    )
    func retries() async throws {
        let server = try LoopbackServer { request in .status(Int(request.path.dropFirst()) ?? 404) }
        func count(_ status: Int) -> Int { server.requests.count { $0.path == "/\(status)" } }
        let known = [408, 425, 429, 500, 502, 503, 504]
        try await run(
            (known + [404, 501]).map { "\(server.address)/\($0)" },
            #""retry": {"attempts": 2, "backoff": "1ms..2ms"}"#,
            exit: 1
        )
        #expect(known.allSatisfy { count($0) == 2 } && count(404) == 1 && count(501) == 1)
        #expect(try await job.items().map { $0["attempts"] as? Int } == known.map { _ in 2 } + [1, 1])
        try await job.run(exit: 1)
        #expect(known.allSatisfy { count($0) == 4 } && count(404) == 1 && count(501) == 1)

        let before = (count(404), count(500))
        try await run(
            ["\(server.address)/404", "\(server.address)/500"],
            #""retry": {"attempts": 3, "backoff": "1ms..2ms", "statuses": [404]}"#,
            exit: 1
        )
        #expect(count(404) == before.0 + 3 && count(500) == before.1 + 1)
        try await run(["\(server.address)/502"], #""retry": {"backoff": "1ms..2ms"}"#, exit: 1)
        #expect(count(502) == 8, "four attempts by default")
    }

    @Test("what the message of a failure advises changes something in the next run, also without retry")
    func advice() async throws {
        let server = try LoopbackServer.tinyPictures()
        func write(_ settings: String) throws {
            try job.write(
                #""sources": [{"urls": ["\#(server.address)/1.png"]}], "outputs": [{"path": "1.{ext}"}], \#(settings)"#
            )
        }
        try write(#""network": {}"#)
        try await job.run(exit: 1)
        #expect(try await job.errors() == ["address"])
        try write(#""network": {"allow": ["127.0.0.1"]}, "limits": {"maxPixels": 1}"#)
        try await job.run(exit: 1)
        #expect(try await job.errors() == ["limits"])
        try write(#""network": {"allow": ["127.0.0.1"]}, "limits": {"maxPixels": 1, "processing": 1}"#)
        try await job.run(exit: 1)
        #expect(server.requests.count == 1, "another setting is no reason")
        try write(#""network": {"allow": ["127.0.0.1"]}"#)
        try await job.run()
        #expect(job.files() == ["1.png"])
    }

    @Test("an answer with Retry-After holds the host back, and spends no attempt", arguments: [429, 503])
    func retryAfter(status: Int) async throws {
        let picture = try TestImages.tiny(1)
        let first = Mutex(true)
        let server = try LoopbackServer { _ in
            let isFirst = first.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return isFirst ? .status(status, headers: [("Retry-After", "1")]) : .data(picture)
        }
        try await run(
            ["\(server.address)/a", "\(server.address)/b"],
            #""loading": {"perHost": 1}, "retry": {"attempts": 1}"#
        )
        #expect(try await job.items().map { $0["attempts"] as? Int } == [1, 1])
        let times = server.requests.map(\.arrival)
        #expect(times.count == 3 && times[0].duration(to: times[1]) > .milliseconds(900))
    }
}
