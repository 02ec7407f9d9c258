import Foundation
import Imaging
import TestSupport
import Testing

/// The steps before the processors of every image: it is turned upright, and its colours are converted to sRGB.
@Suite(.timeLimit(.minutes(10))) struct UprightColorTests {
    @Test("EXIF orientation comes first, also without a processor")
    func orientation() async throws {
        let job = try JobFolder()
        let photo = EXIFData.embed(EXIFData.photograph.data, in: try Repository.photo("rocket.jpg"))
        try job.folder.write(photo, to: "a.jpg")
        try job.write(
            """
            "sources": [{"urls": ["a.jpg"]}], "outputs": [{"name": "plain", "format": "png", "path": "{name}.png"},
             {"name": "cut", "format": "png", "path": "{name}.png", "processors": [{"crop": {"rect": [400, 600, 27, 40]}}]}]
            """
        )
        try await job.run()
        #expect(try job.image("out/plain.png").size == PixelSize(width: 427, height: 640))
        #expect(try job.image("out/cut.png").size == PixelSize(width: 27, height: 40))
    }

    @Test("colours are converted to sRGB by the picture's profile")
    func profile() async throws {
        // One pixel of 230, 20, 20 with a matrix profile (ICC.1:2001) that exchanges sRGB's red and green.
        let picture =
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAAlmlDQ1B4AAB42mNgYLRgAAImAQaG3LySoiB3J4WIyCgFBiSQmFxcwIAXfLvG"
            + "wAiiL+sykA7Yi4AWAukbQCySDmG/AbGTwGywwSLlJQUlQLYIiF0UEuQMZGsA2QLpSOwkJDbCD0nTGBi2tzMwSNxBiOUvYWCw+MbAwNyPEFN"
            + "ZxMDA38zAsO08Qgzhr+TSojKoexmZjBkYAEuQJ+32sVIQAAAADElEQVR4nGN4JiICAALyAQ91Qg2iAAAAAElFTkSuQmCC"
        let job = try JobFolder()
        try job.folder.write(try #require(Data(base64Encoded: picture)), to: "a.png")
        try job.write(
            #""sources": [{"urls": ["a.png"]}], "outputs": [{"format": "png", "path": "{stem}.{ext}"}]"#
        )
        try await job.run()
        let color = [UInt8](try job.image("out/a.png").rgba())
        #expect(color[0] < 60 && color[1] > 200, "\(color)")
    }
}
