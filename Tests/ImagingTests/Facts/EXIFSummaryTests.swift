import Foundation
import Imaging
import TestSupport
import Testing

@Suite struct EXIFSummaryTests {
    private static func file(_ exif: Data) throws -> Data {
        let image = try Photographs.opaqueGradient(8, 8)
        return EXIFData.embed(exif, in: try ImageEncoder.encode(image, as: .jpeg()))
    }

    private func read(_ exif: Data) throws -> (summary: EXIFSummary?, location: EXIFLocation?) {
        let file = try Self.file(exif)
        let header = try ImageHeader.read(file)
        return (EXIFSummary(of: file, header), EXIFLocation(of: file, header))
    }

    private func check(_ summary: EXIFSummary?, _ location: EXIFLocation?) throws {
        let exif = try #require(summary)
        #expect(exif.make == "Canon" && exif.model == "Canon EOS R5" && exif.lens == "RF85mm F1.2 L USM")
        #expect(exif.taken == "2024-05-06T07:08:09+02:00")
        #expect(exif.exposureTime == 0.004 && exif.fNumber == 2.8)
        #expect(exif.iso == 400 && exif.focalLength == 85)
        let found = try #require(location)
        #expect(found.latitude == -33.8569 && found.longitude == 151.2156 && found.altitude == -12.5)
    }

    @Test("what a camera wrote is read, in both byte orders", arguments: [false, true])
    func whole(isLittle: Bool) throws {
        var exif = EXIFData.photograph
        exif.isLittle = isLittle
        let (summary, location) = try read(exif.data)
        try check(summary, location)
    }

    /// Written by Pillow 10.4.0 (`Image.Exif.tobytes`), which knows nothing of this project.
    private static let byPillow = """
        TU0AKgAAAAgABQEPAAIAAAAGAAAASgEQAAIAAAANAAAAUAESAAMAAAABAAYAAIdpAAQAAAABAAAAXoglAAQAAAABAAAA/gAAAABDYW5v\
        bgBDYW5vbiBFT1MgUjUAAAAHgpoABQAAAAEAAAC4gp0ABQAAAAEAAADAiCcAAwAAAAEBkAAAkAMAAgAAABQAAADIkBEAAgAAAAcAAADc\
        kgoABQAAAAEAAADkpDQAAgAAABIAAADsAAAAAAAAAAEAAAD6AAAADgAAAAUyMDI0OjA1OjA2IDA3OjA4OjA5ACswMjowMAAAAAAAVQAA\
        AAFSRjg1bW0gRjEuMiBMIFVTTQAABgABAAIAAAACUwAAAAACAAUAAAADAAABTAADAAIAAAACRQAAAAAEAAUAAAADAAABZAAFAAEAAAAB\
        AQAAAAAGAAUAAAABAAABfAAAAAAAAAAhAAAAAQAAADMAAAABAAACbQAAABkAAACXAAAAAQAAAAwAAAABAAAFfAAAABkAAAAZAAAAAg==
        """

