import Foundation
import Imaging
import TestSupport
import Testing

/// Formats through a whole job: what "same" makes of each, and files of palettes.
@Suite(.timeLimit(.minutes(10))) struct FormatTests {
    @Test("the source's format is kept where it can be written")
    func same() async throws {
        let folder = try TemporaryFolder()
        let photo = try Resize(width: 100).apply(
            to: try ImageDecoder.decode(try Repository.photo("coffee.png"))
        )
        var expected: [String: ImageFormat] = ["png": .png]
        try folder.write(try ImageEncoder.encode(photo, as: .png()), to: "photos/png.png")
        #if AVIF
        try folder.write(try ImageEncoder.encode(photo, as: .avif()), to: "photos/avif.avif")
        expected["avif"] = .avif
        #endif
        #if JXL
        try folder.write(try ImageEncoder.encode(photo, as: .jxl()), to: "photos/jxl.jxl")
        expected["jxl"] = .jxl
        #endif
        #if HEIC
        try folder.write(try HEICFiles.plain(), to: "photos/heic.heic")
        try folder.write(try HEICFiles.alpha(), to: "photos/alpha.heic")
        expected["heic"] = .jpeg
        expected["alpha"] = .png
        #endif
        try folder.write(
            #"""
            {"sources": [{"files": "photos/*"}], "cache": {"directory": "cache"},
             "outputs": [{"processors": [{"resize": {"width": 30}}], "path": "{stem}.{ext}"},
                         {"name": "palette", "format": {"png": {"palette": true}}, "path": "palette/{stem}.{ext}"}]}
            """#,
            to: "job.json"
        )
        let run = try await Program.run("nuke-batch", ["run", "job.json"], in: folder.path)
        #expect(run.exit == 0, "\(run.output)\(run.errors)")
        for (name, format) in expected {
            let path = folder.path("out/\(name).\(format.fileExtension)")
            let header = try ImageHeader.read(try Data(contentsOf: URL(fileURLWithPath: path)))
            #expect(header.format == format && header.size.width == 30)
            let palette = URL(fileURLWithPath: folder.path("out/palette/\(name).png"))
            // Colour type 3 in IHDR: indices into a palette.
            #expect(try Data(contentsOf: palette)[25] == 3)
        }
    }
}
