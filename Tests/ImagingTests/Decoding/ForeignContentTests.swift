import Foundation
import Imaging
import Testing

/// What the error of bytes that are no image says they are.
@Suite struct ForeignContentTests {
    @Test(
        "files that servers send in the place of images are named",
        arguments: [
            ("<!DOCTYPE html>\n<html><body>No</body></html>", "an HTML page"),
            ("\u{feff}  <HTML>", "an HTML page"),
            ("<!-- made by x -->\n<html>", "an HTML page"), ("<p>Not found</p>", "an HTML page"),
            ("<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>", "XML"),
            ("<?xml version=\"1.0\"?>\n<!DOCTYPE svg PUBLIC \"x\">\n<svg xmlns=\"y\"/>", "an SVG drawing"),
            ("<svg/>", "an SVG drawing without its namespace"),
            ("{\"error\": 404}", "JSON"), ("[1]", "JSON"), ("Not found", "text"), ("#EXTM3U\n", "a playlist"),
            ("%PDF-1.7\n", "a PDF document"),
            ("version https://git-lfs.github.com/spec/v1\n", "a pointer of Git LFS"),
        ]
    )
    func texts(text: String, name: String) throws {
        let error = #expect(throws: ImagingError.self) { try ImageHeader.read(Data(text.utf8)) }
        #expect(
            error?.reason == .wrongType && error?.message.contains("The data is \(name)") ?? false,
            "\(error!)"
        )
    }

    @Test(
        "files of other kinds are named by their first bytes",
        arguments: [
            ([0, 0, 0, 24] + Array("ftypisom".utf8), "a video"), ([0x1A, 0x45, 0xDF, 0xA3], "a video"),
            ([0x50, 0x4B, 3, 4, 20], "a ZIP archive"), ([0x1F, 0x8B, 8], "gzip data"),
            (Array("8BPS".utf8), "a Photoshop document"),
            (Array("RIFF\u{0}\u{0}\u{0}\u{0}AVI ".utf8), "a video"),
        ] as [([UInt8], String)]
    )
    func signatures(bytes: [UInt8], name: String) throws {
        let error = #expect(throws: ImagingError.self) { try ImageHeader.read(Data(bytes)) }
        #expect(
            error?.reason == .wrongType && error?.message.contains("The data is \(name)") ?? false,
            "\(error!)"
        )
    }

    @Test("bytes that tell nothing are not named, and no bytes at all are")
    func unknown() throws {
        let random = Data((0..<64).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 129) })
        let error = #expect(throws: ImagingError.self) { try ImageHeader.read(random) }
        #expect(error?.message.hasPrefix("The data is not an image in a known format") == true)
        let empty = #expect(throws: ImagingError.self) { try ImageHeader.read(Data()) }
        #expect(empty?.message.hasPrefix("The data is empty") == true)
    }
}
