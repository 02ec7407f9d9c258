import Foundation
@testable import Imaging
import TestSupport
import Testing

/// The format whose file is the smallest, beside each format alone.
@Suite struct SmallestFormatTests {
    /// Formats that are quick to encode, of those that this build writes.
    private static var quick: [EncodingFormat] {
        let all: [EncodingFormat] = [
            .avif(AVIFOptions(speed: 10)), .webp(WebPOptions(effort: 0)), .jpeg(), .png(),
            .jxl(JPEGXLOptions(effort: 3)), .webp(WebPOptions(lossless: true, effort: 2)),
        ]
        return all.filter { ImageEncoder.formats.contains($0.imageFormat) }
    }

    /// Bars of four colours on white, as of a chart.
    private func drawing() throws -> Image {
        let colors: [[UInt8]] = [
            [200, 30, 40, 255], [30, 90, 200, 255], [20, 140, 60, 255], [240, 180, 20, 255],
        ]
        let image = try Photographs.pattern(160, 120) { x, y in
            x % 40 < 28 && y > 100 - x % 97 ? colors[x / 40] : [255, 255, 255, 255]
        }
        return try image.flattened(over: .white)
    }

    /// A part of a photograph with grain, without alpha.
    private func photo(seed: UInt64) throws -> Image {
        try channels(seed: seed, lastAlpha: 255).flattened(over: .white)
    }

    /// The same with an alpha channel, whose last pixel is given.
    private func channels(seed: UInt64, lastAlpha: UInt8) throws -> Image {
        let photo = try Resize(width: 160).apply(to: try Photographs.image("coffee.png"))
        var numbers = SeededGenerator(seed: seed)
        var pixels = try photo.rgba()
        for index in pixels.indices where index % 4 != 3 {
            pixels[index] = UInt8(clamping: Int(pixels[index]) + Int.random(in: -12...12, using: &numbers))
        }
        pixels[pixels.count - 1] = lastAlpha
        return try Image(width: photo.size.width, height: photo.size.height, rgba: pixels)
    }

    /// The smallest of the files that each format makes alone, with the floor.
    private func expected(_ image: Image, _ choice: SmallestFormat) throws -> (data: Data, encodes: Int) {
        var best: Data?
        var encodes = 0
        for format in choice.candidates {
            let file = try ImageEncoder.encoded(image, as: format)
            encodes += file.encodes
            guard file.score?.shortfall == nil, file.data.count < best?.count ?? .max else { continue }
            best = file.data
        }
        return (try #require(best), encodes)
    }

    @Test(
        "a flat drawing and a photograph with grain get the smallest file that a format makes alone",
        arguments: [50.0, 70, 85]
    )
    func winners(floor: Double) throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        let choice = SmallestFormat(Self.quick, minimumSSIMULACRA2: floor)
        for (name, image) in [("drawing", try drawing()), ("photo", try photo(seed: seed))] {
            let (file, format) = try ImageEncoder.encoded(image, as: choice)
            let (data, encodes) = try expected(image, choice)
            #expect(file.data == data, "\(name) \(format), seed \(seed)")
            #expect(ImageFormat(file.data) == format.imageFormat)
            #expect(file.encodes <= encodes, "\(name): \(file.encodes) of \(encodes)")
            if let score = file.score {
                #expect(try image.ssimulacra2(of: ImageDecoder.decode(file.data)) == score.ssimulacra2)
                #expect(score.ssimulacra2 >= floor && score.shortfall == nil)
            } else {
                #expect(format.isLossless)
            }
            // The control: the pictures are not alike for the formats.
            if name == "photo" { #expect(!format.isLossless, "\(format)") }
            if name == "drawing", floor > 80 { #expect(format.isLossless, "\(format)") }
        }
    }

    @Test("the order of the formats decides between equal files alone")
    func ties() throws {
        let dot = try Photographs.gradient(1, 1)
        // A file tells its level in two bits (RFC 1950), which are the same for these.
        let levels = [8, 9].map { EncodingFormat.png(PNGOptions(compression: $0)) }
        try #require(try ImageEncoder.encode(dot, as: levels[0]) == ImageEncoder.encode(dot, as: levels[1]))
        for formats in [levels, levels.reversed()] {
            let choice = SmallestFormat(formats, minimumSSIMULACRA2: 70)
            #expect(try ImageEncoder.encoded(dot, as: choice).format == formats[0])
        }
        let (image, formats) = (try drawing(), Self.quick)
        let one = try ImageEncoder.encoded(image, as: SmallestFormat(formats, minimumSSIMULACRA2: 70))
        let other = try ImageEncoder.encoded(
            image,
            as: SmallestFormat(formats.reversed(), minimumSSIMULACRA2: 70)
        )
        #expect(one.file.data == other.file.data && one.format == other.format)
    }

    @Test("a format that cannot have the floor loses against one that has it, whatever its size")
    func unreachable() throws {
        let image = try photo(seed: 1)
        let formats: [EncodingFormat] = [.webp(WebPOptions(effort: 0)), .png()]
        let lossless = try ImageEncoder.encoded(image, as: SmallestFormat(formats, minimumSSIMULACRA2: 99))
        #expect(lossless.format == .png() && lossless.file.score == nil)
        #expect(
            try lossless.file.data.count
                > ImageEncoder.encode(image, as: .webp(WebPOptions(quality: 100))).count
        )
        // None has it: the best likeness, which alone can be compared.
        let choice = SmallestFormat([.webp(WebPOptions(effort: 0)), .jpeg()], minimumSSIMULACRA2: 99.9)
        let best = try ImageEncoder.encoded(image, as: choice)
        let scores = try choice.candidates.map {
            try #require(try ImageEncoder.encoded(image, as: $0).score?.ssimulacra2)
        }
        #expect(best.file.score?.shortfall == .quality && best.file.score?.ssimulacra2 == scores.max())
    }

    @Test("maxBytes holds for all formats, those without loss too")
    func limit() throws {
        let image = try photo(seed: 2)
        let formats: [EncodingFormat] = [.png(), .webp(WebPOptions(effort: 0)), .jpeg()]
        let free = try ImageEncoder.encoded(image, as: SmallestFormat(formats, minimumSSIMULACRA2: 80))
        let same = try ImageEncoder.encoded(
            image,
            as: SmallestFormat(formats, minimumSSIMULACRA2: 80, maxBytes: free.file.data.count)
        )
        #expect(same.file.data == free.file.data)
        let limit = free.file.data.count / 2
        let small = try ImageEncoder.encoded(
            image,
            as: SmallestFormat(formats, minimumSSIMULACRA2: 80, maxBytes: limit)
        )
        #expect(small.file.data.count <= limit && small.file.score?.shortfall == .maxBytes)
        let error = #expect(throws: ImagingError.self) {
            try ImageEncoder.encoded(image, as: SmallestFormat(formats, minimumSSIMULACRA2: 80, maxBytes: 20))
        }
        #expect(error?.reason == .processing && error?.message.contains("maxBytes allows 20") == true)
    }

