import CMadeJPEG
import Foundation
import Imaging
import Testing

/// JPEGs of which libjpeg warns: those that are whole are shown, those that lack pixels or have wrong ones are not.
@Suite struct FaultyJPEGTests {
    static let layouts = [MADE_ONE_SCAN, MADE_SCAN_EACH, MADE_USUAL_PROGRESSION, MADE_SPECTRAL_SCANS].map(
        \.rawValue
    )

    private func made(_ scans: UInt32 = MADE_ONE_SCAN.rawValue, components: Int32 = 3, restart: Int32 = 0)
        throws
        -> Data
    {
        var made = made_jpeg()
        (made.width, made.height, made.components) = (99, 61, components)
        made.horizontal = (2, 1, 1)
        made.vertical = (2, 1, 1)
        (made.quality, made.scans, made.seed, made.restart_interval) = (85, made_scans(scans), 5, restart)
        return try #require(MadeJPEG(made, context: nil)).data
    }

    /// The places of a marker of two bytes.
    private func places(_ marker: UInt8, in data: Data) -> [Int] {
        data.indices.dropLast().filter { data[$0] == 0xFF && data[$0 + 1] == marker }
    }

    private func inserting(_ bytes: [UInt8], at place: Int, into data: Data) -> Data {
        data[..<place] + Data(bytes) + data[place...]
    }

    private func expectShown(_ faulty: Data, as whole: Data, _ warnings: Set<ImageWarning>) throws {
        for covering in [nil, PixelSize(width: 20, height: 12)] {
            let image = try ImageDecoder.decode(faulty, covering: covering)
            #expect(image.warnings == warnings)
            #expect(try image.rgba() == ImageDecoder.decode(whole, covering: covering).rgba())
        }
    }

    private func refusal(_ data: Data) -> ImagingError.Reason? {
        #expect(throws: ImagingError.self) { try ImageDecoder.decode(data) }?.reason
    }

    @Test("a whole file has no warning", arguments: layouts)
    func isSilent(_ scans: UInt32) throws {
        let whole = try made(scans)
        try expectShown(whole, as: whole, [])
    }

    @Test("another version of JFIF", arguments: [0, 2, 9, 255])
    func passesOverVersions(_ version: UInt8) throws {
        let whole = try made()
        var faulty = whole
        faulty[try #require(whole.firstRange(of: Data("JFIF\0".utf8))).upperBound] = version
        try expectShown(faulty, as: whole, [.headerValue])
    }

    @Test(
        "parameters of a progressive scan in a sequential one",
        arguments: [(0, 0, 0), (1, 63, 0), (0, 63, 0x10), (63, 63, 1)]
    )
    func passesOverParameters(_ start: Int, _ end: Int, _ bits: Int) throws {
        for scans in [MADE_ONE_SCAN, MADE_SCAN_EACH] {
            let whole = try made(scans.rawValue)
            var faulty = whole
            let place = try #require(places(0xDA, in: whole).first)
            let last = place + 1 + Int(whole[place + 3])
            faulty.replaceSubrange(last - 2...last, with: [UInt8(start), UInt8(end), UInt8(bits)])
            try expectShown(faulty, as: whole, [.headerValue])
        }
    }

    @Test("an unknown transform in Adobe's marker")
    func passesOverTransforms() throws {
        var whole = try made()
        // Without JFIF, Adobe's marker counts.
        whole[try #require(whole.firstRange(of: Data("JFIF\0".utf8))).lowerBound] = 0x58
        let adobe = Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0]
        let right = ImagingTests.inserting(marker: 0xEE, adobe + [1], into: whole)
        let wrong = ImagingTests.inserting(marker: 0xEE, adobe + [7], into: whole)
        try expectShown(wrong, as: right, [.headerValue])
    }

    @Test("stray bytes before the end, and before each segment behind the first", arguments: layouts)
    func passesOverStrayBytes(_ scans: UInt32) throws {
        let whole = try made(scans)
        let scan = try #require(places(0xDA, in: whole).first)
        let segments = [0xDB, 0xC4, 0xDA, 0xC0, 0xC2].flatMap { places($0, in: whole) } + [whole.count - 2]
        for place in segments {
            // libjpeg does not notice the first bytes behind a scan, which it has taken for more of it.
            let few = inserting([0x12, 0x34, 0x56], at: place, into: whole)
            if place > scan {
                #expect(try ImageDecoder.decode(few).rgba() == ImageDecoder.decode(whole).rgba())
            } else {
                try expectShown(few, as: whole, [.strayBytes])
            }
            let more = inserting([UInt8](repeating: 0, count: 32), at: place, into: whole)
            try expectShown(more, as: whole, [.strayBytes])
        }
        // In the header, no pixel comes before them.
        let first = try #require(places(0xDB, in: whole).first)
        let many = inserting([UInt8](repeating: 7, count: 5000), at: first, into: whole)
        try expectShown(many, as: whole, [.strayBytes])
    }

    @Test("AC coefficients before DC coefficients, if these come at all")
    func passesOverOrder() throws {
        let whole = try made(MADE_SPECTRAL_SCANS.rawValue, components: 1)
        // Scans with their tables: from the first DHT or SOS behind the frame on.
        let marks = places(0xDA, in: whole)
        let frame = try #require(places(0xC2, in: whole).first)
        let tables = places(0xC4, in: whole).filter { $0 > frame }
        let starts = zip(marks, [frame] + marks).map { mark, former in
            tables.first { former < $0 && $0 < mark } ?? mark
        }
        let begin = try #require(starts.first)
        let bounds = starts + [whole.count - 2]
        let parts = zip(bounds, bounds.dropFirst()).map { whole[$0..<$1] }
        try #require(parts.count > 2)
        let head = whole[..<begin]
        let end = whole.suffix(2)
        let turned = head + parts[1] + parts[0] + parts[2...].reduce(Data(), +) + end
        try expectShown(turned, as: whole, [.partPlace])
        let without = head + parts[1...].reduce(Data(), +) + end
        #expect(refusal(without) == .corrupt)
    }

    @Test("controls: what lacks pixels, or has more than the header says, is refused", arguments: layouts)
    func refuses(_ scans: UInt32) throws {
        let whole = try made(scans)
        #expect(refusal(whole.dropLast(2)) == .truncated)
        let scan = try #require(places(0xDA, in: whole).last)
        let body = scan + 2 + Int(whole[scan + 3])
        // The last scan ends in its middle, and the file goes on.
        let middle = (body + whole.count - 2) / 2
        #expect(refusal(whole[..<middle] + whole.suffix(2)) == .corrupt)
        #expect(
            refusal(inserting([UInt8](repeating: 1, count: 300), at: whole.count - 2, into: whole))
                == .corrupt
        )
    }

