import Foundation
@testable import Imaging
import TestSupport
import Testing

/// `minimumSSIMULACRA2` of the formats whose quality can be searched.
@Suite struct QualityFloorTests {
    /// A format with a floor, quick to encode.
    enum Kind: CaseIterable, Sendable {
        case jpeg, webp, avif, jxl

        static var written: [Kind] {
            allCases.filter { ImageEncoder.formats.contains($0.format(50).imageFormat) }
        }

        func format(_ floor: Double?, quality: Int = 50, maxBytes: Int? = nil) -> EncodingFormat {
            switch self {
            case .jpeg: .jpeg(JPEGOptions(quality: quality, maxBytes: maxBytes, minimumSSIMULACRA2: floor))
            case .webp:
                .webp(WebPOptions(quality: quality, effort: 0, maxBytes: maxBytes, minimumSSIMULACRA2: floor))
            case .avif:
                .avif(AVIFOptions(quality: quality, speed: 10, maxBytes: maxBytes, minimumSSIMULACRA2: floor))
            case .jxl:
                .jxl(
                    JPEGXLOptions(
                        distance: JPEGXLOptions.distance(ofQuality: quality),
                        effort: 3,
                        maxBytes: maxBytes,
                        minimumSSIMULACRA2: floor
                    )
                )
            }
        }
    }

    private func photo(_ name: String = "coffee.png") throws -> Image {
        try Resize(width: 160).apply(to: try Photographs.image(name))
    }

    private func score(_ file: Data, of image: Image) throws -> Double {
        try image.ssimulacra2(of: try ImageDecoder.decode(file))
    }

    @Test("a file has the floor, and hardly more", arguments: Kind.written, [60.0, 70, 80])
    func floor(kind: Kind, floor: Double) throws {
        for name in Photographs.names {
            let photo = try photo(name)
            let encoded = try ImageEncoder.encoded(photo, as: kind.format(floor))
            let reported = try #require(encoded.score)
            #expect(try reported.ssimulacra2 == score(encoded.data, of: photo), "\(name)")
            #expect(reported.shortfall == nil && reported.ssimulacra2 >= floor, "\(name): \(reported)")
            // One step of quality is at most so much in pictures of this size.
            #expect(reported.ssimulacra2 < floor + 5, "\(name): \(reported)")
            #expect(try ImageEncoder.encode(photo, as: kind.format(floor)) == encoded.data)
        }
    }

    @Test("the quality that is found makes the file by itself", arguments: [Kind.webp, .avif, .jxl])
    func quality(kind: Kind) throws {
        guard Kind.written.contains(kind) else { return }
        let photo = try photo()
        let encoded = try ImageEncoder.encoded(photo, as: kind.format(65))
        let quality = try #require(encoded.quality)
        #expect(try ImageEncoder.encode(photo, as: kind.format(nil, quality: quality)) == encoded.data)
    }

    @Test("a JPEG that cannot have the floor with less colour gets all of it")
    func chroma() throws {
        // Thin red and blue lines, which chroma of half the resolution mixes.
        let lines = try Photographs.pattern(96, 96) { x, y in
            (x + y) % 2 == 0 ? [220, 20, 20, 255] : [20, 20, 220, 255]
        }
        let half = try ImageEncoder.encode(lines, as: .jpeg(JPEGOptions(quality: 100)))
        let floor = 60.0
        try #require(try score(half, of: lines) < floor)
        let encoded = try ImageEncoder.encoded(lines, as: .jpeg(JPEGOptions(minimumSSIMULACRA2: floor)))
        #expect(encoded.score?.shortfall == nil)
        #expect(try score(encoded.data, of: lines) >= floor)
    }

    @Test("a floor above every quality gives the best file, and says so", arguments: Kind.written)
    func unreachable(kind: Kind) throws {
        let photo = try photo()
        let encoded = try ImageEncoder.encoded(photo, as: kind.format(99.9))
        #expect(encoded.score?.shortfall == .quality)
        #expect(encoded.quality == 100)
        let reported = try #require(encoded.score?.ssimulacra2)
        #expect(try reported == score(encoded.data, of: photo) && reported < 99.9)
    }

