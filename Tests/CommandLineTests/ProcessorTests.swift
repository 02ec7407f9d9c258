import Foundation
import Imaging
import TestSupport
import Testing

/// Every processor of the manifest at work.
@Suite(.timeLimit(.minutes(10))) struct ProcessorTests {
    private static let job = ##"""
        {
          "sources": [{"files": "photos/*.{jpg,png}"}], "cache": {"policy": "none"},
          "processors": [{"trim": {}}, {"watermark": {"image": "logo.png", "scale": 0.3, "opacity": 0.5, "margin": 8}}],
          "outputs": [
            {"name": "a", "format": "jpeg", "processors": [
              {"resize": {"width": 200, "height": 200}}, {"pad": {"width": 220, "height": 210, "background": "#2AF"}},
              {"sharpen": {}}]},
            {"name": "b", "format": "png", "processors": [
              {"resize": {"height": 90}}, {"circle": {"border": {"color": "#F00", "width": 4}}}]},
            {"name": "c", "format": "webp", "processors": [
              {"gaussianBlur": {}}, {"adjust": {"contrast": 1.3, "saturation": 0.6}}, {"resize": {"width": 100}},
              {"roundedCorners": {"radius": 20}}]},
            {"name": "d", "format": "jpeg", "processors": [
              {"crop": {"width": 120, "height": 100, "gravity": "smart"}}, {"flatten": {}}]}
          ]
        }
        """##

    private func makeFolder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: Repository.photos.path, toPath: folder.path("photos"))
        try folder.write(Self.job, to: "job.json")
        return folder
    }

    private func writeLogo(red: UInt8, in folder: TemporaryFolder) throws {
        let pixels = Data((0..<64).flatMap { [red, UInt8($0 * 4), 90, UInt8(255 - $0)] })
        let logo = try ImageEncoder.encode(Image(width: 8, height: 8, rgba: pixels), as: .png())
        try logo.write(to: URL(fileURLWithPath: folder.path("logo.png")))
    }

    @Test("every output has its size, and another watermark of the same name makes all of them again")
    func everyProcessor() async throws {
        let folder = try makeFolder()
        try writeLogo(red: 255, in: folder)
        let run = try await Program.run("nuke-batch", ["run", "job.json"], in: folder.path)
        #expect(run.exit == 0, "\(run.output)\(run.errors)")
        #expect(run.output.contains("20 made"))
        for (name, size) in [
            ("a/local/rocket.jpg", (220, 210)), ("b/local/rocket.png", (90, 90)),
            ("c/local/rocket.webp", (100, 67)), ("d/local/rocket.jpg", (120, 100)),
        ] {
            let file = try Data(contentsOf: URL(fileURLWithPath: folder.path("out/" + name)))
            let image = try ImageDecoder.decode(file)
            #expect(image.size == PixelSize(width: size.0, height: size.1), "\(name)")
            #expect(image.hasAlpha == !name.hasSuffix("jpg"))
        }
        let again = try await Program.run("nuke-batch", ["run", "job.json"], in: folder.path)
        #expect(again.output.hasPrefix("nothing to do"), "\(again.output)")
        try writeLogo(red: 0, in: folder)
        let changed = try await Program.run("nuke-batch", ["run", "job.json"], in: folder.path)
        #expect(changed.exit == 0)
        #expect(changed.output.contains("20 made"), "\(changed.output)")
    }

    @Test("a watermark that is missing or damaged is an error of the manifest, before anything is made")
    func badWatermark() async throws {
        let folder = try makeFolder()
        for damage in [nil, "no picture"] {
            if let damage { try folder.write(damage, to: "logo.png") }
            let run = try await Program.run("nuke-batch", ["run", "job.json"], in: folder.path)
            #expect(run.exit == 2)
            #expect(run.errors.contains("processors[1].watermark.image: "), "\(run.errors)")
            #expect(!FileManager.default.fileExists(atPath: folder.path("out")))
        }
    }
}