    @Test("what is transparent never becomes JPEG, and an opaque alpha channel changes nothing")
    func transparency() throws {
        let formats: [EncodingFormat] = [.jpeg(), .png()]
        let choice = SmallestFormat(formats, minimumSSIMULACRA2: 50)
        let clear = try channels(seed: 3, lastAlpha: 254)
        let kept = try ImageEncoder.encoded(clear, as: choice)
        #expect(kept.format == .png() && ImageFormat(kept.file.data) == .png)
        let opaque = try channels(seed: 3, lastAlpha: 255)
        try #require(opaque.hasAlpha)
        for image in [opaque, try opaque.converted(toBitDepth: 16), try clear.flattened(over: .white)] {
            #expect(try ImageEncoder.encoded(image, as: choice).format.imageFormat == .jpeg)
        }
        let wide = try clear.converted(toBitDepth: 16)
        #expect(try ImageEncoder.encoded(wide, as: choice).format == .png())
        let error = #expect(throws: ImagingError.self) {
            try ImageEncoder.encoded(clear, as: SmallestFormat([.jpeg()], minimumSSIMULACRA2: 50))
        }
        #expect(error?.reason == .processing && error?.message.contains("No format can hold") == true)
    }

    @Test("a format that is too short for the image leaves the others, and other errors end the choice")
    func errors() throws {
        let long = try Photographs.gradient(16_384, 1)
        let choice = SmallestFormat([.webp(), .png()], minimumSSIMULACRA2: 50)
        #expect(try ImageEncoder.encoded(long, as: choice).format == .png())
        let short = #expect(throws: ImagingError.self) {
            try ImageEncoder.encoded(long, as: SmallestFormat([.webp()], minimumSSIMULACRA2: 50))
        }
        #expect(short?.reason == .limits)
        let image = try drawing()
        for choice in [
            SmallestFormat([.png(), .webp()], minimumSSIMULACRA2: 0),
            SmallestFormat([.png(), .webp(WebPOptions(effort: 9))], minimumSSIMULACRA2: 50),
        ] {
            let error = #expect(throws: ImagingError.self) { try ImageEncoder.encoded(image, as: choice) }
            #expect(error?.reason == .processing, "\(choice)")
        }
    }

    @Test("only formats with a floor, or without loss, can be taken")
    func candidates() {
        let formats: [EncodingFormat] = [
            .gif(), .png(PNGOptions(palette: true)), .png(), .webp(WebPOptions(quality: 9, lossless: true)),
            .jpeg(JPEGOptions(progressive: true)), .jxl(JPEGXLOptions(distance: 0)),
        ]
        let choice = SmallestFormat(formats, minimumSSIMULACRA2: 70, maxBytes: 900)
        #expect(
            choice.candidates == [
                .png(), .webp(WebPOptions(quality: 9, lossless: true)),
                .jpeg(JPEGOptions(progressive: true, maxBytes: 900, minimumSSIMULACRA2: 70)),
                .jxl(JPEGXLOptions(distance: 0)),
            ]
        )
        #expect(SmallestFormat.usual.map(\.imageFormat) == [.avif, .webp, .jpeg, .png])
    }

    @Test("memory is that of the costliest format and of a file beside it")
    func memory() throws {
        let (chain, size) = (OperationChain([]), PixelSize(width: 640, height: 480))
        func cost(_ formats: [EncodingFormat]) throws -> Int {
            try chain.memoryCost(of: size, originalSize: size, bitDepth: 8, for: formats)
        }
        let formats = SmallestFormat(minimumSSIMULACRA2: 70).candidates
        let most = try #require(try formats.map { try cost([$0]) }.max())
        // Rows are padded, whichever way the image lies.
        #expect(try (4 * size.area..<5 * size.area).contains(cost(formats) - most))
        #expect(try cost([]) == 0)
    }
}
