import Foundation
import Imaging
import TestSupport
import Testing

/// Runs `Examples/resize-a-file`, which is built beside the tests.
@Suite(.timeLimit(.minutes(10))) struct ResizeAFileTests {
    private func run(_ arguments: [String]) throws -> (status: Int32, errors: String) {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: tests).deletingLastPathComponent()
            .appendingPathComponent("resize-a-file")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardError = pipe
        try process.run()
        let errors = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: errors, as: UTF8.self))
    }

    @Test(
        arguments: ["jpg", "png", "webp"]
            + ["avif", "jxl"].filter { name in ImageEncoder.formats.contains { $0.rawValue == name } }
    )
    func writesTheFormatOfTheExtension(_ ending: String) throws {
        let folder = try TemporaryFolder()
        let output = folder.path("small.\(ending)")
        let input = Photographs.folder.appendingPathComponent("rocket.jpg").path
        #expect(try run([input, output, "200", "100"]).status == 0)
        let image = try ImageDecoder.decode(try Data(contentsOf: URL(fileURLWithPath: output)))
        #expect(image.size == PixelSize(width: 150, height: 100))
    }

    @Test func saysWhatIsWrong() throws {
        let result = try run(["only", "two"])
        #expect(result.status == 1)
        #expect(result.errors.contains("usage: resize-a-file INPUT OUTPUT WIDTH HEIGHT"))
    }
}
