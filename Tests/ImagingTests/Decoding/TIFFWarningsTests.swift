#if TIFF
import Foundation
import Imaging
import TestSupport
import Testing

/// What libtiff warns of: the pixels are whole, or the file is damaged.
@Suite struct TIFFWarningsTests {
    private func rows(_ image: Image) throws -> [String] {
        let rgba = [UInt8](try image.rgba())
        return stride(from: 0, to: rgba.count, by: 4 * image.size.width).map { start in
            stride(from: start, to: start + 4 * image.size.width, by: 4).map { rgba[$0] == 0 ? "#" : "." }
                .joined()
        }
    }

    private func reason(_ file: CraftedTIFF) -> ImagingError.Reason? {
        do throws(ImagingError) {
            _ = try ImageDecoder.decode(file.data)
            return nil
        } catch { return error.reason }
    }

    // MARK: Fax

    /// ITU-T T.4: five white pixels, two black ones, and then white ones, by their number.
    private static let (begin, ends) = (
        "1100" + "11", ["", "000111", "0111", "1000", "1011", "1100", "1110", "1111", "10011", "10100"]
    )
    private static let mark = "000000000001"

    /// Three rows of a method: 2 (no marks), 3 with one or two dimensions, or 4; the middle one has more white pixels than the one
    /// with which it is eight wide.
    private func fax(_ method: Int, _ more: Int, isTwoDimensional: Bool = false) -> CraftedTIFF {
        var bits = ""
        for white in [1, 1 + more, 1] {
            let row = Self.begin + Self.ends[white]
            switch method {
            case 2: bits += row + String(repeating: "0", count: -row.count & 7)
            case 3: bits += Self.mark + (isTwoDimensional ? "1" : "") + row
            // T.6: both runs, and the end of the row, which is `more` to the right of that of the row above.
            default: bits += "001" + Self.begin + ["1", "011", "000011"][white - 1]
            }
        }
        if method == 3 { bits += Self.mark }
        if method == 4 { bits += Self.mark + Self.mark }
        bits += String(repeating: "0", count: -bits.count & 7)
        let bytes = stride(from: 0, to: bits.count, by: 8).map {
            UInt8(bits.dropFirst($0).prefix(8), radix: 2) ?? 0
        }
        var file = CraftedTIFF(8, 3, bits: 1, photometric: 0, pixels: bytes)
        file.tags[259] = [method]
        if isTwoDimensional { file.tags[292] = [1] }
        return file
    }

    @Test(arguments: [(2, false), (3, false), (3, true), (4, false)])
    func aFaxRowMayBeOnePixelLonger(_ method: Int, _ isTwoDimensional: Bool) throws {
        for more in [0, 1] {
            let image = try ImageDecoder.decode(fax(method, more, isTwoDimensional: isTwoDimensional).data)
            #expect(try rows(image) == [String](repeating: ".....##.", count: 3))
            #expect(image.warnings == (more == 0 ? [] : [.rowLength]))
        }
    }

    /// Where marks stand between rows, a row may be longer by what fills a byte, or lack a pixel.
    @Test(arguments: [false, true])
    func marksLeadBackToTheNextRow(_ isTwoDimensional: Bool) throws {
        for more in [-1, 2, 5] {
            let image = try ImageDecoder.decode(fax(3, more, isTwoDimensional: isTwoDimensional).data)
            #expect(try rows(image) == [String](repeating: ".....##.", count: 3))
            #expect(image.warnings == [.rowLength])
        }
    }

    @Test func otherFaxRowsAreDamage() {
        #expect(reason(fax(2, 2)) == .corrupt)
        #expect(reason(fax(4, 2)) == .corrupt)
        for isTwoDimensional in [false, true] {
            var file = fax(3, 0, isTwoDimensional: isTwoDimensional)
            // Two pixels too few, eight too many, and a row too many.
            file.tags[256] = [10]
            #expect(reason(file) == .corrupt)
            #expect(reason(fax(3, 8, isTwoDimensional: isTwoDimensional)) == .corrupt)
            file.tags[256] = [8]
            file.tags[257] = [4]
            file.tags[278] = [4]
            #expect(reason(file) != nil)
        }
        // An end where a row should be, of an image that is one pixel wide.
        var narrow = CraftedTIFF(1, 1, bits: 1, photometric: 0, pixels: [0x00, 0x10, 0x01])
        narrow.tags[259] = [3]
        #expect(reason(narrow) == .corrupt)
    }

