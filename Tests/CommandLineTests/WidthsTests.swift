import Foundation
import Imaging
import TestSupport
import Testing

/// `widths` and `formats` of an output.
@Suite(.timeLimit(.minutes(10))) struct WidthsTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
        for width in [300, 400, 1000, 2000] {
            try job.folder.write(try TestImages.gradient(width: width, height: 100), to: "w\(width).png")
        }
    }

    private func write(_ output: String, urls: [String] = ["w300", "w400", "w1000", "w2000"]) throws {
        let urls = urls.map { "\"\($0).png\"" }.joined(separator: ", ")
        try job.write(#""sources": [{"urls": [\#(urls)]}], "outputs": [{"name": "small", \#(output)}]"#)
    }

    /// The sizes of the outputs of each item by their names' ends, or the reason of a skipped one.
    private func outputs() async throws -> [[String: String]] {
        try await job.items().map { item in
            let outputs = item["outputs"] as? [[String: Any]] ?? []
            return Dictionary(
                uniqueKeysWithValues: outputs.map { output in
                    let name = output["name"] as? String ?? ""
                    let width = (output["width"] as? Int).map(String.init)
                    return (String(name.dropFirst(6)), width ?? output["reason"] as? String ?? "")
                }
            )
        }
    }

    @Test("every width below the image's own, the image itself, and nothing wider; a second run does nothing")
    func widths() async throws {
        try write(#""widths": [800, 1600, 400], "format": "png", "path": "{stem}-{width}.{ext}""#)
        #expect(try await job.run().output.hasPrefix("8 made; 4 of 4 items done"))
        let expected = [
            ["400": "300", "800": "width", "1600": "width"], ["400": "400", "800": "width", "1600": "width"],
            ["400": "400", "800": "800", "1600": "1000"], ["400": "400", "800": "800", "1600": "1600"],
        ]
        #expect(try await outputs() == expected)
        let files = [
            "w1000-1000.png", "w1000-400.png", "w1000-800.png", "w2000-1600.png", "w2000-400.png",
            "w2000-800.png", "w300-300.png", "w400-400.png",
        ]
        #expect(job.files() == files)
        for file in files {
            let width = try #require(Int(file.split(separator: "-")[1].dropLast(4)))
            #expect(try ImageHeader.read(job.data("out/\(file)")).size.width == width, "\(file)")
        }
        #expect(try await job.items().allSatisfy { $0["state"] as? String == "done" })
        #expect(try await job.run().output.hasPrefix("nothing to do: 4 items"))
        #expect(try await job.nukeBatch("verify", "job.json").exit == 0)
    }

    @Test("a width more makes what is new; a width that is no longer the largest is not made again")
    func changed() async throws {
        let rest = #", "format": "png", "path": "{output}/{stem}.{ext}""#
        try write(#""widths": [400, 800]"# + rest, urls: ["w1000", "w2000"])
        try await job.run()
        let before = try job.modified("out/small-800/w2000.png")
        try write(#""widths": [400, 600, 800]"# + rest, urls: ["w1000", "w2000"])
        #expect(try job.end(try await job.run("--json"))["made"] as? Int == 2)
        #expect(try await outputs() == [["400": "400", "600": "600", "800": "800"]].flatMap { [$0, $0] })
        #expect(try job.modified("out/small-800/w2000.png") == before)
        // The image of 1000 pixels was made at 1000 for 1600; 1000 takes its place, and the other file is left over.
        try write(#""widths": [1600]"# + rest, urls: ["w1000"])
        try await job.run()
        try write(#""widths": [1000, 1600]"# + rest, urls: ["w1000"])
        try await job.run()
        #expect(try await outputs() == [["1000": "1000", "1600": "width"]])
        #expect(try await job.nukeBatch("prune", "job.json", "--delete", "--max-delete", "100%").exit == 0)
        #expect(job.files() == ["small-1000/w1000.png"])
    }

    @Test("formats and widths together, each format with its own settings")
    func formats() async throws {
        try write(
            #""widths": [400, 800], "formats": [{"webp": {"quality": 5}}, "jpeg"], "path": "{stem}-{width}.{ext}""#,
            urls: ["w300", "w1000"]
        )
        try await job.run()
        #expect(
            job.files() == [
                "w1000-400.jpg", "w1000-400.webp", "w1000-800.jpg", "w1000-800.webp", "w300-300.jpg",
                "w300-300.webp",
            ]
        )
        #expect(try ImageHeader.read(job.data("out/w300-300.webp")).format == .webp)
        #expect(
            try await outputs().first == [
                "400-webp": "300", "400-jpeg": "300", "800-webp": "width", "800-jpeg": "width",
            ]
        )
        #expect(try await job.run().output.hasPrefix("nothing to do: 2 items"))
    }

    @Test("the width that counts is that of the processed image, also where only the pixels tell it")
    func processed() async throws {
        // 500 pixels of the image and a white border of 100 on both sides.
        try job.folder.write(
            try ImageEncoder.encode(
                Pad(width: 700, height: 300).apply(
                    to: ImageDecoder.decode(TestImages.gradient(width: 500, height: 100))
                ),
                as: .png()
            ),
            to: "border.png"
        )
        let rest = #", "widths": [200, 500, 600], "format": "png", "path": "{stem}-{width}.{ext}""#
        try write(#""processors": [{"trim": {"tolerance": 0}}]"# + rest, urls: ["border"])
        try await job.run()
        #expect(try await outputs() == [["200": "200", "500": "500", "600": "width"]])
        try write(#""processors": [{"crop": {"width": 150, "height": 80}}]"# + rest, urls: ["border"])
        try await job.run()
        #expect(try await outputs() == [["200": "150", "500": "width", "600": "width"]])
    }

    @Test("an item whose outputs are all skipped is skipped")
    func skipped() async throws {
        try write(
            #""widths": [400, 800], "format": "png", "when": {"minWidth": 350}"#,
            urls: ["w300", "w400"]
        )
        try await job.run()
        #expect(try await job.items().map { $0["state"] as? String } == ["skipped", "done"])
        #expect(
            try await outputs() == [
                ["400": "narrower than 350 pixels", "800": "narrower than 350 pixels"],
                ["400": "400", "800": "width"],
            ]
        )
    }
}
