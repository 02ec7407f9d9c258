import Foundation
import Imaging
import LoopbackServer
import TestSupport
import Testing

/// `"quality": {"ssimulacra2": …}` through the real program.
@Suite(.timeLimit(.minutes(10))) struct QualityTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let photo = try ImageDecoder.decode(Repository.photo("coffee.png"))
        let part = try Crop(x: 120, y: 60, width: 240, height: 180).apply(to: photo)
        for place in ["in", "noise"] {
            try folder.write(try ImageEncoder.encode(part, as: .png()), to: "\(place)/photo.png")
        }
        let other = try ImageDecoder.decode(Repository.photo("rocket.jpg"))
        try folder.write(
            try ImageEncoder.encode(
                try Crop(x: 200, y: 40, width: 200, height: 200).apply(to: other),
                as: .png()
            ),
            to: "in/rocket.png"
        )
        try folder.write(try TestImages.noise(96, 96, seed: 20_261_129), to: "noise/noise.png")
    }

    private func write(_ outputs: String, of files: String = "in/*.png") throws {
        try folder.write(
            #"{"sources": [{"files": "\#(files)"}], "dataset": {"index": "index.csv"}, "outputs": [\#(outputs)]}"#,
            to: "job.json"
        )
    }

    private func run(_ words: String...) async throws -> Program.Outcome {
        try await Program.run("nuke-batch", words, in: folder.path)
    }

    /// The outputs of the items by their files' names and their own.
    private func outputs() async throws -> [String: [String: Any]] {
        var found: [String: [String: Any]] = [:]
        for item in try ToldJob.objects(try await run("items", "job.json", "--json")) {
            let file = try #require((item["url"] as? String)?.split(separator: "/").last)
            for output in try #require(item["outputs"] as? [[String: Any]]) {
                found["\(file) \(try #require(output["name"] as? String))"] = output
            }
        }
        return found
    }

    /// The score of an output, from its file and its image.
    private func measured(_ path: String, _ original: String) throws -> Double {
        let image = try ImageDecoder.decode(
            try Data(contentsOf: URL(fileURLWithPath: folder.path("in/\(original)")))
        )
        let file = try ImageDecoder.decode(
            try Data(contentsOf: URL(fileURLWithPath: folder.path("out/\(path)")))
        )
        return try image.ssimulacra2(of: file)
    }

    @Test("each file has the score, and is told with its quality, in every format")
    func floors() async throws {
        let formats = ["jpeg", "webp", "avif", "jxl"]
        try write(
            formats.map {
                #"{"name": "\#($0)", "format": {"\#($0)": {"quality": {"ssimulacra2": 65}}}, "path": "{stem}.{ext}"}"#
            }.joined(separator: ", ")
        )
        let first = try await run("run", "job.json")
        #expect(first.exit == 0 && first.output.contains("8 made"), "\(first.output)\(first.errors)")
        for (name, output) in try await outputs() {
            let score = try #require(output["ssimulacra2"] as? Double)
            let original = try #require(name.split(separator: " ").first)
            let path = try #require(output["path"] as? String)
            #expect(abs(try measured(path, String(original)) - score) < 0.001, "\(name)")
            #expect(output["quality"] is Int && output["shortfall"] is NSNull, "\(name)")
            #expect(score >= 65, "\(name): \(score)")
        }
        let explained = try await run("explain", "job.json", "in/photo.png")
        #expect(explained.output.contains("  SSIMULACRA2 6"), "\(explained.output)")
        let report = try await run("report", "job.json", "--output", "report.html")
        #expect(report.exit == 0, "\(report.errors)")
        let page = try String(contentsOfFile: folder.path("report.html"), encoding: .utf8)
        #expect(page.contains("Quality by SSIMULACRA2") && page.contains("8 files."))
        let index = try String(contentsOfFile: folder.path("out/index.csv"), encoding: .utf8)
        #expect(
            index.hasPrefix("item,url,path,width,height,bytes,hash,id,name,offset,original,ssimulacra2\r\n")
        )
        let exported = try await run("export", "job.json")
        #expect(
            exported.lines.first?.contains(
                "outputs.jpeg.quality,outputs.jpeg.ssimulacra2,outputs.jpeg.shortfall"
            ) == true
        )

        // Nothing is made again, and another score makes only its own output again.
        let second = try await run("run", "job.json")
        #expect(second.exit == 0 && second.output.contains("nothing to do"), "\(second.output)")
        try write(
            formats.map {
                let score = $0 == "webp" ? 50 : 65
                return
                    #"{"name": "\#($0)", "format": {"\#($0)": {"quality": {"ssimulacra2": \#(score)}}}, "path": "{stem}.{ext}"}"#
            }.joined(separator: ", ")
        )
        let third = try await run("run", "job.json")
        #expect(third.exit == 0 && third.output.contains("2 made"), "\(third.output)\(third.errors)")
    }

    @Test("what cannot have the score is made as well as it can be, and told with the reason")
    func shortfalls() async throws {
        try write(
            #"{"name": "best", "format": {"webp": {"quality": {"ssimulacra2": 99}}}, "path": "best/{stem}.{ext}"}, "#
                + #"{"name": "small", "format": {"jpeg": {"quality": {"ssimulacra2": 80}, "maxBytes": "9kB"}}, "#
                + #""path": "small/{stem}.{ext}"}"#,
            of: "noise/*.png"
        )
        let made = try await run("run", "job.json")
        #expect(made.exit == 0 && made.output.contains("4 made"), "\(made.output)\(made.errors)")
        let told = try await outputs()
        for name in ["noise.png best", "photo.png best"] {
            #expect(told[name]?["shortfall"] as? String == "quality", "\(name): \(told)")
            #expect(told[name]?["quality"] as? Int == 100, "\(name): \(told)")
        }
        let small = try #require(told["noise.png small"])
        #expect(small["shortfall"] as? String == "maxBytes", "\(small)")
        #expect(try #require(small["bytes"] as? Int) <= 9000)
        let status = try await run("status", "job.json")
        #expect(status.output.contains("\n  below the quality asked for by quality: 2\n"), "\(status.output)")
        let explained = try await run("explain", "job.json", "noise/noise.png")
        #expect(explained.output.contains("which no quality of its format reaches"), "\(explained.output)")
        #expect(explained.output.contains("since `maxBytes` is obeyed first"), "\(explained.output)")
        // A number needs no search.
        try write(
            #"{"name": "plain", "format": {"jpeg": {"quality": 80}}, "path": "plain/{stem}.{ext}"}"#,
            of: "noise/*.png"
        )
        #expect(try await run("run", "job.json").exit == 0)
        let plain = try #require(try await outputs()["photo.png plain"])
        #expect(
            plain["quality"] as? Int == 80 && plain["ssimulacra2"] is NSNull && plain["shortfall"] is NSNull
        )
        #expect(try await run("status", "job.json").output.contains("below the quality") == false)
    }

    @Test("resize takes a score in the place of a quality")
    func resize() async throws {
        let made = try await run(
            "resize",
            "in/photo.png",
            "--width",
            "64",
            "--format",
            "jpeg",
            "--target",
            "60",
            "--output",
            "made"
        )
        #expect(made.exit == 0, "\(made.output)\(made.errors)")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path("made"))
        #expect(files.contains("photo.jpg"), "\(files)")
        for (words, error) in [
            (
                ["--format", "png", "--target", "60"],
                "--target needs --format with jpeg, webp, avif, jxl or smallest"
            ),
            (
                ["--format", "jpeg", "--target", "60", "--quality", "50"],
                "--target and --quality cannot be combined"
            ),
            (["--format", "jpeg", "--target", "0"], "--target takes a whole number from 1 to 100"),
        ] {
            let wrong = try await Program.run(
                "nuke-batch",
                ["resize", "in/photo.png", "--width", "64", "-o", "made"] + words,
                in: folder.path
            )
            #expect(wrong.exit == 2 && wrong.errors.contains(error), "\(words): \(wrong.errors)")
        }
    }
}
