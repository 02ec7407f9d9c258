import Foundation
import Imaging
import LoopbackServer
import TestSupport
import Testing

/// Formats with their settings, `metadata`, `existing`, `when` and `background`.
@Suite(.timeLimit(.minutes(10))) struct OutputSettingTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
        try job.folder.write(try Repository.photo("rocket.jpg"), to: "a.jpg")
    }

    @Test("each setting of each format shapes the file")
    func formats() async throws {
        let formats = [
            "plain": #""jpeg""#, "low": #"{"jpeg": {"quality": 20}}"#,
            "progressive": #"{"jpeg": {"progressive": true}}"#,
            "quality82": #"{"jpeg": {"quality": 82, "progressive": false, "subsampling": "4:2:0"}}"#,
            "c444": #"{"jpeg": {"subsampling": "4:4:4"}}"#, "c422": #"{"jpeg": {"subsampling": "4:2:2"}}"#,
            "png": #""png""#, "png1": #"{"png": {"compression": 1}}"#,
            "png9": #"{"png": {"compression": 9}}"#,
            "palette": #"{"png": {"palette": true}}"#, "webp": #""webp""#,
            "webpLow": #"{"webp": {"quality": 10}}"#,
            "lossless": #"{"webp": {"lossless": true}}"#, "effort0": #"{"webp": {"effort": 0}}"#,
            "same": #""same""#, "original": #""original""#,
        ]
        let outputs = formats.sorted { $0.key < $1.key }.map { name, format in
            let processors = name == "original" ? "" : #", "processors": [{"resize": {"width": 100}}]"#
            return #"{"name": "\#(name)", "format": \#(format), "path": "{name}.{ext}"\#(processors)}"#
        }
        try job.write(#""sources": [{"urls": ["a.jpg"]}], "outputs": [\#(outputs.joined(separator: ", "))]"#)
        try await job.run()
        func made(_ name: String) throws -> Data { try job.data("out/\(name)") }
        #expect(try made("plain.jpg") == made("quality82.jpg") && made("plain.jpg") == made("same.jpg"))
        #expect(try made("low.jpg").count < made("plain.jpg").count)
        #expect(try ImageHeader.read(made("progressive.jpg")).isProgressive)
        #expect(try !ImageHeader.read(made("plain.jpg")).isProgressive)
        // The sampling factors of the first component in the frame header (ITU-T T.81, B.2.2).
        for (name, factors) in ["plain": 0x22, "c444": 0x11, "c422": 0x21] as [String: UInt8] {
            let data = try made("\(name).jpg")
            let frame = try #require(data.firstRange(of: [0xFF, 0xC0]))
            #expect(data[frame.upperBound + 9] == factors, "\(name)")
        }
        #expect(try made("png9.png").count < made("png1.png").count)
        #expect(try job.image("out/png9.png").rgba() == job.image("out/png1.png").rgba())
        #expect(try made("palette.png")[25] == 3 && made("png.png")[25] == 2, "the colour type in IHDR")
        #expect(try made("webpLow.webp").count < made("webp.webp").count)
        #expect(try made("effort0.webp") != made("webp.webp"))
        #expect(try job.image("out/lossless.webp").rgba() == job.image("out/png.png").rgba())
        #expect(try made("original.jpg") == Repository.photo("rocket.jpg"))
    }

    @Test("AVIF with its settings", .enabled(if: ImageEncoder.formats.contains(.avif)))
    func avif() async throws {
        try job.write(
            """
            "sources": [{"urls": ["a.jpg"]}], "processors": [{"resize": {"width": 100}}], "outputs": [
             {"name": "plain", "format": "avif", "path": "{name}.{ext}"},
             {"name": "low", "format": {"avif": {"quality": 10}}, "path": "{name}.{ext}"},
             {"name": "quick", "format": {"avif": {"speed": 10}}, "path": "{name}.{ext}"}]
            """
        )
        try await job.run()
        #expect(job.files() == ["low.avif", "plain.avif", "quick.avif"])
        let sizes = try job.files().map { try job.data("out/\($0)").count }
        #expect(sizes[0] < sizes[1] && sizes[2] != sizes[1], "\(sizes)")
        #expect(try ImageHeader.read(try job.data("out/low.avif")).format == .avif)
    }

    @Test("JPEG XL with its settings", .enabled(if: ImageEncoder.formats.contains(.jxl)))
    func jxl() async throws {
        try job.write(
            """
            "sources": [{"urls": ["a.jpg"]}], "processors": [{"resize": {"width": 100}}], "outputs": [
             {"name": "far", "format": {"jxl": {"distance": 10}}, "path": "{name}.{ext}"},
             {"name": "lossless", "format": {"jxl": {"lossless": true}}, "path": "{name}.{ext}"},
             {"name": "plain", "format": "jxl", "path": "{name}.{ext}"},
             {"name": "png", "format": "png", "path": "{name}.{ext}"},
             {"name": "small", "format": {"jxl": {"maxBytes": "1kB"}}, "path": "{name}.{ext}"}]
            """
        )
        try await job.run()
        #expect(job.files() == ["far.jxl", "lossless.jxl", "plain.jxl", "png.png", "small.jxl"])
        let sizes = try ["far", "plain", "lossless"].map { try job.data("out/\($0).jxl").count }
        #expect(sizes == sizes.sorted() && Set(sizes).count == 3, "\(sizes)")
        #expect(try job.data("out/small.jxl").count <= 1000)
        #expect(try job.image("out/lossless.jxl").rgba() == job.image("out/png.png").rgba())
        #expect(try ImageHeader.read(try job.data("out/plain.jxl")).format == .jxl)
    }

    @Test("metadata is stripped, kept, or kept as far as it names the rights")
    func metadata() async throws {
        var exif = EXIFData.photograph
        exif.main[0x8298] = .ascii("(c) Somebody")
        try job.folder.write(EXIFData.embed(exif.data, in: try Repository.photo("rocket.jpg")), to: "a.jpg")
        let outputs = ["default", "strip", "keep", "copyright"].map { name in
            let metadata = name == "default" ? "" : #", "metadata": "\#(name)""#
            return #"{"name": "\#(name)", "format": "jpeg", "path": "{name}.jpg"\#(metadata)}"#
        }
        try job.write(#""sources": [{"urls": ["a.jpg"]}], "outputs": [\#(outputs.joined(separator: ", "))]"#)
        try await job.run()
        let found = try ["default", "strip", "keep", "copyright"].map { name in
            let data = try job.data("out/\(name).jpg")
            return ["(c) Somebody", "Canon EOS R5"].map { data.firstRange(of: Data($0.utf8)) != nil }
        }
        #expect(found == [[false, false], [false, false], [true, true], [true, false]])
        // Upright whatever is kept: the orientation that is left says so.
        for name in ["strip", "keep", "copyright"] {
            let header = try ImageHeader.read(try job.data("out/\(name).jpg"))
            #expect(header.size == PixelSize(width: 427, height: 640) && header.orientation == .up, "\(name)")
        }
    }

    @Test("a file that the state does not know is replaced, or stays; who changes his mind gets his output")
    func existing() async throws {
        func write(_ existing: String) throws {
            try job.write(
                #""sources": [{"urls": ["a.jpg"]}], "outputs": [{"path": "{stem}.{ext}", "format": "original"\#(existing)}]"#
            )
        }
        try job.folder.write("mine", to: "out/a.jpg")
        try write(#", "existing": "keep""#)
        #expect(try await job.run().output.hasPrefix("0 made, 1 skipped"))
        #expect(try job.data("out/a.jpg") == Data("mine".utf8))
        let item = try #require(try await job.items().first)
        #expect(item["state"] as? String == "skipped")
        #expect((item["outputs"] as? [[String: Any]])?.first?["reason"] as? String == "exists")
        #expect(try await job.run().output.hasPrefix("nothing to do"))
        try write(#", "existing": "replace""#)
        #expect(try await job.run().output.hasPrefix("1 made"))
        #expect(try job.data("out/a.jpg") == Repository.photo("rocket.jpg"))
        // What the run itself has written is no stranger's file.
        try write(#", "existing": "keep""#)
        #expect(try await job.run().output.hasPrefix("nothing to do"))
        try job.folder.write("another", to: "out/a.jpg")
        try write("")
        try await job.run("--fresh")
        #expect(try job.data("out/a.jpg") == Repository.photo("rocket.jpg"))
    }

    @Test("what `when` leaves out is skipped with its reason, and made when `when` does not say so any more")
    func conditions() async throws {
        try job.folder.write(try Repository.photo("coffee.png"), to: "b.png")
        // 640 x 427 and 600 x 400.
        let conditions = [
            #"{"minWidth": 620}"#, #"{"minHeight": 410}"#, #"{"maxAspect": 1.4995}"#,
            #"{"types": ["png", "webp"]}"#,
            #"{"minWidth": 600, "minHeight": 400, "maxAspect": 1.5, "types": ["jpeg", "png"]}"#,
        ]
        func write(_ conditions: [String]) throws {
            let outputs = conditions.enumerated().map { number, condition in
                #"{"name": "o\#(number)", "when": \#(condition), "format": "original", "path": "\#(number)-{stem}.{ext}"}"#
            }
            try job.write(
                #""sources": [{"urls": ["a.jpg", "b.png"]}], "outputs": [\#(outputs.joined(separator: ", "))]"#
            )
        }
        try write(conditions)
        try await job.run()
        #expect(job.files() == ["0-a.jpg", "1-a.jpg", "2-a.jpg", "3-b.png", "4-a.jpg", "4-b.png"])
        let reasons = try await job.items().map { item in
            (item["outputs"] as? [[String: Any]] ?? []).compactMap { $0["reason"] as? String }
        }
        #expect(reasons[0] == ["of type jpeg"])
        #expect(
            reasons[1] == [
                "narrower than 620 pixels", "lower than 410 pixels",
                "longer than 1.4995 times its shorter side",
            ]
        )
        try write([#"{"minWidth": 600}"#] + conditions.dropFirst())
        let again = try job.end(try await job.run("--json"))
        #expect(job.files().contains("0-b.png"))
        // The other one is there already, and a condition is nothing that shapes its bytes.
        #expect(again["made"] as? Int == 1, "\(again)")
        #expect(try await job.run().output.hasPrefix("nothing to do: 2 items"))
        try write([#"{"minWidth": 5000}"#] + conditions.dropFirst())
        #expect(try job.end(try await job.run("--json"))["made"] as? Int == 0)
        #expect(try await job.items().allSatisfy { "\($0)".contains("narrower than 5000 pixels") })
    }

    @Test("alpha into JPEG is laid over white, or over the background that is asked for")
    func background() async throws {
        let clear = try Image(width: 8, height: 8, rgba: Data(repeating: 0, count: 256))
        try job.folder.write(try ImageEncoder.encode(clear, as: .png()), to: "clear.png")
        try job.write(
            """
            "sources": [{"urls": ["clear.png"]}], "outputs": [{"name": "white", "format": "jpeg", "path": "{name}.jpg"},
             {"name": "green", "format": "jpeg", "background": "#0F0", "path": "{name}.jpg"},
             {"name": "flat", "format": "png", "processors": [{"flatten": {"background": "#00F"}}], "path": "{name}.png"},
             {"name": "clear", "format": "png", "path": "{name}.png"}]
            """
        )
        try await job.run()
        for (file, color) in [
            "white.jpg": [255, 255, 255, 255], "green.jpg": [0, 255, 0, 255], "flat.png": [0, 0, 255, 255],
            "clear.png": [0, 0, 0, 0],
        ] {
            let first = [UInt8](try job.image("out/\(file)").rgba()).prefix(4)
            #expect(zip(first, color).allSatisfy { abs(Int($0) - $1) <= 2 }, "\(file): \(Array(first))")
        }
    }
}
