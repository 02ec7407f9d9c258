import Foundation
import LoopbackServer
import SQLite
import Synchronization
import TestSupport
import Testing

/// `plan` says why a run has work, and the run then does exactly that.
@Suite(.timeLimit(.minutes(10))) struct PlanReasonTests {
    private let job: JobFolder
    private let server: LoopbackServer
    private let health = Health()

    init() throws {
        job = try JobFolder()
        let health = health
        server = try LoopbackServer { request in
            let name = (request.path as NSString).lastPathComponent
            let isMissing = name == "2.png" || name == "3.png"
            if isMissing, !health.isWell { return .status(name == "2.png" ? 503 : 404) }
            let picture = (try? TestImages.tiny(Int(name.prefix(1)) ?? 0)) ?? Data()
            return .resource(picture, type: "image/png", etag: "\"\(name)\"", for: request)
        }
    }

    /// Writes the manifest: pictures 1 to 4 and an output `small`, with changes.
    private func write(
        count: Int = 4,
        width: Int = 3,
        format: String = "png",
        more: String = "",
        settings: String = ""
    ) throws {
        let urls = (1...count).map { "\"\(server.address)/\($0).png\"" }.joined(separator: ", ")
        let small = """
            {"name": "small", "processors": [{"resize": {"width": \(width)}}], "format": "\(format)",
             "path": "small/{stem}.{ext}"}
            """
        try job.write(
            """
            "sources": [{"urls": [\(urls)]}], "outputs": [\(small)\(more)],
            "retry": {"attempts": 1, "backoff": "1ms..2ms", "recheck": "1ms"}\(settings)
            """
        )
    }

    /// Expects `plan` to tell these reasons, and a run to make as many outputs as they add up to.
    private func expect(
        _ reasons: [String],
        _ words: String...,
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let plan = try await Program.run("nuke-batch", ["plan", "job.json"] + words, in: job.folder.path)
        let table = plan.lines.drop { $0 != "why" }.dropFirst().map { line in
            line.split(separator: " ").joined(separator: " ")
        }
        #expect(Array(table) == reasons, "\(plan.output)\(plan.errors)", sourceLocation: location)
        let json = try await Program.run(
            "nuke-batch",
            ["plan", "job.json", "--json"] + words,
            in: job.folder.path
        )
        let object = try #require(try ToldJob.objects(json).last)
        let told = try #require(object["reasons"] as? [[String: Any]])
        let outputs = told.compactMap { $0["outputs"] as? Int }.reduce(0, +)
        #expect(told.count == reasons.count && (object["outputs"] as? [String: Int])?["make"] == outputs)
        let run = try await Program.run(
            "nuke-batch",
            ["run", "job.json", "--json"] + words,
            in: job.folder.path
        )
        let made = try job.end(run)["made"] as? Int
        #expect(made == outputs, "\(run.output)\(run.errors)", sourceLocation: location)
    }

    @Test("each change by itself is told, and is what the run makes")
    func changes() async throws {
        health.isWell = true
        try write()
        try await expect(["4 outputs new"])
        try await expect([])
        try write(width: 2)
        try await expect(["4 outputs processors changed: small"])
        try write(width: 2, format: "jpeg")
        try await expect(["4 outputs format changed: small"])
        try write(width: 3, format: "png")
        try await expect(["4 outputs format, processors changed: small"])
        let large = #", {"name": "large", "format": "original", "path": "large/{stem}.{ext}"}"#
        try write(count: 5, more: large)
        try await expect(["4 outputs new output: large", "2 outputs new"])
    }

    @Test("failed items are told by the rule that puts them back, and what was never finished as such")
    func failures() async throws {
        try write()
        let first = try await job.nukeBatch("run", "job.json", "--limit", "3")
        #expect(first.exit == 5, "\(first.output)")
        health.isWell = true
        let open = try await job.plan()["reasons"] as? [[String: Any]] ?? []
        let counts = open.reduce(into: [String: Int]()) { counts, reason in
            counts[reason["reason"] as? String ?? "", default: 0] += reason["outputs"] as? Int ?? 0
        }
        // Which three of the four the limit lets through is the scheduler's choice.
        #expect(counts.values.reduce(0, +) == (job.files().count == 1 ? 3 : 2), "\(open)")
        #expect(counts["unfinished"] == 1 && counts["new"] == nil, "\(open)")
        health.isWell = false
        try await job.run(exit: 1)
        health.isWell = true
        try await expect([
            "1 output due again (retry.recheck): http_404", "1 output failed, retried by every run: http_503",
        ])
    }

    @Test("a setting that let items fail is named once it changes")
    func setting() async throws {
        health.isWell = true
        try write(settings: #", "limits": {"maxPixels": 1}"#)
        try await job.run(exit: 1)
        try write()
        try await expect(["4 outputs setting changed (limits): limits"])
    }

    @Test("damaged outputs, other encoders and changed files")
    func outdated() async throws {
        health.isWell = true
        try write()
        try await job.run()
        for name in ["1.png", "2.png"] {
            try FileManager.default.removeItem(atPath: job.folder.path("out/small/\(name)"))
        }
        let repair = try await job.nukeBatch("verify", "job.json", "--repair", "--max-duration", "1ms")
        let left = 2 - (job.files().count - 2)
        if left > 0 {
            #expect(repair.exit == 5, "\(repair.output)\(repair.errors)")
            try await expect(["\(left) output\(left == 1 ? "" : "s") output missing or damaged: small"])
        }
        let state = try Connection(path: job.folder.path(".nuke-batch/job.sqlite"))
        try state.execute("UPDATE output SET encoder = 'old 1' WHERE path LIKE '%3.png'")
        try await expect(["1 output encoder changed: small"], "--refresh-encoders")

        for number in 1...3 { try job.folder.write(try TestImages.tiny(number), to: "photos/\(number).png") }
        try job.write(
            """
            "sources": [{"files": "photos/*.png"}],
            "outputs": [{"name": "small", "format": "original", "path": "{stem}.{ext}"}]
            """
        )
        try await expect(["3 outputs new"])
        try job.folder.write(try TestImages.gradient(width: 5, height: 7), to: "photos/2.png")
        try await expect(["1 output original changed"])
    }

    @Test("without outputs to make, items are counted")
    func items() async throws {
        health.isWell = true
        try write()
        try await job.run()
        let plan = try await job.nukeBatch("plan", "job.json", "--revalidate")
        #expect(plan.lines.suffix(2) == ["why", "  4 items    to revalidate"], "\(plan.output)")
        try job.write(
            #""sources": [{"urls": ["\#(server.address)/1.png", "\#(server.address)/4.png"]}]"#
        )
        try await job.run("--fresh")
        #expect(try await job.nukeBatch("cache", "remove", "job.json", "--url", "/4.png").exit == 0)
        let lost = try await job.nukeBatch("plan", "job.json")
        #expect(lost.lines.suffix(2) == ["why", "  1 item     cached original lost"], "\(lost.output)")
        #expect(try await job.run().output.contains("1 made"))
    }

    @Test(
        "--items has the reasons of each item, also as JSON; counts of zero are left out of the table alone"
    )
    func listing() async throws {
        health.isWell = true
        try write(count: 1)
        try await job.run()
        try write(
            count: 2,
            width: 2,
            more: #", {"name": "b", "format": "original", "path": "b/{stem}.{ext}"}"#
        )
        let plan = try await job.nukeBatch("plan", "job.json", "--items")
        #expect(
            plan.lines.prefix(2) == [
                "pending     \(server.address)/1.png  new output: b; processors changed: small",
                "pending     \(server.address)/2.png  new",
            ],
            "\(plan.output)"
        )
        #expect(!plan.lines.contains { $0.hasPrefix("0 ") }, "\(plan.output)")
        let lines = try ToldJob.objects(try await job.nukeBatch("plan", "job.json", "--items", "--json"))
        #expect(lines.count == 3 && lines[2]["failed"] as? Int == 0)
        let reasons = try lines.prefix(2).map { line in
            try #require(line["reasons"] as? [[String: Any]]).map { $0["reason"] as? String }
        }
        #expect(reasons == [["newOutput", "recipe"], ["new"]])
        #expect(lines[0]["url"] as? String == "\(server.address)/1.png" && lines[0]["state"] != nil)
    }
}

/// A server's health, which a test changes while the server runs.
private final class Health: Sendable {
    private let state = Mutex(false)

    /// True if the server has all pictures; otherwise it has neither 2 nor 3.
    var isWell: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
