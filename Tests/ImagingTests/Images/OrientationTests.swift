import Foundation
import Imaging
import TestSupport
import Testing

/// The orientation of EXIF data as writers store it: of any whole type, with or without JPEG's prefix.
@Suite struct OrientationTests {
    /// EXIF data whose orientation has a type: 1 BYTE, 3 SHORT, 4 LONG, 6, 8, 9 their signed kin.
    private func data(_ value: Int, type: Int, count: Int = 1, isLittle: Bool) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let shifts = (0..<count).map { 8 * $0 }
            return (isLittle ? shifts : shifts.reversed()).map { UInt8(value >> $0 & 255) }
        }
        let width = [1: 1, 6: 1, 3: 2, 8: 2][type] ?? 4
        let head = (isLittle ? [0x49, 0x49] : [0x4D, 0x4D]) + number(42, 2) + number(8, 4) + number(1, 2)
        let stored = number(value, width) + [UInt8](repeating: 0, count: 4 - width)
        return head + number(0x0112, 2) + number(type, 2) + number(count, 4) + stored + number(0, 4)
    }

    private static let prefix = Array("Exif\0\0".utf8)

    /// The same picture in the formats whose EXIF data is a part of the file.
    private func files(_ exif: [UInt8]) throws -> [String: Data] {
        let image = try Photographs.gradient(6, 4)
        let jpeg = try ImageEncoder.encode(image, as: .jpeg())
        var png = try ImageEncoder.encode(image, as: .png())
        png.insert(contentsOf: CraftedPNG.chunk("eXIf", exif), at: 33)
        let body = exif.starts(with: Self.prefix) ? exif : Self.prefix + exif
        return ["jpeg": inserting(marker: 0xE1, body, into: jpeg), "png": png, "webp": try webp(exif)]
    }

    private func webp(_ exif: [UInt8]) throws -> Data {
        let simple = try ImageEncoder.encode(try Photographs.gradient(6, 4), as: .webp())
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(value >> (8 * $0) & 255) }
        }
        func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
            Array(type.utf8) + little(content.count, 4) + content + (content.count % 2 == 1 ? [0] : [])
        }
        let body = chunk("VP8X", [8, 0, 0, 0] + little(5, 3) + little(3, 3)) + [UInt8](simple.dropFirst(12))
        let content = Array("WEBP".utf8) + body + chunk("EXIF", exif)
        return Data(Array("RIFF".utf8) + little(content.count, 4) + content)
    }

    @Test(arguments: [1, 3, 4, 6, 8, 9], [true, false])
    func readsEveryType(_ type: Int, _ isLittle: Bool) throws {
        for prefix in [[], Self.prefix] {
            for (format, file) in try files(prefix + data(6, type: type, isLittle: isLittle)) {
                #expect(try ImageHeader.read(file).orientation == .right, "\(format)")
                #expect(try ImageDecoder.decode(file).size == PixelSize(width: 4, height: 6), "\(format)")
            }
        }
    }

    @Test("what is no orientation is ignored", arguments: [0, 9, 255])
    func ignoresOthers(_ value: Int) throws {
        for type in [1, 3, 4] {
            for (format, file) in try files(data(value, type: type, isLittle: true)) {
                #expect(try ImageHeader.read(file).orientation == .up, "\(format)")
            }
        }
        for exif in [
            data(6, type: 2, isLittle: true), data(6, type: 5, isLittle: true),
            data(6, type: 3, count: 2, isLittle: true),
        ] {
            for (format, file) in try files(exif) {
                #expect(try ImageHeader.read(file).orientation == .up, "\(format)")
            }
        }
    }

    @Test("metadata that are kept say that the result is upright", arguments: [1, 3, 4, 9])
    func isCorrected(_ type: Int) throws {
        for (format, file) in try files(data(6, type: type, isLittle: false)) {
            let header = try ImageHeader.read(file)
            let image = try ImageDecoder.decode(file)
            let kept = ImageMetadata(of: file, header, keeping: .keep, size: image.size)
            let made = try ImageEncoder.encode(image, as: .jpeg(), metadata: kept)
            #expect(try ImageHeader.read(made).orientation == .up, "\(format)")
        }
    }
}
