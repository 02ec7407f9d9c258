import Foundation
import LoopbackServer
import TestSupport
import Testing

/// `--on-finish` and `--webhook`: both get the summary of the run, and neither changes its exit code.
@Suite(.timeLimit(.minutes(10))) struct FinishHookTests {
    private let job: JobFolder
    private let server: LoopbackServer

    init() throws {
        job = try JobFolder()
        let picture = try TestImages.tiny(1)
        server = try LoopbackServer { request in
            switch request.path {
            case "/1.png": .data(picture)
            case "/hook": .status(204)
            case "/moved": .status(302, headers: [("Location", "/hook")])
            case "/broken": .status(500)
            default: .status(404)
            }
        }
        try write(["1.png", "gone.png"])
    }

    private func write(_ names: [String], _ rest: String = "") throws {
        let urls = names.map { "\"\(server.address)/\($0)\"" }.joined(separator: ", ")
        try job.write(#""name": "photos", "sources": [{"urls": [\#(urls)]}]\#(rest)"#)
    }

    private func summary(_ data: Data) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    private func expect(_ summary: [String: Any], exit: Int) {
        #expect(summary["event"] as? String == "run_finished" && summary["exit"] as? Int == exit)
        #expect(summary["job"] as? String == "photos")
        #expect((summary["manifest"] as? String)?.hasSuffix("job.json") == true)
        #expect(summary["newFailures"] is Int && summary["time"] is String)
    }

    @Test("the command gets the keys of run_finished, the job and the manifest, and the exit code")
    func command() async throws {
        let run = try await job.run(
            "--json",
            "--on-finish",
            "cat > summary.json; echo $NUKE_BATCH_EXIT > exit; echo to the user; echo ${NUKE_BATCH_ON_FINISH-none}",
            exit: 1,
            environment: ["NUKE_BATCH_ON_FINISH": "overridden"]
        )
        #expect(run.errors.hasSuffix("to the user\nnone\n"), "\(run.errors)")
        #expect(run.lines.allSatisfy { $0.hasPrefix("{") }, "standard output is JSON alone")
        var told = try summary(try job.data("summary.json"))
        expect(told, exit: 1)
        #expect(try String(decoding: job.data("exit"), as: UTF8.self) == "1\n")
        told["job"] = nil
        told["manifest"] = nil
        #expect(told.keys.sorted() == (try job.end(run)).keys.sorted())
    }

    @Test(
        "its failure is a warning and no exit code",
        arguments: [("exit 3", "exited with code 3"), ("kill -9 $$", "was ended by signal 9")]
    )
    func failure(command: String, message: String) async throws {
        try write(["1.png"])
        let run = try await job.run("--on-finish", command, "--progress", "none")
        #expect(run.errors == "warning: the command of --on-finish \(message)\n")
    }

    @Test("it need not read the summary, and runs after the job is unlocked")
    func afterwards() async throws {
        let program = Program.folder.appendingPathComponent("nuke-batch").path
        let run = try await job.run("--on-finish", "\(program) retry job.json --json > again.json", exit: 1)
        #expect(run.errors.contains("exited with code 1"), "\(run.errors)")
        #expect(try String(decoding: job.data("again.json"), as: UTF8.self).contains("run_finished"))
    }

    @Test("neither is called for a wrong command line, or while another run holds the job")
    func notCalled() async throws {
        let hooks = ["--on-finish", "touch called", "--webhook", "\(server.address)/hook"]
        for words in [
            ["run", "nowhere.json"], ["run", "job.json", "--only-output", "none"], ["plan", "job.json"],
        ] {
            #expect(try await Program.run("nuke-batch", words + hooks, in: job.folder.path).exit == 2)
        }
        let dry = try await Program.run("nuke-batch", ["run", "job.json", "-n"] + hooks, in: job.folder.path)
        #expect(dry.exit == 0)
        let asked = Asked()
        let slow = try LoopbackServer { _ in
            asked.waitForEnd()
            return .status(404)
        }
        try job.write(#""sources": [{"urls": ["\#(slow.address)/a"]}]"#, to: "slow.json")
        let first = try Program("nuke-batch", ["run", "slow.json"], in: job.folder.path)
        _ = await slow.requests(atLeast: 1)
        #expect(
            try await Program.run("nuke-batch", ["run", "slow.json"] + hooks, in: job.folder.path).exit == 3
        )
        asked.end()
        #expect(await first.wait().exit == 1)
        #expect(!FileManager.default.fileExists(atPath: job.folder.path("called")) && server.requests.isEmpty)
    }

    /// Runs a job with this command until SIGTERM interrupts it in the middle of a request.
    private func interrupt(_ command: String) async throws -> Program.Outcome {
        let asked = Asked()
        let slow = try LoopbackServer { _ in
            asked.waitForEnd()
            return .status(404)
        }
        defer { asked.end() }
        try job.write(#""name": "photos", "sources": [{"urls": ["\#(slow.address)/a"]}]"#)
        let run = try Program("nuke-batch", ["run", "job.json", "--on-finish", command], in: job.folder.path)
        _ = await slow.requests(atLeast: 1)
        run.signal(SIGTERM)
        return await run.wait()
    }

    @Test("an interrupted run is told as well")
    func interrupted() async throws {
        #expect(try await interrupt("cat > part && mv part summary.json").exit == 143)
        // The program may end before the command.
        try await eventually { FileManager.default.fileExists(atPath: job.folder.path("summary.json")) }
        expect(try summary(try job.data("summary.json")), exit: 143)
    }

    @Test("an interrupted run that stood still has the rest of its five seconds afterwards")
    func interruptedAndStopped() async throws {
        let end = try await interrupt("kill -STOP $PPID; sleep 5; kill -CONT $PPID; cat > summary.json")
        #expect(end.exit == 143 && !end.errors.contains("stopped before"), "\(end.errors)")
        expect(try summary(try job.data("summary.json")), exit: 143)
    }

    @Test("a run that a local problem stopped is told as well")
    func machine() async throws {
        try job.folder.write("no state", to: "broken.sqlite")
        try await job.run("--state-file", "broken.sqlite", "--on-finish", "cat > summary.json", exit: 4)
        let told = try summary(try job.data("summary.json"))
        expect(told, exit: 4)
        #expect((told["stopped"] as? String)?.contains("broken.sqlite") == true, "\(told)")
    }

    @Test("the webhook gets the summary by POST")
    func webhook() async throws {
        let address = server.address.replacing("http://", with: "http://user:pass%20word@")
        let run = try await job.run("--webhook", "\(address)/hook?token=1", "--progress", "none", exit: 1)
        #expect(run.errors.isEmpty, "\(run.errors)")
        let request = try #require(server.requests.first { $0.path == "/hook" })
        #expect(request.method == "POST" && request.query == "token=1")
        #expect(request.headers["content-type"] == "application/json")
        let login = Data("user:pass word".utf8).base64EncodedString()
        #expect(request.headers["authorization"] == "Basic \(login)")
        expect(try summary(request.body), exit: 1)
    }

    @Test(
        "its failure is a warning without secrets; what may pass is tried three times",
        arguments: [
            ("/broken", 3, "status 500"), ("/none", 1, "status 404"),
            ("/moved", 1, "redirects are not followed"),
        ]
    )
    func refused(path: String, requests: Int, message: String) async throws {
        try write(["1.png"])
        let address = server.address.replacing("http://", with: "http://user:SECRET@")
        let run = try await job.run("--webhook", "\(address)\(path)?key=SECRET")
        #expect(server.requests.count { $0.path == path } == requests)
        #expect(run.errors.contains("warning: the webhook \(server.address)/… did not get the summary: "))
        #expect(run.errors.contains(message) && !run.errors.contains("SECRET"), "\(run.errors)")
    }

    @Test("the webhook keeps to network.allow")
    func allowed() async throws {
        try job.folder.write(try TestImages.tiny(1), to: "a.png")
        try job.write(#""sources": [{"files": "a.png"}], "network": {}"#)
        for host in ["127.0.0.1", "localhost"] {
            let run = try await job.run("--webhook", "http://\(host):\(server.port)/hook", "--fresh")
            #expect(
                run.errors.contains("not a public address") && run.errors.contains("network.allow"),
                "\(run.errors)"
            )
        }
        #expect(server.requests.isEmpty)
    }
}
