import Foundation
import Imaging
import LoopbackServer
import TestSupport
import Testing

/// `adopt`: a site that another program has made moves over without a request and without encoding.
@Suite(.timeLimit(.minutes(10))) struct AdoptTests {
    private let site: FoundSite

    init() throws {
        site = try FoundSite()
        try site.write()
    }

    @Test("what is there is taken over, and the next run makes nothing and asks nobody")
    func whole() async throws {
        let before = try site.contents()
        let adopt = try await site.adopt()
        #expect(adopt.exit == 0 && adopt.errors.isEmpty, "\(adopt.errors)")
        #expect(adopt.output == "8 outputs adopted, 0 missing, 0 refused\n")
        let plan = try await site.job.plan()
        #expect((plan["originals"] as? [String: Any])?["load"] as? Int == 0 && plan["done"] as? Int == 4)
        let end = try site.job.end(try await site.job.run("--json"))
        #expect(end["made"] as? Int == 0 && end["failed"] as? Int == 0)
        #expect(site.server.requests.isEmpty)
        #expect(try site.contents() == before)
        #expect(
            try await site.job.nukeBatch("verify", "job.json").output.contains("8 outputs checked, 0 damaged")
        )
        #expect(try await site.job.nukeBatch("prune", "job.json").output.contains("nothing to remove"))
        #expect(try await site.adopt().output == "0 outputs adopted, 0 missing, 0 refused\n")
    }

    @Test("listings, explanations, statuses and exports say what is known, and that another tool made it")
    func told() async throws {
        try await site.adopt()
        let outputs = try await site.job.items().flatMap { $0["outputs"] as? [[String: Any]] ?? [] }
        #expect(outputs.count == 8 && outputs.allSatisfy { $0["reason"] as? String == "adopted" })
        #expect(outputs.allSatisfy { $0["width"] as? Int == 64 || $0["width"] as? Int == 32 })
        let explained = try await site.job.nukeBatch("explain", "job.json", "1-64.jpg")
        #expect(explained.output.contains("another tool made it"), "\(explained.output)")
        #expect(explained.output.contains("the original has not been loaded yet"), "\(explained.output)")
        let exported = try ToldJob.objects(try await site.job.nukeBatch("export", "job.json", "--json"))
        #expect(exported.allSatisfy { $0["originalSha256"] is NSNull }, "\(exported)")
        let status = try ToldJob.objects(try await site.job.nukeBatch("status", "job.json", "--json"))
        #expect((status.first?["states"] as? [String: Int])?["done"] == 4, "\(status)")
        #expect(try await site.job.nukeBatch("report", "job.json", "-o", "report.html").exit == 0)
    }

    @Test("what is missing is made of its original alone; the adopted image beside it stays")
    func missing() async throws {
        try site.remove("2-64.jpg")
        let before = try site.contents()
        let adopt = try await site.adopt()
        #expect(adopt.exit == 0)
        #expect(adopt.output.hasPrefix("7 outputs adopted, 1 missing, 0 refused\n"), "\(adopt.output)")
        let command = try site.job.advice("to make the rest: ", in: adopt)
        #expect(try await site.job.shell(command).exit == 0)
        #expect(site.requests == ["/2.png"])
        var after = try site.contents()
        let made = after.removeValue(forKey: "2-64.jpg")
        #expect(after == before)
        #expect(try ImageDecoder.decode(#require(made)).size.width == 64)
        try await site.job.run()
        #expect(site.requests.count == 1)
        #expect(try await site.job.nukeBatch("verify", "job.json").exit == 0)
    }

    @Test("the original that a run loads is that of the adopted image: only a later change makes it again")
    func originals() async throws {
        try site.remove("2-64.jpg")
        try await site.adopt()
        try await site.job.run()
        let before = try site.contents()
        try await site.job.run("--revalidate")
        // All are loaded now, and nothing is made of them.
        #expect(try site.contents() == before)
        site.change(2)
        site.change(3)
        let end = try site.job.end(try await site.job.run("--revalidate", "--json"))
        #expect(end["made"] as? Int == 4, "\(end)")
        let after = try site.contents()
        let changed = after.keys.filter { after[$0] != before[$0] }.sorted()
        #expect(changed == ["2-64.jpg", "2.webp", "3-64.jpg", "3.webp"])
    }

    @Test("a warmed cache and a run for one output leave adopted images what they are")
    func otherRuns() async throws {
        try site.remove("2-64.jpg")
        site.date(3, "Fri, 01 Jan 2100 00:00:00 GMT")
        try await site.adopt()
        let before = try site.contents()
        #expect(try await site.job.nukeBatch("warm", "job.json").exit == 0)
        try await site.job.run("--revalidate", "--only-output", "square")
        // The later original makes the other output again as well, once a run is about that one.
        try await site.job.run()
        var after = try site.contents()
        after["2-64.jpg"] = nil
        #expect(after.keys.filter { after[$0] != before[$0] }.sorted() == ["3-64.jpg", "3.webp"])
        let end = try site.job.end(try await site.job.run("--revalidate", "--json"))
        #expect(end["made"] as? Int == 0, "\(end)")
    }

    @Test("an original that was changed later than the image makes it again at once")
    func laterOriginal() async throws {
        site.date(3, "Fri, 01 Jan 2100 00:00:00 GMT")
        site.date(4, "Thu, 01 Jan 1998 00:00:00 GMT")
        try await site.adopt()
        let before = try site.contents()
        let end = try site.job.end(try await site.job.run("--revalidate", "--json"))
        #expect(end["made"] as? Int == 2, "\(end)")
        let after = try site.contents()
        #expect(after.keys.filter { after[$0] != before[$0] }.sorted() == ["3-64.jpg", "3.webp"])
    }

    @Test("a changed setting makes its output again, also after a moved destination, which makes nothing")
    func settings() async throws {
        try await site.adopt()
        try FileManager.default.moveItem(
            atPath: site.job.folder.path("img"),
            toPath: site.job.folder.path("moved")
        )
        try site.write(destination: "moved")
        var end = try site.job.end(try await site.job.run("--json"))
        #expect(end["made"] as? Int == 0 && end["reused"] as? Int == 8, "\(end)")
        #expect(site.server.requests.isEmpty)
        try site.write(destination: "moved", quality: 70)
        end = try site.job.end(try await site.job.run("--json"))
        #expect(end["made"] as? Int == 4 && end["reused"] as? Int == 4, "\(end)")
        // Adopting again does not take the images of the former settings.
        try site.write(destination: "moved", quality: 60)
        let adopt = try await site.adopt()
        #expect(adopt.exit == 1 && adopt.output.contains("4 refused (recorded 4)"), "\(adopt.output)")
    }

    @Test("facts are extracted by the next run, which makes no image")
    func facts() async throws {
        try site.write(#", "facts": ["size"]"#)
        try await site.adopt()
        let before = try site.contents()
        let end = try site.job.end(try await site.job.run("--json"))
        #expect(end["made"] as? Int == 0 && end["reused"] as? Int == 8, "\(end)")
        #expect(try site.contents() == before)
        let sizes = try await site.job.items().compactMap { ($0["facts"] as? [String: Any])?["size"] }
        #expect(sizes.count == 4)
    }

    @Test("a damaged adopted image is found and made again")
    func damage() async throws {
        try await site.adopt()
        try site.job.folder.write("cut", to: "img/1.webp")
        #expect(try await site.job.nukeBatch("verify", "job.json").exit == 1)
        #expect(try await site.job.nukeBatch("verify", "job.json", "--repair").exit == 0)
        #expect(try site.job.image("img/1.webp").size == PixelSize(width: 32, height: 32))
        #expect(site.requests == ["/1.png"])
    }

    @Test("a rebuilt state still has what was adopted, as far as the files are the same")
    func rebuild() async throws {
        try await site.adopt()
        try DamagedState.breakIndex(at: site.job.folder.path(".nuke-batch/job.sqlite"))
        try site.job.folder.write("another", to: "img/4.webp")
        let rebuild = try await site.job.nukeBatch("doctor", "job.json", "--rebuild")
        #expect(rebuild.exit == 0 && rebuild.errors.contains("3 of 4 items keep"), "\(rebuild.errors)")
        try await site.job.run()
        #expect(site.requests == ["/4.png"])
    }

    @Test("a dry run tells the same and leaves nothing")
    func dryRun() async throws {
        try site.remove("2-64.jpg")
        let dry = try await site.adopt("--dry-run", "--items")
        #expect(dry.exit == 0 && dry.lines.count == 9, "\(dry.output)")
        #expect(dry.lines.last == "7 outputs would be adopted, 1 missing, 0 refused")
        #expect(dry.lines.contains("missing  2-64.jpg"), "\(dry.output)")
        #expect(site.job.files(in: ".nuke-batch").isEmpty)
        #expect(try await site.adopt().output.hasPrefix("7 outputs adopted, 1 missing"))
    }

    @Test("a killed adoption goes on where it was, and a running job is left alone")
    func interruption() async throws {
        let large = try FoundSite(count: 1500)
        try large.write()
        let told = Gate()
        let words = ["adopt", "job.json", "--items"]
        let first = try Program("nuke-batch", words, in: large.job.folder.path) { _ in told.open() }
        await told.waitUntilOpen()
        first.signal(SIGKILL)
        _ = await first.wait()
        let kept = try await large.job.items().count { $0["state"] as? String == "done" }
        let rest = try await large.adopt()
        #expect(rest.exit == 0 && rest.output.contains("0 missing, 0 refused"), "\(rest.output)")
        let done = try await large.job.items().count { $0["state"] as? String == "done" }
        #expect(kept > 0 && done == 1500, "\(kept)")
        #expect(try large.job.end(try await large.job.run("--json"))["made"] as? Int == 0)
        #expect(large.server.requests.isEmpty)
    }

    @Test("during a run, it is refused and changes nothing")
    func held() async throws {
        try site.remove("2-64.jpg")
        let gate = site.hold()
        let run = try Program("nuke-batch", ["run", "job.json"], in: site.job.folder.path)
        _ = await site.server.requests(atLeast: 1)
        let adopt = try await site.adopt()
        #expect(adopt.exit == 3 && adopt.output.isEmpty, "\(adopt.output)")
        gate.open()
        #expect(await run.wait().exit == 0)
    }
}