    @Test("controls: half the height, stray bytes before a restart, and restarts out of order")
    func refusesMore() throws {
        let whole = try made()
        var half = whole
        let frame = try #require(places(0xC0, in: whole).first)
        half[frame + 6] = 45
        #expect(refusal(half) == .corrupt)
        let restarting = try made(restart: 2)
        let restarts = (0xD0...0xD7).flatMap { places(UInt8($0), in: restarting) }
        try #require(restarts.count > 3)
        #expect(refusal(inserting([1, 2, 3, 4], at: restarts[1], into: restarting)) == .corrupt)
        var swapped = restarting
        swapped[restarts[1] + 1] = 0xD5
        #expect(refusal(swapped) == .corrupt)
    }

    /// A grey JPEG of this size, each block of which is coded by two codes, the first of each table.
    private func grey(_ width: Int, _ height: Int, counts: [UInt8]) -> Data {
        func marker(_ code: UInt8, _ content: [UInt8]) -> [UInt8] {
            let count = content.count + 2
            return [0xFF, code, UInt8(count >> 8), UInt8(count & 255)] + content
        }
        func size(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }
        let symbols = (0..<counts.reduce(0) { $0 + Int($1) }).map { UInt8($0) }
        let lengths = counts + [UInt8](repeating: 0, count: 16 - counts.count)
        let blocks = ((width + 7) / 8) * ((height + 7) / 8)
        let bits = 2 * blocks * ((counts.firstIndex { $0 > 0 } ?? 0) + 1)
        var file: [UInt8] = [0xFF, 0xD8] + marker(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        file += marker(0xC0, [8] + size(height) + size(width) + [1, 1, 0x11, 0])
        file += marker(0xC4, [0] + lengths + symbols) + marker(0xC4, [0x10] + lengths + symbols)
        file += marker(0xDA, [1, 1, 0, 0, 63, 0]) + [UInt8](repeating: 0, count: bits / 8)
        if bits % 8 > 0 { file.append(0xFF >> (bits % 8)) }
        return Data(file + [0xFF, 0xD9])
    }

    @Test(
        "a code of ones alone is damage at every size",
        arguments: [[2], [1, 2], [0, 4], [1, 1, 2], [0, 0, 8], [0, 3, 2]] as [[UInt8]],
        [1, 4, 8, 9, 13, 16, 17, 64, 200]
    )
    func refusesCodesOfOnes(_ counts: [UInt8], _ width: Int) throws {
        for height in [1, 8, 13, 64] {
            #expect(refusal(grey(width, height, counts: counts)) == .corrupt, "\(width) x \(height)")
            let covering = PixelSize(width: 1, height: 1)
            let error = #expect(throws: ImagingError.self) {
                try ImageDecoder.decode(grey(width, height, counts: counts), covering: covering)
            }
            #expect(error?.reason == .corrupt)
        }
        // The control: without its last code the table is as it must be.
        let right = Array(counts.dropLast()) + [(counts.last ?? 1) - 1]
        #expect(try ImageDecoder.decode(grey(width, 13, counts: right)).warnings.isEmpty)
    }
}
