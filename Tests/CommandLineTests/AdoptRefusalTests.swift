import Foundation
import Imaging
import LoopbackServer
import TestSupport
import Testing

/// The files that `adopt` does not take, by the reason; the next run makes them.
@Suite(.timeLimit(.minutes(10))) struct AdoptRefusalTests {
    private let site: FoundSite

    init() throws {
        site = try FoundSite()
        try site.write()
    }

    /// The counts of a call that refuses something, by reason.
    private func reasons(_ words: String...) async throws -> [String: Int] {
        let words = ["adopt", "job.json", "--json"] + words
        let outcome = try await Program.run("nuke-batch", words, in: site.job.folder.path)
        let total = try site.job.end(outcome)
        let reasons = try #require(total["reasons"] as? [String: Int])
        #expect(outcome.exit == (reasons.isEmpty ? 0 : 1), "\(outcome.output)\(outcome.errors)")
        #expect(total["refused"] as? Int == reasons.values.reduce(0, +))
        return reasons
    }

    private func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: site.job.folder.path(name),
            withDestinationPath: target
        )
    }

    @Test("a file that is no such image is refused with its reason, and made by the next run")
    func files() async throws {
        let square = try FoundSite.square(as: .webp(WebPOptions(quality: 40)))
        let jpeg = try FoundSite.jpeg(width: 64)
        // A wrong size, a wrong format under the right name, an end that is missing, no bytes.
        try site.job.folder.write(try FoundSite.jpeg(width: 48), to: "img/1-64.jpg")
        try site.job.folder.write(try FoundSite.square(as: .png()), to: "img/1.webp")
        try site.job.folder.write(jpeg.dropLast(jpeg.count / 3), to: "img/2-64.jpg")
        try site.job.folder.write(Data(), to: "img/2.webp")
        // A link to a whole image outside, a folder, and a text.
        try site.job.folder.write(jpeg, to: "elsewhere.jpg")
        try site.remove("3-64.jpg")
        try link("img/3-64.jpg", to: "../elsewhere.jpg")
        try site.job.folder.write("no image", to: "img/3.webp")
        try site.remove("4.webp")
        try site.job.folder.write(square, to: "img/4.webp/inside.webp")
        let found = try await reasons()
        #expect(found == ["size": 1, "format": 2, "damaged": 1, "empty": 1, "notFile": 2], "\(found)")
        try FileManager.default.removeItem(atPath: site.job.folder.path("img/4.webp"))
        let end = try site.job.end(try await site.job.run("--json"))
        #expect(end["made"] as? Int == 7 && end["reused"] as? Int == 1, "\(end)")
        #expect(try await site.job.nukeBatch("verify", "job.json").exit == 0)
        // The link's target is another's file.
        #expect(try site.job.data("elsewhere.jpg") == jpeg)
    }

    @Test("a folder of the path that is a link leads nowhere")
    func linkedFolder() async throws {
        try site.job.write(
            """
            "sources": [{"urls": ["\(site.server.address)/1.png"]}], "destination": "img", "outputs": [
                {"processors": [{"resize": {"width": 64}}], "format": "jpeg", "path": "in/{stem}-64.jpg"}]
            """
        )
        try site.job.folder.write(try FoundSite.jpeg(width: 64), to: "outside/1-64.jpg")
        try link("img/in", to: "../outside")
        #expect(try await reasons() == ["notFile": 1])
    }

    @Test("smaller images are taken only if that is asked for")
    func smaller() async throws {
        try site.job.folder.write(try FoundSite.jpeg(width: 48), to: "img/1-64.jpg")
        let refused = try await site.adopt("--dry-run")
        #expect(refused.output.contains("--smaller"), "\(refused.output)")
        #expect(try await reasons("--dry-run", "--smaller") == [:])
        // No original is as small and gives a square of another size.
        let square = try ImageDecoder.decode(FoundSite.square(as: .png()))
        let wide = try ImageEncoder.encode(
            Resize(width: 30, height: 20, contentMode: .fill).apply(to: square),
            as: .webp()
        )
        try site.job.folder.write(wide, to: "img/1.webp")
        #expect(try await reasons("--dry-run", "--smaller") == ["size": 1])
        #expect(try await reasons() == ["size": 2])
        let end = try site.job.end(try await site.job.run("--json"))
        #expect(end["made"] as? Int == 2 && site.requests == ["/1.png"], "\(end)")
    }

    @Test("paths that only the original gives, and copies of it, are refused once by name")
    func paths() async throws {
        try site.job.write(
            """
            "sources": [{"urls": ["\(site.server.address)/1.png", "\(site.server.address)/2.png"]}], "destination": "img",
            "outputs": [
                {"name": "a", "processors": [{"resize": {"width": 64}}], "format": "jpeg", "path": "{hash}.jpg"},
                {"name": "b", "format": "original", "path": "{stem}.png"},
                {"name": "c", "processors": [{"resize": {"width": 64}}], "format": "jpeg", "path": "{stem}-{height}.jpg"},
                {"name": "d", "processors": [{"resize": {"width": 64}}], "format": "jpeg", "path": "{stem}-{width}.jpg"}]
            """
        )
        #expect(try await reasons("--dry-run") == ["path": 4, "copy": 2])
        let told = try await site.adopt()
        #expect(told.lines.count { $0.hasPrefix("refused") } == 3, "\(told.output)")
        #expect(
            told.output.contains("{hash} or {shard}") && told.output.contains("{height}"),
            "\(told.output)"
        )
        #expect(
            told.output.contains("2 outputs adopted, 0 missing, 6 refused (path 4, copy 2)"),
            "\(told.output)"
        )
    }

    @Test("a file that two rows lead to is that of the first; one whose format is open must be one file")
    func collisions() async throws {
        let address = site.server.address
        let rows = #"["\#(address)/1.png", "\#(address)/a/1.png", "\#(address)/2.png"]"#
        try site.job.write(
            """
            "sources": [{"urls": \(rows)}], "destination": "img", "outputs": [
                {"name": "known", "processors": [{"resize": {"width": 64}}], "format": "jpeg", "path": "{stem}-64.jpg"},
                {"name": "late", "processors": [{"resize": {"width": 32}}], "path": "{stem}-l.{ext}"}]
            """
        )
        let picture = try ImageDecoder.decode(FoundSite.jpeg(width: 32))
        for name in ["1-l.png", "2-l.png"] {
            try site.job.folder.write(try ImageEncoder.encode(picture, as: .png()), to: "img/\(name)")
        }
        try site.job.folder.write(try FoundSite.jpeg(width: 32), to: "img/2-l.jpg")
        #expect(try await reasons() == ["collision": 2, "ambiguous": 1])
        let paths = try await site.job.items().map { item in
            (item["outputs"] as? [[String: Any]] ?? []).compactMap { $0["path"] as? String }
        }
        #expect(paths == [["1-64.jpg", "1-l.png"], [], ["2-64.jpg"]])
    }

    @Test("a local original that is younger than its image, or changes later, makes it again")
    func localOriginals() async throws {
        for number in 1...4 {
            try site.job.folder.write(
                try TestImages.gradient(width: 240, height: 160),
                to: "in/\(number).png"
            )
        }
        let text = String(decoding: try site.job.data("job.json"), as: UTF8.self)
        let urls = (1...4).map { "\"\(site.server.address)/\($0).png\"" }.joined(separator: ", ")
        try site.job.folder.write(
            text.replacing("{\"urls\": [\(urls)]}", with: #"{"files": "in/*.png"}"#),
            to: "job.json"
        )
        func age(_ name: String, by seconds: Double) throws {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -seconds)],
                ofItemAtPath: site.job.folder.path(name)
            )
        }
        for number in 2...4 { try age("in/\(number).png", by: 5000) }
        for name in ["1-64.jpg", "1.webp"] { try age("img/\(name)", by: 100) }
        #expect(try await reasons() == ["older": 2])
        var end = try site.job.end(try await site.job.run("--json"))
        #expect(end["made"] as? Int == 2, "\(end)")
        try age("in/3.png", by: 20)
        end = try site.job.end(try await site.job.run("--json"))
        #expect(end["made"] as? Int == 2 && end["failed"] as? Int == 0, "\(end)")
        #expect(try await reasons() == [:])
    }

    @Test("outputs that are no files of their own in a folder are refused by name")
    func manifests() async throws {
        try site.write(#", "dataset": {"pack": "tar"}"#)
        let packed = try await site.adopt()
        #expect(packed.exit == 2 && packed.errors.contains("dataset.pack"), "\(packed.errors)")
        try site.write(destination: "s3://bucket/img")
        let bucket = try await site.adopt()
        #expect(bucket.exit == 2 && bucket.errors.contains("not in s3://bucket/img"), "\(bucket.errors)")
        try site.write(destination: "nowhere")
        let nowhere = try await site.adopt()
        #expect(nowhere.exit == 2 && nowhere.errors.contains("does not exist"), "\(nowhere.errors)")
        try site.job.write(#""sources": [{"urls": ["\#(site.server.address)/1.png"]}]"#)
        let warming = try await site.adopt()
        #expect(warming.exit == 2 && warming.errors.contains("has none"), "\(warming.errors)")
        #expect(site.job.files(in: ".nuke-batch").isEmpty)
    }
}