    // MARK: JPEG

    private func jpeg(_ change: (inout [UInt8]) -> Void = { _ in }, isProgressive: Bool = false) throws
        -> CraftedTIFF
    {
        let photograph = try Crop(width: 64, height: 48).apply(to: try Photographs.image("chelsea.png"))
        let options = JPEGOptions(quality: 90, progressive: isProgressive)
        var bytes = [UInt8](try ImageEncoder.encode(photograph, as: .jpeg(options)))
        change(&bytes)
        var file = CraftedTIFF(64, 48, samples: 3, photometric: 6, pixels: bytes)
        file.tags[259] = [7]
        file.tags[530] = [2, 2]
        return file
    }

    /// Where the header of the first scan has its spectral selection, behind three components.
    private func spectralSelection(_ bytes: [UInt8]) throws -> Int {
        let scan = try #require((0..<bytes.count - 1).first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA })
        return scan + 5 + 2 * Int(bytes[scan + 4])
    }

    @Test func strayBytesAndHeadersOfAJPEGPass() throws {
        let plain = try ImageDecoder.decode(jpeg().data)
        #expect(plain.warnings.isEmpty)
        let stray = try jpeg { $0.insert(contentsOf: [1, 2, 3, 4], at: $0.count - 2) }
        let version = try jpeg { $0[11] = 2 }
        let selection = try jpeg { if let at = try? spectralSelection($0) { $0[at + 1] = 0 } }
        for (file, warning) in [
            (stray, ImageWarning.strayBytes), (version, .headerValue), (selection, .headerValue),
        ] {
            let image = try ImageDecoder.decode(file.data)
            #expect(try image.rgba() == plain.rgba())
            #expect(image.warnings == [warning])
        }
    }

    @Test func aJPEGThatLacksPixelsIsDamage() throws {
        #expect(reason(try jpeg { $0.removeLast(2) }) == .corrupt)
        #expect(reason(try jpeg { $0.removeLast($0.count / 3) }) == .corrupt)
        let long = [UInt8](repeating: 0x55, count: 200)
        #expect(reason(try jpeg { $0.insert(contentsOf: long, at: $0.count - 2) }) == .corrupt)
        var taller = try jpeg()
        taller.tags[257] = [64]
        taller.tags[278] = [64]
        #expect(reason(taller) == .corrupt)
    }

    @Test func aProgressiveJPEGPasses() throws {
        let image = try ImageDecoder.decode(jpeg(isProgressive: true).data)
        #expect(try psnr(image, ImageDecoder.decode(jpeg().data)) > 50)
        #expect(image.warnings == [.headerValue])
    }

    @Test func theLastStripOfJPEGMayBeTaller() throws {
        var file = try jpeg()
        let whole = try rows(try ImageDecoder.decode(file.data))
        file.tags[257] = [40]
        file.tags[278] = [48]
        let image = try ImageDecoder.decode(file.data)
        #expect(try rows(image) == Array(whole.prefix(40)))
        #expect(image.warnings == [.extraPixels])
    }

    // MARK: PackBits

    @Test func aRunMayPassTheEndOfAStrip() throws {
        let file = CraftedTIFF(4, 1, photometric: 1, pixels: [4, 0, 9, 0, 9, 9])
        for pixels: [UInt8] in [[4, 0, 9, 0, 9, 9], [1, 0, 9, 0, 0, 0, 9, 0xFF, 7]] {
            var packed = file
            packed.strips = [pixels]
            packed.tags[259] = [32_773]
            let found = try? ImageDecoder.decode(packed.data)
            #expect(try found.map(rows) == ["#.#."])
        }
        var packed = file
        packed.tags[259] = [32_773]
        #expect(try ImageDecoder.decode(packed.data).warnings == [.extraPixels])
        packed.strips = [[3, 0, 9, 0]]
        #expect(reason(packed) == .corrupt)
    }
}
#endif
