import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// `--fail-on`: which failed items a run's exit code and a quiet run's summary are about.
@Suite(.timeLimit(.minutes(10))) struct FailOnTests {
    private let job: JobFolder
    private let server: LoopbackServer
    /// The paths that the server has no image for.
    private let missing: Shared<Set<String>>

    init() throws {
        job = try JobFolder()
        missing = Shared(["/1.png"])
        server = try LoopbackServer { [missing] request in
            guard !missing.value.contains(request.path), let picture = try? TestImages.tiny(1) else {
                return .status(404)
            }
            return .data(picture)
        }
        try write()
    }

    /// Writes a job of four images; without a recheck, a 404 stays as it is.
    private func write(
        _ recheck: String = "never",
        of numbers: [Int] = [0, 1, 2, 3],
        format: String = "original"
    ) throws {
        let urls = numbers.map { "\"\(server.address)/\($0).png\"" }.joined(separator: ", ")
        try job.write(
            """
            "sources": [{"urls": [\(urls)]}], "outputs": [{"format": "\(format)", "path": "{stem}.{ext}"}],
            "retry": {"recheck": "\(recheck)"}
            """
        )
    }

    /// Runs a night as cron does.
    private func night(
        _ words: String...,
        exit: Int32,
        at location: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let words = ["run", "job.json", "-q", "--fail-on", "new"] + words
        let run = try await Program.run("nuke-batch", words, in: job.folder.path)
        #expect(run.exit == exit, "\(run.output)", sourceLocation: location)
        #expect(run.errors.isEmpty, "\(run.errors)", sourceLocation: location)
        return run.output
    }

    @Test("a warning that stands is told once, and again when it comes back") func warnings() async throws {
        missing.value = []
        func write(_ names: String...) throws {
            let urls = names.map { "\"\(server.address)/\($0).png\"" }.joined(separator: ", ")
            try job.write(
                #""sources": [{"urls": [\#(urls)]}], "outputs": [{"format": "png", "path": "{stem}.png"}]"#
            )
        }
        let warning = "write paths that differ only in case"
        try write("a", "A")
        #expect(try await night(exit: 0).contains(warning))
        // A plan that stays is not looked at again, and another one with the same fault is no news.
        #expect(try await night(exit: 0).isEmpty)
        try write("a", "A", "c")
        #expect(try await night(exit: 0).isEmpty)
        try write("a", "A")
        #expect(try await job.run("--fail-on", "new").output.contains("1 known warning of earlier runs"))
        try write("a", "A", "c")
        #expect(try await job.run("--fail-on", "new", "-v").output.contains(warning))
        try write("a", "A")
        #expect(try await job.run().output.contains(warning), "without the policy, nothing is passed over")
        try write("a", "A", "c")
        let told = try job.end(try await job.run("--fail-on", "new", "--json"))["warnings"] as? [String]
        #expect(told?.contains { $0.contains(warning) } == true)
        try write("a", "c")
        #expect(try await night(exit: 0).isEmpty)
        try write("a", "A")
        #expect(try await night(exit: 0).contains(warning), "what comes back is news")
    }

    @Test("the failures of a run and those before it add up to those of the job") func sum() async throws {
        try write("never")
        #expect(try await job.run(exit: 1).lines.contains("failed in this run: http_404 1"))
        missing.value.insert("/4.png")
        try write("never", of: [0, 1, 2, 3, 4])
        let lines = try await job.run(exit: 1).lines
        #expect(lines.contains("failed in this run: http_404 1; already failed: 1"), "\(lines)")
        #expect(lines.contains { $0.hasPrefix("2 failed; to see them: ") }, "\(lines)")
    }

    @Test(
        "three nights: a known 404 is silent, a new one is told, and what heals is silent",
        arguments: ["never", "1ms"]
    )
    func nights(recheck: String) async throws {
        try write(recheck)
        let first = try await night(exit: 1)
        #expect(first.contains("new failures: http_404 1\n  http_404: \(server.address)/1.png\n"), "\(first)")
        #expect(!first.contains("known"), "\(first)")
        let before = server.requests.count
        #expect(try await night(exit: 0).isEmpty)
        #expect(server.requests.count == before + (recheck == "never" ? 0 : 1), "the 404 is checked again")

        missing.value.insert("/4.png")
        try write(recheck, of: [0, 1, 2, 3, 4])
        let told = try await night(exit: 1)
        #expect(told.contains("new failures: http_404 1\n  http_404: \(server.address)/4.png\n"), "\(told)")
        #expect(told.contains("1 known failure of earlier runs\n2 failed; to see them: "), "\(told)")
        #expect(told.hasPrefix("0 made, 1 newly failed; 3 of 5 items done"), "\(told)")
        #expect(try await night(exit: 0).isEmpty)

        missing.value = []
        #expect(try await job.nukeBatch("retry", "job.json", "-q", "--fail-on", "new").output.isEmpty)
        #expect(try await job.errors() == ["-", "-", "-", "-", "-"])
        #expect(try await night(exit: 0).isEmpty)
        // What was well and fails again is new.
        missing.value = ["/4.png"]
        #expect(try await job.nukeBatch("cache", "clear", "job.json").exit == 0)
        try write(recheck, of: [0, 1, 2, 3, 4], format: "jpeg")
        let again = try await night(exit: 1)
        #expect(again.contains("new failures: http_404 1\n  http_404: \(server.address)/4.png\n"), "\(again)")
        #expect(!again.contains("known"), "\(again)")
    }

    @Test("an item that left the job and comes back is new")
    func comesBack() async throws {
        _ = try await night(exit: 1)
        try write(of: [0, 2, 3])
        #expect(try await night(exit: 0).isEmpty)
        try write()
        #expect(try await night(exit: 1).contains("/1.png"))
    }

    @Test("a failure of a run that did not go through, or told nobody, is still new")
    func untold() async throws {
        let limited = try await night("--limit", "2", exit: 5)
        #expect(limited.contains("new failures: http_404 1"), "\(limited)")
        let silent = try await job.nukeBatch("run", "job.json", "-q", "--fail-on", "never")
        #expect(silent.exit == 0 && silent.output.isEmpty)
        let program = Program.folder.appendingPathComponent("nuke-batch").path
        let command = "\(program) run job.json --fail-on new >/dev/full"
        let full = try await Program(path: "/bin/sh", ["-c", command], in: job.folder.path).wait()
        #expect(full.exit == 4, "\(full.errors)")
        #expect(try await night(exit: 1).contains("new failures: http_404 1"))
        #expect(try await night(exit: 0).isEmpty)
    }

    @Test("a killed run swallows no failure")
    func killed() async throws {
        let held = Asked()
        let slow = try LoopbackServer { request in
            guard request.path == "/slow" else { return .status(404) }
            held.waitForEnd()
            return .status(404)
        }
        defer { held.end() }
        try job.write(#""sources": [{"urls": ["\#(slow.address)/gone", "\#(slow.address)/slow"]}]"#)
        let (events, seen) = AsyncStream<Void>.makeStream()
        let run = try Program(
            "nuke-batch",
            ["run", "job.json", "--json", "--fail-on", "new"],
            in: job.folder.path
        ) { line in
            if line.contains("item_finished") { seen.yield() }
        }
        for await _ in events { break }
        run.signal(SIGKILL)
        #expect(await run.wait().exit == 128 + SIGKILL)
        held.end()
        let next = try await night(exit: 1)
        #expect(next.contains("new failures: http_404 2") && next.contains("/gone"), "\(next)")
        #expect(try await night(exit: 0).isEmpty)
    }

    @Test("a percentage is of the job's items, never is for jobs that nobody watches, any is the default")
    func shares() async throws {
        for (policy, exit) in [("25%", 0), ("24.9%", 1), ("0%", 1), ("100%", 0), ("never", 0), ("any", 1)] {
            let run = try await job.run("--fail-on", policy, exit: Int32(exit))
            #expect(run.output.contains("1 failed; to see them: "), "\(policy): \(run.output)")
        }
        try await job.run(exit: 1)
        for policy in ["2", "-1%", "101%", "%", "1e1%", ".%", "1.%", "none", ""] {
            let wrong = try await job.run("--fail-on", policy, exit: 2)
            #expect(wrong.errors.contains("--fail-on takes any, new, a percentage"), "\(policy)")
        }
    }

    @Test("run_finished counts the new failures; retry of nothing and verify keep to the policy")
    func others() async throws {
        let first = try job.end(try await job.run("--json", exit: 1))
        #expect(first["newFailures"] as? Int == 1 && first["failed"] as? Int == 1)
        let second = try job.end(try await job.run("--json", "--fail-on", "new"))
        #expect(second["newFailures"] as? Int == 0 && second["failed"] as? Int == 1)
        for (policy, exit) in [("any", 1), ("new", 0), ("never", 0), ("1%", 1)] {
            let retry = try await job.nukeBatch("retry", "job.json", "--url", "nowhere", "--fail-on", policy)
            #expect(retry.exit == exit, "\(policy): \(retry.errors)")
        }
        try job.folder.write("x", to: "out/0.png")
        let verify = try await job.nukeBatch("verify", "job.json", "--repair", "--fail-on", "new")
        #expect(verify.exit == 0, "\(verify.output)")
        try job.folder.write("x", to: "out/0.png")
        #expect(try await job.nukeBatch("verify", "job.json", "--fail-on", "never").exit == 1)
    }
}

/// A value that a test and its server share.
final class Shared<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) {
        state = Mutex(value)
    }

    var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    func change(_ body: (inout Value) -> Void) {
        state.withLock { body(&$0) }
    }
}
