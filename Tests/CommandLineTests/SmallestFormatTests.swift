import Foundation
import Imaging
import TestSupport
import Testing

/// `"format": {"smallest": …}` through the real program.
@Suite(.timeLimit(.minutes(10))) struct SmallestFormatTests {
    private static let all = #""avif", "webp", {"webp": {"lossless": true}}, "jpeg", "png""#
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
        let photo = try ImageDecoder.decode(Repository.photo("coffee.png"))
        let part = try Crop(x: 120, y: 60, width: 240, height: 180).apply(to: photo)
        try job.folder.write(try ImageEncoder.encode(part, as: .png()), to: "in/photo.png")
        try job.folder.write(
            try ImageEncoder.encode(try drawing(alpha: 255), as: .png()),
            to: "in/drawing.png"
        )
        try job.folder.write(try ImageEncoder.encode(try drawing(alpha: 90), as: .png()), to: "in/clear.png")
    }

    /// Slanted bars of four colours, on a ground of this alpha.
    private func drawing(alpha: UInt8) throws -> Image {
        let colors: [[UInt8]] = [[200, 30, 40], [30, 90, 200], [20, 140, 60], [240, 180, 20]]
        var pixels = Data()
        for y in 0..<120 {
            for x in 0..<160 {
                let isBar = x % 40 < 28 && y > 100 - x % 97
                let color = colors[x / 40]
                let ground: [UInt8] = [255, 255, 255, alpha]
                pixels += isBar ? color + [255] : ground
            }
        }
        return try Image(width: 160, height: 120, rgba: pixels)
    }

    private func write(_ formats: String, floor: Int = 70, rest: String = "", path: String = "{stem}.{ext}")
        throws
    {
        try job.write(
            """
            "sources": [{"files": "in/*.png"}], "outputs": [{"name": "web", "path": "\(path)",
             "format": {"smallest": {"formats": [\(formats)], "quality": {"ssimulacra2": \(floor)}}}}\(rest)],
            "dataset": {"index": "index.csv"}
            """
        )
    }

    /// The output `web` of each item, by the name of its original.
    private func outputs() async throws -> [String: [String: Any]] {
        var found: [String: [String: Any]] = [:]
        for item in try await job.items() {
            let name = try #require((item["url"] as? String)?.split(separator: "/").last)
            let all = try #require(item["outputs"] as? [[String: Any]])
            found[String(name)] = try #require(all.first { $0["name"] as? String == "web" })
        }
        return found
    }

    private func files() -> [String] {
        job.files().filter { !$0.hasPrefix(".nuke-batch/") && !$0.hasPrefix("index") }
    }

    /// The smallest of the files that each format makes alone of an original, with its extension.
    private func expected(_ name: String, floor: Double = 70) throws -> (data: Data, ext: String) {
        let image = try ImageDecoder.decode(job.data("in/\(name)"))
        let choice = SmallestFormat(
            [.avif(), .webp(), .webp(WebPOptions(lossless: true)), .jpeg(), .png()],
            minimumSSIMULACRA2: floor
        )
        var files: [(data: Data, ext: String)] = []
        for format in choice.formats where name != "clear.png" || format.imageFormat != .jpeg {
            let alone = SmallestFormat([format], minimumSSIMULACRA2: floor)
            let file = try ImageEncoder.encoded(image, as: alone).file
            files.append((file.data, format.imageFormat.fileExtension))
        }
        return try #require(files.min { $0.data.count < $1.data.count })
    }

    @Test("each image gets its smallest format, which its path, its record and every listing tell")
    func choice() async throws {
        try write(Self.all)
        let first = try await job.run()
        #expect(first.output.contains("3 made"), "\(first.output)")
        let outputs = try await outputs()
        var formats: Set<String> = []
        for (name, output) in outputs {
            let (data, ext) = try expected(name)
            let path = String(name.dropLast(3)) + ext
            #expect(output["path"] as? String == path, "\(name): \(output)")
            #expect(try job.data("out/\(path)") == data, "\(name)")
            let format = try #require(ImageFormat(data))
            #expect(output["format"] as? String == format.rawValue)
            formats.insert(format.rawValue)
            if let score = output["ssimulacra2"] as? Double { #expect(score >= 70, "\(output)") }
        }
        // The control: the pictures are not alike for the formats.
        #expect(outputs.count == 3 && formats.count > 1, "\(formats)")
        #expect(
            outputs["photo.png"]?["ssimulacra2"] is Double && outputs["drawing.png"]?["ssimulacra2"] is NSNull
        )

        let photo = try #require(outputs["photo.png"]?["format"] as? String)
        let explained = try await job.nukeBatch("explain", "job.json", "in/photo.png")
        #expect(explained.output.contains("  \(photo)  "), "\(explained.output)")
        let exported = try await job.nukeBatch("export", "job.json")
        #expect(exported.lines.first?.contains("outputs.web.format") == true)
        #expect(exported.output.contains(",\(photo)"), "\(exported.output)")
        let report = try await job.nukeBatch("report", "job.json", "--output", "report.html")
        #expect(report.exit == 0, "\(report.errors)")
        let page = try String(decoding: job.data("report.html"), as: UTF8.self)
        #expect(formats.allSatisfy { page.contains("\($0) 1") || page.contains("\($0) 2") })

        #expect(try await job.run().output.contains("nothing to do"))
        #expect(try await job.nukeBatch("verify", "job.json").exit == 0)
        // A file that is lost is made again, at the same place.
        let path = try #require(outputs["drawing.png"]?["path"] as? String)
        let lost = try job.data("out/\(path)")
        try FileManager.default.removeItem(atPath: job.folder.path("out/\(path)"))
        #expect(try await job.nukeBatch("verify", "job.json", "--repair").exit == 0)
        try await job.run()
        #expect(try job.data("out/\(path)") == lost)
    }

    @Test("when another format wins, the old file is left for prune, and the new one is recorded")
    func change() async throws {
        try write(#""jpeg", "avif""#)
        try await job.run()
        let before = files()
        #expect(before.contains("photo.avif"), "\(before)")
        try write(#""jpeg", {"webp": {"lossless": true}}"#)
        let plan = try await job.nukeBatch("plan", "job.json")
        #expect(plan.exit == 0 && plan.output.contains("format changed"), "\(plan.output)")
        try await job.run()
        let told = try await outputs()
        #expect(told["photo.png"]?["path"] as? String == "photo.jpg", "\(told)")
        // What is transparent is not among the JPEGs.
        #expect(told["clear.png"]?["path"] as? String == "clear.webp")
        #expect(files().contains("photo.avif") && files().contains("photo.jpg"))
        let pruned = try await job.nukeBatch("prune", "job.json", "--delete", "--max-delete", "100%")
        #expect(pruned.exit == 0, "\(pruned.output)\(pruned.errors)")
        let paths = Set(told.values.compactMap { $0["path"] as? String })
        #expect(Set(files()) == paths, "\(files())")
        #expect(try await job.run().output.contains("nothing to do"))
    }

    @Test("two rows at one path are a collision where their formats are one")
    func collision() async throws {
        try write(#""jpeg", "webp""#, path: "one.{ext}")
        for name in ["drawing.png", "clear.png"] {
            try FileManager.default.removeItem(atPath: job.folder.path("in/\(name)"))
        }
        let photo = try ImageDecoder.decode(job.data("in/photo.png"))
        let part = try Crop(width: 200, height: 180).apply(to: photo)
        try job.folder.write(try ImageEncoder.encode(part, as: .png()), to: "in/second.png")
        let run = try await job.nukeBatch("run", "job.json")
        #expect(run.exit != 0)
        let errors = try await job.errors()
        #expect(errors.filter { $0 == "collision" }.count == 1, "\(errors)")
        #expect(files().count == 1, "\(files())")
    }

    @Test("files that another tool has made are adopted in any of the formats")
    func adoption() async throws {
        try write(Self.all)
        let photo = try ImageDecoder.decode(job.data("in/photo.png"))
        try job.folder.write(try ImageEncoder.encode(photo, as: .jpeg()), to: "out/photo.jpg")
        try job.folder.write(
            try ImageEncoder.encode(try drawing(alpha: 255), as: .webp()),
            to: "out/drawing.webp"
        )
        let adopted = try await job.nukeBatch("adopt", "job.json")
        #expect(adopted.exit == 0 || adopted.exit == 1, "\(adopted.output)\(adopted.errors)")
        let kept = try job.data("out/photo.jpg")
        try await job.run()
        let told = try await outputs()
        #expect(told["photo.png"]?["format"] as? String == "jpeg", "\(told)")
        #expect(told["drawing.png"]?["path"] as? String == "drawing.webp")
        #expect(try job.data("out/photo.jpg") == kept)
    }

    @Test("resize and convert take the smallest file with a target, and say why they need one")
    func commands() async throws {
        for words in [["convert", "in"], ["resize", "in", "--width", "100"]] {
            let made = try await Program.run(
                "nuke-batch",
                words + ["--format", "smallest", "--target", "70", "-o", words[0]],
                in: job.folder.path
            )
            #expect(made.exit == 0, "\(made.output)\(made.errors)")
            let files = job.files(in: words[0]).filter { !$0.hasPrefix(".nuke-batch/") }
            #expect(files.count == 3 && !files.contains("clear.jpg"), "\(files)")
        }
        for (words, error) in [
            ([], "--format smallest needs --target, such as --target 70: without a floor of quality"),
            (["--target", "70", "--format", "jpeg"], "--format smallest takes one format for each image"),
            (["--quality", "70", "--target", "70"], "--quality needs --format with jpeg, webp or avif"),
        ] {
            let wrong = try await Program.run(
                "nuke-batch",
                ["convert", "in", "--format", "smallest", "-o", "wrong"] + words,
                in: job.folder.path
            )
            #expect(wrong.exit == 2 && wrong.errors.contains(error), "\(words): \(wrong.errors)")
        }
        try job.write(#""sources": [{"files": "in/*"}], "outputs": [{"format": "smallest"}]"#)
        let wrong = try await job.nukeBatch("run", "job.json")
        #expect(
            wrong.exit == 2 && wrong.errors.contains("without which sizes cannot be compared"),
            "\(wrong.errors)"
        )
    }
}
