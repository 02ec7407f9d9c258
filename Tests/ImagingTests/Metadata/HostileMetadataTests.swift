import Foundation
import FoundationXML
import Imaging
import TestSupport
import Testing

/// Hostile metadata is left out.
///
/// It never crashes, takes long, or reaches the output unchanged.
@Suite struct HostileMetadataTests {
    private static let policies: [MetadataPolicy] = [.keep, .copyright, .except([.location])]

    private func metadata(_ file: Data, _ policy: MetadataPolicy) throws -> ImageMetadata? {
        let header = try ImageHeader.read(file)
        return ImageMetadata(of: file, header, keeping: policy, size: header.size)
    }

    private func packet(_ properties: String, attributes: String = "", before: String = "") -> String {
        before + "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\""
            + " xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><rdf:Description \(attributes)>"
            + properties + "</rdf:Description></rdf:RDF>"
    }

    @Test func takesNoPacketThatIsBroken() throws {
        let right = "<dc:rights>me</dc:rights>"
        let entities =
            "<!DOCTYPE r [<!ENTITY a \"haha\">"
            + (0..<20).map { "<!ENTITY a\($0) \"&a;&a;&a;&a;&a;&a;&a;&a;\">" }.joined() + "]>"
        let deep = String(repeating: "<dc:a>", count: 100_000) + String(repeating: "</dc:a>", count: 100_000)
        let broken = [
            packet("<dc:rights>&a19;</dc:rights>", before: entities),
            packet(right, before: "<!DOCTYPE r SYSTEM \"file:///etc/passwd\">"),
            packet("<dc:rights>&unknown;</dc:rights>"),
            packet(right + "<dc:title>"),
            packet(right + "</dc:title>"),
            packet(right + deep),
            packet(right + "<unbound:title/>"),
            packet("<dc:rights>\u{1}</dc:rights>"),
            packet(right) + packet(right),
            packet(right + String(repeating: " ", count: 1 << 20)),
            String(packet(right).dropLast()),
            "", " ", "\u{FEFF}", "no XML",
        ]
        for text in broken {
            let file = DescribedFiles.png(xmp: text)
            for policy in Self.policies {
                #expect(try metadata(file, policy)?.xmp == nil, "\(text.prefix(80))")
            }
        }
        // The control: the intact packet, and with the trailing bytes that some writers add.
        for text in [
            packet(right), packet(right) + "\0\0\0", packet(right) + String(repeating: "\n", count: 2_000),
        ] {
            let file = DescribedFiles.png(xmp: text)
            #expect(try metadata(file, .keep)?.xmp == Data(text.filter { $0 != "\0" }.utf8))
            let rights = try #require(try metadata(file, .copyright)?.xmp)
            #expect(rights.firstRange(of: Data(right.utf8)) != nil)
        }
    }

    @Test func readsLargePacketsInTime() throws {
        let start = Self.processorTime
        let attributes = (0..<20_000).map { "dc:a\($0)=\"\($0)\"" }.joined(separator: " ")
        let elements = (0..<60_000).map { "<dc:b\($0 % 7)/>" }.joined()
        for text in [
            packet("", attributes: attributes), packet(elements),
            packet("<dc:rights>" + elements + "</dc:rights>"),
        ] {
            let file = DescribedFiles.png(xmp: text)
            #expect(try metadata(file, .keep)?.xmp == Data(text.utf8))
            for policy in Self.policies { _ = try metadata(file, policy) }
        }
        #expect(Self.processorTime - start < .seconds(20))
    }