    @Test("maxBytes is obeyed before the floor, and says so", arguments: Kind.written)
    func limited(kind: Kind) throws {
        let photo = try photo()
        let free = try ImageEncoder.encoded(photo, as: kind.format(80))
        let limit = free.data.count * 2 / 3
        let encoded = try ImageEncoder.encoded(photo, as: kind.format(80, maxBytes: limit))
        #expect(encoded.data.count <= limit && encoded.score?.shortfall == .maxBytes)
        let reported = try #require(encoded.score?.ssimulacra2)
        #expect(try reported == score(encoded.data, of: photo) && reported < 80)
        let wide = try ImageEncoder.encoded(photo, as: kind.format(80, maxBytes: free.data.count))
        #expect(wide == free)
        #expect(throws: ImagingError.self) {
            try ImageEncoder.encoded(photo, as: kind.format(80, maxBytes: 20))
        }
    }

    @Test("the file of the floor is encoded once, also where it is too large", arguments: Kind.written)
    func encodedOnce(kind: Kind) throws {
        let photo = try photo()
        let free = try ImageEncoder.encoded(photo, as: kind.format(70))
        let format = kind.format(70, maxBytes: free.data.count - 1)
        var tried: [Int?] = []
        let encoded = try format.file(of: photo, floor: 70) { (format) throws(ImagingError) in
            tried.append(format.quality)
            return try ImageEncoder.encode(photo, as: kind.format(nil, quality: format.quality ?? 0))
        }
        #expect(encoded.data.count < free.data.count)
        #expect(tried.count > free.encodes && tried.filter { $0 == free.quality }.count == 1, "\(tried)")
    }

    @Test("transparent images have a floor over every background")
    func alpha() throws {
        let image = try Photographs.gradient(120, 80, alpha: true)
        let encoded = try ImageEncoder.encoded(image, as: Kind.webp.format(70))
        #expect(encoded.score?.shortfall == nil)
        #expect(try score(encoded.data, of: image) >= 70)
        // A JPEG is compared with what it shows.
        let flat = try ImageEncoder.encoded(image, as: Kind.jpeg.format(70), background: .black)
        #expect(try score(flat.data, of: image.flattened(over: .black)) >= 70)
    }

    @Test("grey images, 16 bits and the smallest sizes have floors", arguments: Kind.written)
    func kinds(kind: Kind) throws {
        let images = [
            try photo().converted(to: .gray), try photo().converted(toBitDepth: 16),
            try Photographs.gradient(1, 1),
            try Photographs.gradient(9, 3),
        ]
        for image in images {
            let encoded = try ImageEncoder.encoded(image, as: kind.format(60))
            let reported = try #require(encoded.score)
            #expect(reported.ssimulacra2 >= 60 || reported.shortfall == .quality, "\(image.size)")
        }
    }

    @Test("metadata is in the file, and a floor out of range is an error")
    func errors() throws {
        let photo = try photo()
        for floor in [0.0, -3, 100.1, .nan, .infinity] {
            let error = #expect(throws: ImagingError.self) {
                try ImageEncoder.encode(photo, as: Kind.jpeg.format(floor))
            }
            #expect(error?.reason == .processing && error?.message.contains("from 1 to 100") == true)
        }
    }

    @Test("a search tries no quality twice and at most six, and ends at the edge of the floor")
    func search() throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        var generator = SeededGenerator(seed: seed)
        var counts: [Int] = []
        for _ in 0..<2000 {
            // Rising curves: a random height, a random bend.
            let end = Double.random(in: 40...99, using: &generator)
            let start = Double.random(in: -60...30, using: &generator)
            let bend = Double.random(in: 0.2...1.5, using: &generator)
            func score(_ quality: Int) -> Double { start + (end - start) * pow(Double(quality) / 100, bend) }
            let floor = Double.random(in: 1...99, using: &generator)
            var tried: [Int] = []
            let search = try #require(Kind.jpeg.format(50).qualitySearches(floor: floor).first).search
            let found = try search.run { quality in
                tried.append(quality)
                return QualitySearch.Trial(quality: quality, data: Data(), score: score(quality))
            }
            let report: Comment = "seed \(seed), floor \(floor), \(start) to \(end), bend \(bend): \(tried)"
            #expect(Set(tried).count == tried.count && tried.count <= QualitySearch.mostTrials, report)
            #expect(tried.allSatisfy { (1...100).contains($0) }, report)
            if end < floor {
                #expect(found.quality == 100, report)
            } else {
                #expect(found.score >= floor, report)
                #expect(tried.filter { score($0) >= floor }.min() == found.quality, report)
            }
            counts.append(tried.count)
        }
        #expect(counts.reduce(0, +) < 5 * counts.count, "seed \(seed)")
    }

    @Test(
        "an AVIF has all of its colour only if it cannot have the floor without",
        arguments: [60.0, 70, 80]
    )
    func chromaOfAVIF(floor: Double) throws {
        guard Kind.written.contains(.avif) else { return }
        for name in Photographs.names {
            let photo = try photo(name)
            let best = try ImageEncoder.encode(photo, as: Kind.avif.format(nil, quality: 89))
            let encoded = try ImageEncoder.encoded(photo, as: Kind.avif.format(floor))
            let quality = try #require(encoded.quality)
            #expect(try (quality >= 90) == (score(best, of: photo) < floor), "\(name): \(quality)")
        }
    }
}