    @Test("data of another program's making is read the same")
    func foreign() throws {
        let (summary, location) = try read(try #require(Data(base64Encoded: Self.byPillow)))
        try check(summary, location)
    }

    #if TIFF
    @Test("a TIFF file is EXIF data itself")
    func tiff() throws {
        let exif = EXIFData.photograph.data
        // The header is that of another TIFF; only its format matters here.
        let header = try ImageHeader.read(CraftedTIFF(1, 1, photometric: 1, pixels: [0]).data)
        #expect(header.format == .tiff)
        try check(EXIFSummary(of: exif, header), EXIFLocation(of: exif, header))
    }
    #endif

    @Test("a file without EXIF data, or with none of this in it, has no summary and no location")
    func nothing() throws {
        for name in ["coffee.png", "hubble_deep_field.jpg"] {
            let file = try Photographs.data(name)
            let header = try ImageHeader.read(file)
            #expect(EXIFSummary(of: file, header) == nil && EXIFLocation(of: file, header) == nil)
        }
        var exif = EXIFData.photograph
        exif.gps = [:]
        let (summary, location) = try read(exif.data)
        #expect(summary != nil && location == nil)
    }

    @Test(
        "a time that is none is left out, an offset that is none too",
        arguments: [
            ("2024:05:06 07:08:09", "+02:00", "2024-05-06T07:08:09+02:00"),
            ("2024:02:29 23:59:60", "", "2024-02-29T23:59:60"),
            ("2024:05:06 07:08:09", "+2", "2024-05-06T07:08:09"),
            ("2024:05:06 07:08:09", "+99:00", "2024-05-06T07:08:09"),
            ("0000:00:00 00:00:00", "", nil), ("    :  :     :  :  ", "", nil),
            ("2023:02:29 00:00:00", "", nil), ("2024:13:01 00:00:00", "", nil),
            ("2024:01:01 24:00:00", "", nil),
            ("2024-01-01T00:00:00", "", nil), ("２０２４:01:01 00:00:00", "", nil), ("", "", nil),
        ]
    )
    func times(time: String, offset: String, expected: String?) throws {
        var exif = EXIFData.photograph
        exif.details[0x9003] = .ascii(time)
        exif.details[0x9011] = .ascii(offset)
        #expect(try read(exif.data).summary?.taken == expected)
        // The time of digitizing stands in for one that is missing.
        exif.details[0x9004] = .ascii("2020:01:02 03:04:05")
        #expect(try read(exif.data).summary?.taken == expected ?? "2020-01-02T03:04:05")
    }

    @Test("texts are cut, end at the first zero byte, and hold neither controls nor invalid UTF-8")
    func texts() throws {
        func make(_ bytes: [UInt8], count: Int? = nil) throws -> String? {
            var exif = EXIFData()
            exif.main = [0x010F: .raw(type: 2, count: count ?? bytes.count, bytes), 0x0110: .ascii("here")]
            let summary = try read(exif.data).summary
            #expect(summary?.model == "here")
            return summary?.make
        }
        #expect(try make(Array("  Nikon \0\0\0".utf8)) == "Nikon")
        #expect(try make(Array("Nikon".utf8)) == "Nikon", "no zero byte at the end")
        #expect(try make(Array("Ni\u{1B}[31mk\u{202E}on\r\n".utf8) + [0]) == "Ni[31mkon")
        #expect(try make([0x4C, 0xE9, 0x69, 0x63, 0x61, 0]) == "L\u{FFFD}ica")
        #expect(try make([UInt8](repeating: 0x41, count: 50_000)) == String(repeating: "A", count: 200))
        #expect(try make([0, 0, 0, 0, 0, 0]) == nil)
        #expect(try make(Array("      ".utf8)) == nil)
        #expect(try make(Array("Nikon\0".utf8), count: 0xFFFF_FFFF) == nil)
        #expect(try make(Array("Nikon\0".utf8), count: 0) == nil)
    }

    @Test("numbers divided by zero, of another type or without sense are left out")
    func numbers() throws {
        var exif = EXIFData.photograph
        exif.details[0x829A] = .rationals([(1, 0)])
        exif.details[0x829D] = .rationals([(0, 0)])
        exif.details[0x920A] = .short(85)
        exif.details[0x8827] = .short(0)
        let summary = try #require(try read(exif.data).summary)
        #expect(summary.exposureTime == nil && summary.fNumber == nil)
        #expect(summary.focalLength == nil && summary.iso == nil)
        exif.details[0x8827] = .short(65_535)
        #expect(try read(exif.data).summary?.iso == 65_535)
        exif.details[0x8832] = .long(102_400)
        #expect(try read(exif.data).summary?.iso == 102_400)
        exif.details[0x829A] = .raw(type: 5, count: 1, [0xFF, 0xFF, 0xFF, 0xF0])
        #expect(try read(exif.data).summary?.exposureTime == nil, "an offset behind the end")
        exif.details[0x829A] = .rationals([(0xFFFF_FFFF, 1)])
        #expect(try read(exif.data).summary?.exposureTime == 4_294_967_295)
    }

    @Test("a location that is out of range or incomplete is nil")
    func locations() throws {
        func location(_ tag: Int, _ value: EXIFData.Value?) throws -> EXIFLocation? {
            var exif = EXIFData.photograph
            exif.gps[tag] = value
            return try read(exif.data).location
        }
        #expect(try location(1, .ascii("N"))?.latitude == 33.8569)
        #expect(try location(1, .ascii("X")) == nil)
        #expect(try location(1, nil) == nil)
        #expect(try location(2, .rationals([(90, 1), (0, 1), (1, 1)])) == nil)
        #expect(try location(2, .rationals([(90, 1), (0, 1), (0, 1)]))?.latitude == -90)
        #expect(try location(2, .rationals([(33, 1), (51, 1)])) == nil)
        #expect(try location(2, .rationals([(33, 1), (51, 1), (0, 0)])) == nil)
        #expect(try location(4, .rationals([(181, 1), (0, 1), (0, 1)])) == nil)
        #expect(try location(5, nil)?.altitude == 12.5)
        #expect(try location(6, .rationals([(1, 0)]))?.altitude == nil)
        #expect(try location(6, .rationals([(1, 0)])) != nil)
    }

    @Test("no damage to the data is ever trapped on, and no text grows beyond its bound")
    func mutants() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("EXIF mutants: seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let good = EXIFData.photograph.data
        let file = try Self.file(good)
        let start = try #require(file.firstRange(of: good)).lowerBound
        var unread = 0
        for number in 0..<20_000 {
            var mutant = file
            if number < good.count { mutant[start + number] = 0xFF }
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let position = start + Int.random(in: 0..<good.count, using: &random)
                mutant[position] =
                    [0, 1, 0x7F, 0x80, 0xFF, .random(in: 0...255, using: &random)]
                    .randomElement(using: &random) ?? 0
            }
            let header = try ImageHeader.read(mutant)
            let summary = EXIFSummary(of: mutant, header)
            if summary == nil { unread += 1 }
            for text in [summary?.make, summary?.model, summary?.lens] {
                #expect((text?.unicodeScalars.count ?? 0) <= 200)
            }
            if let location = EXIFLocation(of: mutant, header) {
                #expect(abs(location.latitude) <= 90 && abs(location.longitude) <= 180)
            }
        }
        #expect(unread > 0, "some damage must have been seen")
    }
}
