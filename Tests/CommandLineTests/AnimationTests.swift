#if GIF
import Foundation
import Imaging
import TestSupport
import Testing

/// Animated originals through a whole job: their first frame, or all of them as WebP.
@Suite(.timeLimit(.minutes(10))) struct AnimationTests {
    #if AVIF
    private static let animations = ["animated.avif", "animated.gif", "animated.webp"]
    #else
    private static let animations = ["animated.gif", "animated.webp"]
    #endif

    /// A folder with the seeds of the fuzzer that are animated, and a still one, and a job whose output has these keys.
    private func folder(_ output: String, _ rest: String = "") throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for name in Self.animations + ["still.gif"] {
            let seed = Repository.root.appendingPathComponent("Tests/Fuzzing/seeds/\(name)")
            try folder.write(try Data(contentsOf: seed), to: "images/\(name)")
        }
        try write(output, rest, to: folder)
        return folder
    }

    private func write(_ output: String, _ rest: String = "", to folder: TemporaryFolder) throws {
        try folder.write(
            """
            {"sources": [{"files": "images/*"}], "cache": {"directory": "cache"},
             "outputs": [{"path": "{index}-{stem}.{ext}", \(output)}]\(rest)}
            """,
            to: "job.json"
        )
    }

    private func run(_ folder: TemporaryFolder, _ command: String...) async throws -> Program.Outcome {
        try await Program.run("nuke-batch", command, in: folder.path)
    }

    private func header(_ folder: TemporaryFolder, _ name: String) throws -> ImageHeader {
        try ImageHeader.read(Data(contentsOf: URL(fileURLWithPath: folder.path("out/\(name)"))))
    }

    private func files(_ folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path("out")).sorted()
    }

    @Test("the first frame is shown by default, and the fact of the others is recorded unasked")
    func firstFrame() async throws {
        let folder = try folder(#""format": "webp", "processors": [{"resize": {"width": 24}}]"#)
        let run = try await run(folder, "run", "job.json")
        #expect(run.exit == 0, "\(run.output)\(run.errors)")
        let made = try files(folder)
        #expect(made.count == Self.animations.count + 1)
        for name in made { #expect(try header(folder, name).animation == nil) }
        // Another manifest forgets facts that it does not ask for, but not these.
        for rest in ["", #", "limits": {"memory": "1GiB"}"#] {
            try write(#""format": "webp", "processors": [{"resize": {"width": 24}}]"#, rest, to: folder)
            let again = try await self.run(folder, "run", "job.json")
            #expect(again.output.contains("nothing to do"), "\(again.output)")
            let items = try await self.run(folder, "items", "job.json", "--json").lines.map { line in
                let item = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                return (item?["facts"] as? [String: Any])?["animation"] as? [String: Any]
            }
            #expect(items.count == Self.animations.count + 1)
            let each = Self.animations.map { _ in 2 }
            #expect(items.compactMap { $0?["frames"] as? Int } == each)
            #expect(items.compactMap { $0?["seconds"] as? Double } == each.map { _ in 0.2 })
            #expect(items.compactMap { $0?["plays"] as? Int } == each.map { _ in 0 })
        }
        for name in Self.animations {
            let explained = try await self.run(folder, "explain", "job.json", name)
            #expect(
                explained.output.contains("animated: 2 frames in 0.2 s, played for ever"),
                "\(explained.output)"
            )
        }
    }

    @Test(
        "an animation is kept as WebP or GIF, as WebP where the format is the source's",
        arguments: ["webp", "same", "gif"]
    )
    func keeps(format: String) async throws {
        let folder = try folder(
            #""format": "\#(format)", "processors": [{"resize": {"width": 24}}], "animation": "keep""#
        )
        let run = try await run(folder, "run", "job.json")
        #expect(run.exit == 0, "\(run.output)\(run.errors)")
        let made = try files(folder).filter { $0.contains("animated") }
        #expect(made.count == Self.animations.count)
        for name in made {
            let header = try header(folder, name)
            #expect(header.format == (format == "gif" ? .gif : .webp))
            #expect(header.size == PixelSize(width: 24, height: 16))
            let animation = header.animation
            #expect(animation?.frameCount == 2 && animation?.duration == .milliseconds(200))
            #expect(animation?.plays == 0)
        }
        let again = try await self.run(folder, "run", "job.json")
        #expect(again.exit == 0)
        #expect(try files(folder).count == Self.animations.count + 1)
    }

    @Test("changing the key remakes the outputs from the cache, and bounds cut")
    func changes() async throws {
        let output = #""format": "webp", "processors": [{"resize": {"width": 24}}]"#
        let folder = try folder(output)
        #expect(try await run(folder, "run", "job.json").exit == 0)
        let still = try files(folder)
        try write(output + #", "animation": {"keep": true, "maxFrames": 1}"#, to: folder)
        #expect(try await run(folder, "run", "job.json").exit == 0)
        for name in still { #expect(try header(folder, name).animation == nil) }
        try write(output + #", "animation": {"maxDuration": "150ms"}"#, to: folder)
        #expect(try await run(folder, "run", "job.json").exit == 0)
        let animated = try still.compactMap { try header(folder, $0).animation }
        #expect(animated.map(\.duration) == Self.animations.map { _ in .milliseconds(150) })
    }

    @Test("a file that would be larger than the original is skipped unless asked for")
    func larger() async throws {
        let output =
            #""format": {"webp": {"lossless": true}}, "processors": [{"resize": {"width": 480, "upscale": true}}]"#
        let folder = try folder(
            output + #", "animation": "keep", "when": {"types": ["avif", "gif", "webp"]}"#
        )
        try FileManager.default.removeItem(atPath: folder.path("images/still.gif"))
        let run = try await run(folder, "run", "job.json")
        #expect(run.exit == 0, "\(run.output)\(run.errors)")
        let explained = try await self.run(folder, "explain", "job.json", "animated.gif")
        #expect(explained.output.contains("larger than the original"), "\(explained.output)")
        try write(output + #", "animation": {"allowLarger": true}"#, to: folder)
        #expect(try await self.run(folder, "run", "job.json").exit == 0)
        #expect(try files(folder).count == Self.animations.count)
        for name in try files(folder) { #expect(try header(folder, name).animation?.frameCount == 2) }
    }

    @Test("an animation with more pixels than allowed fails by name, and its item can be mended")
    func limits() async throws {
        let output = #""format": "webp", "animation": {"maxPixels": 8000}"#
        let folder = try folder(output)
        let run = try await run(folder, "run", "job.json")
        #expect(run.exit != 0)
        let explained = try await self.run(folder, "explain", "job.json", "animated.gif")
        #expect(
            explained.output.contains("limits") && explained.output.contains("2 frames"),
            "\(explained.output)"
        )
        try write(#""format": "webp", "animation": {"maxPixels": "1MP", "allowLarger": true}"#, to: folder)
        let mended = try await self.run(folder, "run", "job.json")
        #expect(mended.exit == 0, "\(mended.output)\(mended.errors)")
    }

    @Test("a damaged end is told, and a cut first frame fails")
    func damage() async throws {
        let folder = try folder(#""format": "webp", "animation": {"allowLarger": true}"#)
        let gif = try Data(contentsOf: URL(fileURLWithPath: folder.path("images/animated.gif")))
        for name in Self.animations + ["still.gif"] {
            try FileManager.default.removeItem(atPath: folder.path("images/\(name)"))
        }
        // Of three frames, the last one ends within its pixels.
        let second = try #require(gif.range(of: Data([0x21, 0xF9, 4, 5]))?.lowerBound)
        let frame = gif[second..<gif.count - 1]
        try folder.write(Data(gif.dropLast()) + frame.prefix(frame.count / 2), to: "images/cut.gif")
        let run = try await run(folder, "run", "job.json")
        #expect(run.exit == 0, "\(run.output)\(run.errors)")
        #expect(try header(folder, "1-cut.webp").animation?.frameCount == 2)
        for rest in ["", #", "name": "again""#] {
            // Made again, the output has found the same, and the rest of what is known stays.
            try write(
                #""format": {"webp": {"quality": 60}}, "animation": {"allowLarger": true}"#,
                rest,
                to: folder
            )
            #expect(try await self.run(folder, "run", "job.json").exit == 0)
            let explained = try await self.run(folder, "explain", "job.json", "cut.gif")
            #expect(explained.output.contains("warning: The animation is damaged or cut short"))
            #expect(explained.output.contains("animated: 3 frames"), "\(explained.output)")
        }

        try folder.write(Data(gif.prefix(second - 40)), to: "images/cut.gif")
        let failed = try await self.run(folder, "run", "job.json")
        #expect(failed.exit != 0, "\(failed.output)\(failed.errors)")
    }

    @Test(
        "what cannot hold or keep frames is refused when the manifest is read",
        arguments: [
            (#""format": "jpeg", "animation": "keep""#, "is for the formats webp, gif and same"),
            (
                #""format": "webp", "animation": "keep", "processors": [{"trim": true}]"#,
                "cannot be kept with \"trim\""
            ),
            (
                #""format": "webp", "animation": {"maxFrames": 9}, "processors": [{"crop": {"width": 9, "height": 9, "gravity": "smart"}}]"#,
                "cannot be kept with a smart crop"
            ),
            (#""format": "webp", "animation": {"keep": false}"#, "should be true"),
            (#""format": "webp", "animation": "kept""#, "keep"),
            (#""format": "webp", "animation": 3"#, "should be"),
            (#""format": "webp", "animation": {"frames": 3}"#, "maxFrames"),
        ]
    )
    func refuses(output: String, message: String) async throws {
        let folder = try folder(output)
        let run = try await run(folder, "validate", "job.json")
        #expect(run.exit == 2)
        #expect(run.output.contains(message) && run.output.contains("animation"), "\(run.output)")
    }
}
#endif