    /// The processor time of this thread, which does not depend on the load by others.
    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    @Test("of damaged packets only well-formed XML is written, and of rights nothing else")
    func writesWellFormedXML() throws {
        let seed = UInt64.random(in: 1...1_000_000)
        var random = SeededGenerator(seed: seed)
        let original = Array(DescribedFiles.xmp.utf8)
        var written = 0
        for _ in 0..<3_000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let position = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[position] = .random(in: 0...255, using: &random)
                case 1: bytes[position] = Array("<>&\"'/:= ".utf8).randomElement(using: &random) ?? 0
                case 2: bytes.remove(at: position)
                default:
                    let end = min(bytes.count, position + 30)
                    bytes.insert(contentsOf: bytes[position..<end], at: position)
                }
            }
            let file = DescribedFiles.png(xmp: String(decoding: bytes, as: UTF8.self))
            for policy in Self.policies {
                guard let xmp = try metadata(file, policy)?.xmp else { continue }
                written += 1
                let parser = XMLParser(data: xmp)
                #expect(parser.parse(), "seed \(seed): \(String(decoding: xmp, as: UTF8.self))")
                if policy == .copyright {
                    #expect(xmp.firstRange(of: Data("secret".utf8)) == nil, "seed \(seed)")
                }
                if policy == .except([.location]) {
                    #expect(xmp.firstRange(of: Data("51,30N".utf8)) == nil, "seed \(seed)")
                }
            }
        }
        #expect(written > 500, "seed \(seed)")
    }

    @Test(
        "a chunk that is too short for its prefix does not borrow the next one's bytes",
        arguments: ["iTXt", "zTXt"]
    )
    func readsWithinChunks(_ type: String) throws {
        let plain = CraftedPNG(width: 2, height: 2, colorType: 0).data
        for prefix in [
            "XML:com.adobe.xmp\0\0\0\0\0", "XML:com.adobe.xmp\0\u{1}\0\0\0", "XML:com.adobe.xmp\0\0",
        ] {
            for length in 0..<prefix.utf8.count {
                let chunk = Data(bytes32(length)) + Data((type + prefix).utf8)
                let file = plain.prefix(33) + chunk + plain.dropFirst(33)
                #expect(throws: ImagingError.self) {
                    let header = try ImageHeader.read(file)
                    // If the walk gets this far, the following bytes are not a chunk.
                    _ = try ImageDecoder.decode(file, header: header)
                }
            }
        }
    }

    @Test("EXIF data whose parts overlap is left out, because one correction would undo another")
    func leavesOutOverlappingEXIF() throws {
        let shorts = { (numbers: [Int]) in numbers.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } }
        let size = PixelSize(width: Orientation.right.rawValue, height: 40)
        // At 8: the orientation, whose value is at 18, and the details at 38, whose width is at `width`.
        func exif(width: Int) -> [UInt8] {
            let head: [UInt8] = [0x4D, 0x4D, 0, 42] + bytes32(8) + shorts([2, 0x0112, 3, 0, 1, 6, 0])
            let details = shorts([0x8769, 4, 0, 1, 0, 38, 0, 0, 1, 0xA002, 3, 0, 3, 0, width, 0, 0])
            return head + details + shorts([0, 0, 0])
        }
        // The directory begins in its own offset: without a next one it would lie elsewhere.
        let inOffset = [0x4D, 0x4D, 0, 42] + bytes32(5) + exif(width: 56).dropFirst(8)
        for (exif, isKept) in [(exif(width: 56), true), (exif(width: 18), false), (inOffset, false)] {
            let file = try DescribedFiles.jpeg(exif: exif, xmp: nil, iptc: nil)
            let header = try ImageHeader.read(file)
            let found = ImageMetadata(of: file, header, keeping: .keep, size: size)?.exif
            #expect((found != nil) == isKept)
        }
    }

    /// False EXIF data, datasets and boxes are left out or kept but never trap, and the output is readable.
    @Test func survivesMutants() throws {
        let seed = UInt64.random(in: 1...1_000_000)
        var random = SeededGenerator(seed: seed)
        var files = [try DescribedFiles.jpeg(), DescribedFiles.png(), try DescribedFiles.webp()]
        #if AVIF
        files.append(try DescribedFiles.avif())
        #endif
        #if JXL
        files.append(try DescribedFiles.jxl())
        #endif
        #if HEIC
        files.append(try DescribedFiles.heic())
        #endif
        #if TIFF
        files += [
            DescribedFiles.tiff(), DescribedFiles.tiff(isBigTIFF: true), DescribedFiles.tiff(iptcTag: 34_377),
        ]
        #endif
        for file in files {
            for _ in 0..<400 {
                var mutant = file
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    let position = Int.random(in: 0..<mutant.count, using: &random)
                    mutant[position] =
                        Bool.random(using: &random) ? 0xFF : .random(in: 0...255, using: &random)
                }
                guard let header = try? ImageHeader.read(mutant) else { continue }
                for policy in Self.policies {
                    let found = ImageMetadata(of: mutant, header, keeping: policy, size: header.size)
                    for part in [found?.exif, found?.xmp, found?.iptc] {
                        #expect((part?.count ?? 0) <= mutant.count + 2_000, "seed \(seed)")
                    }
                }
            }
        }
    }

    #if TIFF
    @Test("entries that all lead to the same bytes are not copied as often")
    func boundsWhatItGathers() throws {
        let samples = [UInt8](repeating: 7, count: 64_000)
        var file = CraftedTIFF(400, 160, photometric: 1, pixels: samples)
        // A directory of details in which each tag claims the whole of the pixels.
        let count = 1_000
        var details = file.number(count, 2)
        for tag in 0..<count {
            details +=
                file.number(0x9000 + tag, 2) + file.number(7, 2) + file.number(60_000, 4) + file.number(8, 4)
        }
        file.values[34_665] = (4, 1, file.number(0, 4))
        let end = file.data.count
        file.values[34_665] = (4, 1, file.number(end, 4))
        let hostile = file.data + Data(details + file.number(0, 4))
        #expect(try metadata(hostile, .keep)?.exif == nil)
    }
    #endif
}
