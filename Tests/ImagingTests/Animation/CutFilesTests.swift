import Foundation
@testable import Imaging
import TestSupport
import Testing

/// Files that end where no decode of a still image looks.
@Suite struct CutFilesTests {
    private func isCut(_ file: Data, _ header: ImageHeader) -> Bool {
        do throws(ImagingError) {
            try ImageDecoder.checkEnd(of: file, header: header)
            return false
        } catch {
            #expect(error.reason == .truncated)
            return true
        }
    }

    @Test(
        "an animation that ends within its last frame is noticed, a drawing within its text, and a file within a box",
        arguments: [
            "animated.gif", "animated.webp", "animated.png", "animated.avif", "shapes.svg", "described.jxl",
        ]
    )
    func noticesCuts(_ name: String) throws {
        let file = try Data(
            contentsOf: Repository.root.appendingPathComponent("Tests/Fuzzing/seeds/\(name)")
        )
        guard let header = try? ImageHeader.read(file) else { return }  // a build without the format
        #expect(!isCut(file, header))
        for count in stride(from: file.count * 3 / 5, to: file.count - 16, by: 7) {
            #expect(isCut(Data(file.prefix(count)), header), "\(count) of \(file.count)")
        }
    }

    @Test("what other programs leave out is no cut")
    func allowsOmissions() throws {
        let seeds = Repository.root.appendingPathComponent("Tests/Fuzzing/seeds")
        let gif = try Data(contentsOf: seeds.appendingPathComponent("animated.gif"))
        #expect(!isCut(Data(gif.dropLast()), try ImageHeader.read(gif)))
        // XML that is wrong before its end tells nothing of it.
        let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='3' height='3'><g></a>"
        #expect(!isCut(Data(svg.utf8), try ImageHeader.read(Data(svg.utf8))))
        // Fewer frames than were announced, but all of the file.
        var png = try Data(contentsOf: seeds.appendingPathComponent("animated.png"))
        let control = try #require(png.range(of: Data("acTL".utf8)))
        let header = try ImageHeader.read(png)
        png[control.upperBound + 3] += 1
        #expect(!isCut(png, header))
    }
}
