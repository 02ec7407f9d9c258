import Foundation
import Imaging
import Testing

/// Cameras' RAW files are refused by name, whatever their first picture is; TIFFs and JPEGs of cameras are shown.
@Suite struct CameraRAWTests {
    /// A TIFF whose directories are linked, or nested as SubIFDs.
    private struct Directory {
        var shorts: [(tag: Int, value: Int)] = []
        var make: String?
        var nested: [Directory] = []
        var dngVersion = false
    }

    private static let thumbnail = [
        (254, 1), (256, 160), (257, 120), (258, 8), (259, 1), (262, 2), (277, 3),
    ].map { (tag: $0.0, value: $0.1) }
    private static let sensor = Directory(
        shorts: [(259, 34_713), (262, 32_803)].map { (tag: $0.0, value: $0.1) }
    )

    /// Little-endian, or big-endian.
    private func tiff(_ chain: [Directory], isLittle: Bool = true) -> Data {
        var bytes: [UInt8] = []
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let shifts = (0..<count).map { 8 * $0 }
            return (isLittle ? shifts : shifts.reversed()).map { UInt8(value >> $0 & 255) }
        }
        func put(_ value: Int, _ count: Int, at offset: Int) {
            bytes.replaceSubrange(offset..<offset + count, with: number(value, count))
        }
        func write(_ directory: Directory) -> Int {
            let nested = directory.nested.map(write)
            let list = bytes.count
            for offset in nested { bytes += number(offset, 4) }
            let make = bytes.count
            if let text = directory.make { bytes += Array(text.utf8) + [0] }
            if bytes.count % 2 == 1 { bytes.append(0) }
            var entries = directory.shorts.map {
                (tag: $0.tag, type: 3, count: 1, value: number($0.value, 2) + [0, 0])
            }
            if let text = directory.make {
                entries.append((271, 2, text.utf8.count + 1, number(make, 4)))
            }
            if !nested.isEmpty {
                entries.append((330, 4, nested.count, number(nested.count > 1 ? list : nested[0], 4)))
            }
            if directory.dngVersion { entries.append((50_706, 1, 4, [1, 4, 0, 0])) }
            let start = bytes.count
            bytes += number(entries.count, 2)
            for entry in entries.sorted(by: { $0.tag < $1.tag }) {
                bytes += number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, 4) + entry.value
            }
            bytes += number(0, 4)
            return start
        }
        bytes += (isLittle ? [0x49, 0x49] : [0x4D, 0x4D]) + number(42, 2) + number(0, 4)
        var link = 4
        for directory in chain {
            put(write(directory), 4, at: link)
            link = bytes.count - 4
        }
        return Data(bytes)
    }

    private func refusal(_ data: Data) -> ImagingError? {
        #expect(throws: ImagingError.self) { try ImageHeader.read(data) }
    }

    @Test(
        "what a camera's directories hold, in either byte order",
        arguments: [
            ("NIKON CORPORATION", "Nikon NEF"), ("SONY", "Sony ARW"), ("PENTAX", "Pentax PEF"),
            ("SAMSUNG", "Samsung SRW"), ("Hasselblad", "Hasselblad 3FR"), ("Phase One A/S", "Phase One IIQ"),
            ("OLYMPUS IMAGING CORP.", "Olympus ORF"), ("Nobody", "unknown camera"),
        ],
        [true, false]
    )
    func namesTIFFs(_ camera: (make: String, name: String), _ isLittle: Bool) {
        let small = Directory(shorts: Self.thumbnail, make: camera.make, nested: [Self.sensor])
        var deep = small
        deep.nested = [Directory(shorts: Self.thumbnail), Self.sensor]
        let linked = [Directory(shorts: Self.thumbnail, make: camera.make), Self.sensor]
        var first = Self.sensor
        first.make = camera.make
        for chain in [[small], [deep], linked, [first]] {
            let error = refusal(tiff(chain, isLittle: isLittle))
            #expect(error?.reason == .unsupported)
            #expect(error?.message.contains(camera.name) == true, "\(error?.message ?? "")")
        }
    }

    @Test("a DNG, even of linear samples or shown by its first picture")
    func namesDNG() {
        var first = Directory(shorts: Self.thumbnail, make: "Apple")
        first.dngVersion = true
        for file in [tiff([first]), tiff([first], isLittle: false)] {
            #expect(refusal(file)?.reason == .unsupported)
            #expect(refusal(file)?.message.contains("DNG") == true)
        }
        let linear = Directory(shorts: [(tag: 262, value: 34_892)])
        #expect(refusal(tiff([linear]))?.reason == .unsupported)
    }

    @Test(
        "marks that only one format has",
        arguments: [
            ("FUJIFILMCCD-RAW 0201", "RAF"), ("\0\0\0\u{18}ftypcrx \0\0\0\u{1}crx isom", "CR3"),
            ("II*\0\u{10}\0\0\0CR\u{2}\0", "CR2"), ("IIU\0\u{8}\0\0\0", "RW2"), ("IIRO\u{8}\0\0\0", "ORF"),
            ("IIRS\u{8}\0\0\0", "ORF"), ("MMOR\0\0\0\u{8}", "ORF"), ("FOVb\0\0\0\0", "X3F"),
            ("\0MRM\0\0\0\0", "MRW"), ("II\u{1A}\0\0\0HEAPCCDR", "CRW"), ("II*\0\u{8}\0\0\0IIIITwaR", "IIQ"),
        ]
    )
    func namesMarks(_ start: String, _ name: String) {
        let data = Data(start.unicodeScalars.map { UInt8($0.value) }) + Data(repeating: 0, count: 200)
        #expect(refusal(data)?.reason == .unsupported)
        #expect(refusal(data)?.message.contains(name) == true)
    }

    @Test("a directory that points to itself ends")
    func endsInLoops() throws {
        var file = tiff([Directory(shorts: Self.thumbnail, make: "NIKON")])
        file.replaceSubrange(file.count - 4..<file.count, with: file[4..<8])
        #expect(throws: ImagingError.self) { try ImageDecoder.decode(file) }
    }

    @Test("the JPEG that a camera stores is shown, whatever its file is called")
    func showsJPEG() throws {
        let jpeg = try Photographs.jpeg(width: 40, height: 30)
        #expect(try ImageDecoder.decode(jpeg).size == PixelSize(width: 40, height: 30))
    }

    #if TIFF
    @Test("a TIFF of a camera is shown", arguments: ["NIKON CORPORATION", "Canon", "SONY"])
    func showsTIFF(_ make: String) throws {
        let pixels = [UInt8](repeating: 73, count: 12)
        var file = tiff([
            Directory(
                shorts: [
                    (256, 2), (257, 2), (258, 8), (259, 1), (262, 2), (273, 0), (277, 3), (278, 2), (279, 12),
                ].map { (tag: $0.0, value: $0.1) },
                make: make
            )
        ])
        let strip = file.count
        // The value of StripOffsets: in the entry of tag 273.
        let entry = try #require(file.firstRange(of: Data([0x11, 0x01, 3, 0, 1, 0, 0, 0]))).upperBound
        file.replaceSubrange(entry..<entry + 2, with: [UInt8(strip & 255), UInt8(strip >> 8)])
        file += pixels
        #expect(try ImageDecoder.decode(file).rgba().prefix(3) == Data([73, 73, 73]))
    }
    #endif
}
