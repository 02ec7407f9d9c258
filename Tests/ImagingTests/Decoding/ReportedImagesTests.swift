import Foundation
import Imaging
import TestSupport
import Testing

/// Files that users sent, each with what every common decoder shows of it, or a reason why nobody can.
@Suite struct ReportedImagesTests {
    private static let folder = Repository.root.appendingPathComponent("Tests/ReportedImages")

    /// A line of `cases.tsv`: the file, what is expected of it, and why.
    struct Case: CustomTestStringConvertible {
        let file, expected, condition: String

        var testDescription: String { "\(file): \(condition)" }
    }

    private static func cases() throws -> [Case] {
        let table = try String(contentsOf: folder.appendingPathComponent("cases.tsv"), encoding: .utf8)
        return table.split(separator: "\n").dropFirst().map { line in
            let fields = line.split(separator: "\t").map(String.init)
            return Case(file: fields[0], expected: fields[1], condition: fields[2])
        }
    }

    private static func data(_ name: String) throws -> Data {
        try Data(contentsOf: folder.appendingPathComponent(name))
    }

    /// The formats of this build.
    private static func canRead(_ data: Data) -> Bool {
        ImageFormat(data).map(ImageDecoder.formats.contains) ?? true
    }

    @Test("the table has all files")
    func isWhole() throws {
        #expect(try Self.cases().count == 21)
    }

    @Test("each is shown as expected, or refused for the expected reason", arguments: try cases())
    func isAsExpected(_ test: Case) throws {
        let data = try Self.data(test.file)
        guard Self.canRead(data) else { return }
        let words = test.expected.split(separator: ":").map(String.init)
        switch words[0] {
        case "refused":
            let error = #expect(throws: ImagingError.self) { try ImageDecoder.decode(data) }
            let reasons = words[1].split(separator: ",").map(String.init)
            #expect(reasons.contains(error?.reason.rawValue ?? ""), "\(error?.message ?? "")")
        case "alpha":
            let image = try ImageDecoder.decode(data)
            #expect(image.hasAlpha)
            let rgba = [UInt8](try image.rgba())
            let alphas = Set(stride(from: 3, to: rgba.count, by: 4).map { rgba[$0] })
            // Half of the picture is opaque.
            #expect(alphas == [try #require(UInt8(words[1])), 255])
        case "size":
            #expect("\(try ImageHeader.read(data).size)".replacing("×", with: "x") == words[1])
            #expect("\(try ImageDecoder.decode(data).size)".replacing("×", with: "x") == words[1])
        default:
            let name = (test.file as NSString).deletingPathExtension + ".expected.png"
            let expected = try ImageDecoder.decode(try Self.data(name))
            let image = try ImageDecoder.decode(data)
            #expect(try Self.difference(image, expected) <= Self.tolerance(test.file))
        }
    }

    @Test("what is shown though its file is faulty has a warning")
    func warns() throws {
        let expected: [String: Set<ImageWarning>] = [
            "jpeg-b-sos-params.jpg": [.headerValue], "jpeg-c-jfif-2.01.jpg": [.headerValue],
            "jpeg-d-extra-before-eoi.jpg": [.strayBytes], "png-b-text-bad-crc.png": [.partChecksum],
            "png-f-no-iend.png": [.missingEnd], "png-h-text-after-idat-bad-crc.png": [.partChecksum],
            "png-pal-trns-longer-than-plte.png": [.transparency],
            "png-rgb-trns-wrong-length.png": [.transparency], "png-a-cicp-p3.png": [],
            "png-c-cicp-srgb-over-gama1.png": [],
        ]
        for (file, warnings) in expected {
            #expect(try ImageDecoder.decode(try Self.data(file)).warnings == warnings, "\(file)")
        }
    }

    #if AVIF && HEIC
    @Test("an AVIF cropped at an odd place shows the same pixels as the HEIC of the same picture")
    func cropsAtOddPlaces() throws {
        let avif = try ImageDecoder.decode(try Self.data("avif-crop-odd-420.avif"))
        let heic = try ImageDecoder.decode(try Self.data("avif-crop-odd-420.twin.heic"))
        // Both are lossy, and libheif repeats chroma where libavif interpolates it.
        let mean = try Self.mean(avif, heic)
        #expect(mean < 3, "\(mean)")
    }
    #endif

    /// The chroma of JPEGs is interpolated in another way than where the expected picture was made; the colours of P3 are
    /// rounded.
    private static func tolerance(_ file: String) -> Int {
        file.hasSuffix(".jpg") ? 2 : file.contains("cicp") ? 1 : 0
    }

    private static func difference(_ one: Image, _ other: Image) throws -> Int {
        #expect(one.size == other.size)
        let pairs = zip(try one.rgba(), try other.rgba())
        return pairs.reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
    }

    private static func mean(_ one: Image, _ other: Image) throws -> Double {
        #expect(one.size == other.size)
        let pairs = zip(try one.rgba(), try other.rgba())
        return Double(pairs.reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(try one.rgba().count)
    }
}
