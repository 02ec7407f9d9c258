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

    @Test(
        "the quality that is told makes the file by itself, or one that is larger and as good",
        arguments: [Kind.webp, .avif, .jxl]
    )
    func quality(kind: Kind) throws {
        guard Kind.written.contains(kind) else { return }
        let photo = try photo()
        let encoded = try ImageEncoder.encoded(photo, as: kind.format(65))
        let quality = try #require(encoded.quality)
        let whole = try ImageEncoder.encode(photo, as: kind.format(nil, quality: quality))
        #expect(
            try whole == encoded.data || (whole.count > encoded.data.count && score(whole, of: photo) >= 65)
        )
    }

    @Test("a file between two qualities has bytes between theirs", arguments: Kind.written)
    func halves(kind: Kind) throws {
        let photo = try photo()
        for quality in [44, 76] {
            let settings = [
                QualitySearch.Setting(quality: quality - 1),
                QualitySearch.Setting(quality: quality, isHalfLower: true),
                QualitySearch.Setting(quality: quality),
            ]
            let formats = settings.map { kind.format(nil).with($0) }
            let files = try formats.map { (format) throws in try ImageEncoder.encode(photo, as: format) }
            #expect(files[0].count <= files[1].count && files[1].count <= files[2].count, "\(quality)")
            // A quality of WebP below 75 is not as much as one of its quantizers, so that a half can be either neighbour.
            let isCoarse = kind == .webp && quality < 75
            #expect(Set(files).count == (isCoarse ? 2 : 3), "\(quality)")
            #expect(formats.map(\.quality) == settings.map(\.quality))
        }
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

    @Test("a floor that needs all of the colour leaves less of it to files that must be small")
    func limitedChroma() throws {
        let photo = try photo("rocket.jpg")
        func lowest(_ subsampling: ChromaSubsampling) throws -> Int {
            try ImageEncoder.encode(photo, as: .jpeg(JPEGOptions(quality: 1, subsampling: subsampling))).count
        }
        func encoded(_ floor: Double, _ limit: Int) throws -> EncodedImage {
            try ImageEncoder.encoded(photo, as: Kind.jpeg.format(floor, maxBytes: limit))
        }
        let (half, whole) = (try lowest(.s420), try lowest(.s444))
        try #require(half < whole)
        // Only a file with less colour fits, and then both kinds do.
        #expect(try encoded(97, whole - 1).data.count < whole)
        let (low, high) = (try encoded(60, whole + 200), try encoded(97, whole + 200))
        try #require(low.score?.shortfall == .maxBytes && high.score?.shortfall == .maxBytes)
        #expect(high.score?.ssimulacra2 ?? 0 >= low.score?.ssimulacra2 ?? 100)
        let error = #expect(throws: ImagingError.self) { try encoded(97, half - 1) }
        #expect(error?.message.contains("has \(half) bytes even at the lowest quality") == true)
    }

    @Test("the file of the floor is encoded once, also where it is too large", arguments: Kind.written)
    func encodedOnce(kind: Kind) throws {
        let photo = try photo()
        let free = try ImageEncoder.encoded(photo, as: kind.format(70))
        let format = kind.format(70, maxBytes: free.data.count - 1)
        var tried: [EncodingFormat] = []
        let encoded = try format.file(of: photo, floor: 70) { (format) throws(ImagingError) in
            tried.append(format)
            return try ImageEncoder.encode(photo, as: format.withoutBounds)
        }
        #expect(encoded.data.count < free.data.count)
        #expect(tried.count > free.encodes && Set(tried).count == tried.count, "\(tried)")
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

    @Test(
        "an image above the limits of other images has a floor, since whoever made it has allowed its size",
        .enabled(if: ImageEncoder.formats.contains(.jxl))
    )
    func beyondLimits() throws {
        let width = ImageLimits().maxDimension + 1
        var rgba: [UInt8] = []
        for index in 0..<width * 2 { rgba += [UInt8(index / 40 % 200), 90, UInt8(index / 300 % 200), 255] }
        let wide = try Image(width: width, height: 2, rgba: Data(rgba))
        let encoded = try ImageEncoder.encoded(wide, as: Kind.jxl.format(60))
        #expect(encoded.score?.ssimulacra2 ?? 0 >= 60)
        #expect(throws: ImagingError.self) { try ImageDecoder.decode(encoded.data) }
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

    @Test(
        "an AVIF has all of its colour only if it cannot have the floor without",
        arguments: [60.0, 70, 80]
    )
    func chromaOfAVIF(floor: Double) throws {
        guard Kind.written.contains(.avif) else { return }
        for name in Photographs.names {
            let photo = try photo(name)
            let best = try ImageEncoder.encode(photo, as: Kind.avif.format(nil, quality: 89))
            var made: [Data: EncodingFormat] = [:]
            let encoded = try Kind.avif.format(floor).file(of: photo, floor: floor) {
                (format) throws(ImagingError) in
                let data = try ImageEncoder.encode(photo, as: format.withoutBounds)
                made[data] = format
                return data
            }
            guard case .avif(let options) = made[encoded.data] else {
                Issue.record("The file was not encoded.")
                continue
            }
            let isWhole = options.subsampling == .s444
            #expect(try isWhole == (score(best, of: photo) < floor), "\(name): \(options)")
        }
    }
}

extension EncodingFormat {
    /// The same settings without a floor and a limit.
    fileprivate var withoutBounds: EncodingFormat {
        switch self {
        case .jpeg(var options):
            (options.minimumSSIMULACRA2, options.maxBytes) = (nil, nil)
            return .jpeg(options)
        case .webp(var options):
            (options.minimumSSIMULACRA2, options.maxBytes) = (nil, nil)
            return .webp(options)
        case .avif(var options):
            (options.minimumSSIMULACRA2, options.maxBytes) = (nil, nil)
            return .avif(options)
        case .jxl(var options):
            (options.minimumSSIMULACRA2, options.maxBytes) = (nil, nil)
            return .jxl(options)
        case .png, .gif: return self
        }
    }
}
