import Foundation
import Imaging
import TestSupport
import Testing

/// Drawings through a whole job, whose child draws them.
@Suite(.timeLimit(.minutes(10))) struct SVGTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
    }

    private func write(_ name: String, _ attributes: String, _ content: String) throws {
        let text = "<svg xmlns='http://www.w3.org/2000/svg' \(attributes)>\(content)</svg>"
        try job.folder.write(text, to: "in/\(name)")
    }

    private static let halves =
        "<rect width='5' height='5' fill='black'/><rect x='5' width='5' height='5' fill='white'/>"

    @Test(
        "a drawing is made at each size, larger than its own too, beside other images; its facts and its copy are its own"
    )
    func sizes() async throws {
        try write("halves.svg", "width='10' height='5'", Self.halves)
        try job.folder.write(try TestImages.gradient(width: 30, height: 20), to: "in/photo.png")
        try job.write(
            """
            "sources": [{"files": "in"}], "facts": ["size", "format"],
            "outputs": [
              {"name": "large", "processors": [{"resize": {"width": 400}}], "format": "png"},
              {"name": "small", "processors": [{"resize": {"width": 4}}], "format": "webp"},
              {"name": "kept", "processors": [{"resize": {"width": 400}}], "path": "{name}-{stem}.{ext}"},
              {"name": "copy", "format": "original", "path": "{name}-{stem}.{ext}"}]
            """
        )
        try await job.run()
        let large = try job.image("out/large/local/halves.png")
        #expect(large.size == PixelSize(width: 400, height: 200))
        let rgba = [UInt8](try large.rgba())
        // Neither a shade nor an overshoot, as there would be if pixels had been enlarged.
        #expect(
            stride(from: 0, to: rgba.count, by: 4).allSatisfy { rgba[$0] == ($0 / 4 % 400 < 200 ? 0 : 255) }
        )
        #expect(try job.image("out/small/local/halves.webp").size == PixelSize(width: 4, height: 2))
        #expect(try job.image("out/kept-halves.png").size == PixelSize(width: 400, height: 200))
        #expect(try job.data("out/copy-halves.svg") == job.data("in/halves.svg"))
        #expect(try job.image("out/kept-photo.png").size == PixelSize(width: 30, height: 20))
        let facts = try await job.items().compactMap { $0["facts"] as? [String: Any] }
        #expect(
            facts.contains {
                $0["format"] as? String == "svg" && ($0["size"] as? [String: Any])?["width"] as? Int == 10
            }
        )
    }

    @Test("a drawing has every width, and none is skipped as too large")
    func widths() async throws {
        try write("halves.svg", "viewBox='0 0 10 5'", Self.halves)
        try job.write(
            """
            "sources": [{"files": "in"}],
            "outputs": [
              {"widths": [4, 20, 100], "format": "png", "path": "{width}.png"},
              {"processors": [{"resize": {"width": 50, "height": 50, "contentMode": "aspectFill", "crop": true}}],
               "format": "png", "path": "square.png"}]
            """
        )
        try await job.run()
        for width in [4, 20, 100] {
            #expect(try job.image("out/\(width).png").size == PixelSize(width: width, height: width / 2))
        }
        #expect(try job.image("out/square.png").size == PixelSize(width: 50, height: 50))
    }

    @Test("a long drawing has a hash, and an output for which it would be too large fails alone")
    func long() async throws {
        try write("line.svg", "width='1000' height='1'", "<rect width='500' height='1'/>")
        try job.write(
            """
            "sources": [{"files": "in"}], "facts": ["pdq"],
            "outputs": [
              {"name": "own", "format": "png", "path": "own.png"},
              {"processors": [{"resize": {"width": 50, "height": 50, "contentMode": "aspectFill", "crop": true}}],
               "name": "square", "format": "png", "path": "square.png"}]
            """
        )
        try await job.run(exit: 1)
        #expect(try job.image("out/own.png").size == PixelSize(width: 1000, height: 1))
        let item = try #require(try await job.items().first)
        #expect((item["facts"] as? [String: Any])?["pdq"] is [String: Any], "\(item)")
        #expect(
            (item["message"] as? String)?.contains("output square: The drawing is to be") == true,
            "\(item)"
        )
    }

    @Test("what a drawing refers to is not opened, which is a warning of its item")
    func references() async throws {
        try job.folder.write(try TestImages.tiny(1), to: "red.png")
        let target = "file://" + job.folder.path("red.png")
        try write("a.svg", "width='4' height='4'", "<image width='4' height='4' href='\(target)'/>")
        try job.write(#""sources": [{"files": "in"}], "outputs": [{"format": "png", "path": "{stem}.png"}]"#)
        try await job.run()
        #expect(try job.image("out/a.png").rgba().allSatisfy { $0 == 0 })
        let facts = try await job.items().first?["facts"] as? [String: Any]
        #expect(facts?["warnings"] as? [String] == ["external_reference"], "\(facts as Any)")
    }

    /// Of librsvg 2.56 and later, a limit of its own comes first.
    @Test("a drawing that takes more memory than the child has fails alone")
    func memory() async throws {
        try write("bomb.svg", "width='4' height='4'", String(repeating: "<g/>", count: 2_000_000))
        try write("small.svg", "width='10' height='5'", Self.halves)
        try job.write(#""sources": [{"files": "in"}], "outputs": [{"format": "png", "path": "{stem}.png"}]"#)
        try await job.run(exit: 1)
        #expect(try job.image("out/small.png").size.width == 10)
        let errors = try await job.errors()
        #expect(errors.count == 2 && errors.contains("-"), "\(errors)")
        #expect(errors.contains("crashed") || errors.contains("corrupt"), "\(errors)")
    }
}
