#if AVIF
import Foundation
import Imaging
import TestSupport
import Testing

@Suite struct AVIFAnimationTests {
    private func frames(of file: Data) throws -> (frames: [AnimationFrame], warnings: Set<ImageWarning>) {
        var reader = try AnimationReader(file, header: ImageHeader.read(file))
        var frames: [AnimationFrame] = []
        while let frame = try reader.next() { frames.append(frame) }
        return (frames, reader.warnings)
    }

    private func durations(of file: Data) throws -> [Int] {
        try frames(of: file).frames.map { Int($0.duration / .milliseconds(1)) }
    }

    private func seed(_ name: String) throws -> Data {
        try Data(contentsOf: Repository.root.appendingPathComponent("Tests/Fuzzing/seeds/\(name)"))
    }

    /// Stills of one size, each of another colour.
    private func stills(_ count: Int, width: Int = 32, height: Int = 16) throws -> [CraftedMedia] {
        try (0..<count).map { index in
            let picture = try Photographs.pattern(width, height) { x, y in
                [UInt8(40 * index % 256), UInt8(255 * x / width), UInt8(255 * y / height), 255]
            }
            let file = try ImageEncoder.encode(picture, as: .avif(AVIFOptions(quality: 90, speed: 10)))
            return CraftedMedia(file, width: width, height: height)
        }
    }

    private func sequence(_ ticks: [Int], timescale: Int = 1000) throws -> CraftedSequence {
        CraftedSequence(frames: Array(zip(try stills(ticks.count), ticks)), timescale: timescale)
    }

    @Test func framesAreThoseOfTheStillDecoder() throws {
        let file = try sequence([40, 50, 60, 70])
        let read = try frames(of: file.data)
        #expect(read.frames.count == 4 && read.warnings.isEmpty)
        for (frame, given) in zip(read.frames, file.frames) {
            #expect(try frame.image.rgba() == ImageDecoder.decode(given.media.data).rgba())
        }
        #expect(try durations(of: file.data) == [40, 50, 60, 70])
    }

    /// Frames that refer to earlier ones, half translucent and turned, as avifenc writes them.
    @Test func framesOfAnEncoderAreThoseThatItWasGiven() throws {
        let file = try seed("moving.avif")
        let read = try frames(of: file)
        #expect(read.frames.count == 5 && read.warnings.isEmpty)
        for (index, frame) in read.frames.enumerated() {
            let given = try Photographs.pattern(32, 24) { x, y in
                let left = 4 * index + 2
                let isSquare = (left..<left + 8).contains(x) && (8..<16).contains(y)
                return isSquare
                    ? [240, 220, 30, 255] : [UInt8(6 * x), UInt8(8 * y), 100, x < 16 ? 255 : 128]
            }
            // A counter-clockwise quarter turn.
            let turned = try Rotate(degrees: 270).apply(to: given)
            #expect(frame.image.size == PixelSize(width: 24, height: 32) && frame.image.hasAlpha)
            #expect(try psnr(frame.image, turned) > 30, "frame \(index)")
            let (found, expected) = ([UInt8](try frame.image.rgba()), [UInt8](try turned.rgba()))
            let alphas = stride(from: 3, to: found.count, by: 4)
            #expect(alphas.allSatisfy { abs(Int(found[$0]) - Int(expected[$0])) < 24 }, "frame \(index)")
        }
        // 33.3, 200, 1.7, 33.3 and 41.7 ms.
        #expect(try durations(of: file) == [33, 200, 100, 34, 41])
        #expect(try ImageHeader.read(file).animation?.duration == .milliseconds(408))
    }

    @Test(
        "times are rounded without drift, and those that browsers do not show become theirs",
        arguments: [
            (30, [1, 1, 1, 1, 1, 1], [33, 34, 33, 33, 34, 33]), (0, [5, 5], [100, 100]),
            (1000, [0, 10, 11, 300], [100, 100, 11, 300]), (10_000, [105, 105, 109], [11, 11, 11]),
            (1, [1, 4_000_000_000], [1000, 4_000_000_000_000]),
            (4_000_000_000, [1, 200_000_000], [100, 50]),
        ]
    )
    func times(timescale: Int, ticks: [Int], shown: [Int]) throws {
        let file = try sequence(ticks, timescale: timescale).data
        #expect(try durations(of: file) == shown)
        let duration = try ImageHeader.read(file).animation?.duration
        #expect(duration == .milliseconds(shown.reduce(0, +)))
    }

    @Test func playsAreCounted() throws {
        var file = try sequence([50, 50])
        #expect(try ImageHeader.read(file.data).animation?.plays == 0)
        let cases: [(Bool, Int, Int, Int)] = [
            (false, 100, 100, 1), (true, 100, 100, 1), (true, 100, 300, 3), (true, 100, 250, 3),
            (true, 100, Int(UInt32.max), 0), (true, 1, Int(UInt32.max) - 1, 0),
        ]
        for (repeats, once, total, plays) in cases {
            file.edits = (repeats, once, total)
            #expect(try ImageHeader.read(file.data).animation?.plays == plays, "\(repeats) \(once) \(total)")
        }
    }

    @Test func theFirstBrandDecides() throws {
        var file = try sequence([50, 50])
        file.still = try stills(1, width: 20, height: 12)[0]
        #expect(try ImageHeader.read(file.data).animation?.frameCount == 2)
        file.brand = "avif"
        #expect(try ImageHeader.read(file.data).animation == nil)
        #expect(try ImageHeader.read(sequence([50]).data).animation == nil)
    }

    /// The still image is what a still output shows; the frames have a size, an orientation and colours of their own.
    @Test func framesMayDifferFromTheStillImage() throws {
        var file = try sequence([50, 60])
        file.still = try stills(1, width: 64, height: 64)[0]
        file.properties = [CraftedMedia.colors(primaries: 12, transfer: 13), CraftedMedia.rotation(1)]
        let header = try ImageHeader.read(file.data)
        #expect(header.size == PixelSize(width: 64, height: 64))
        #expect(try ImageDecoder.decode(file.data, header: header).size == header.size)
        #expect(header.ofFrames.size == PixelSize(width: 16, height: 32))
        let read = try frames(of: file.data)
        var expected = file.frames[1].media
        expected.properties = file.properties
        #expect(try read.frames[1].image.rgba() == ImageDecoder.decode(expected.data).rgba())

        let conversion = AnimationConversion(
            of: header,
            OperationChain([Resize(width: 8)]),
            as: .webp(WebPOptions(lossless: true))
        )
        guard case .file(let made, _, _) = try conversion.run(on: file.data) else {
            Issue.record("The file is too large.")
            return
        }
        #expect(try ImageHeader.read(made).size == PixelSize(width: 8, height: 16))
        #expect(try durations(of: made) == [50, 60])
    }

    @Test func copiesOfAReaderGoOnByThemselves() throws {
        let file = try seed("moving.avif")
        let all = try frames(of: file).frames
        var reader = try AnimationReader(file, header: ImageHeader.read(file))
        _ = try reader.next()
        var copy = reader
        for expected in all.dropFirst() {
            #expect(try reader.next()?.image.rgba() == expected.image.rgba())
            #expect(try copy.next()?.image.rgba() == expected.image.rgba())
        }
        #expect(try copy.next() == nil && reader.next() == nil)
    }

    @Test func aFileCutShortEndsTheAnimation() throws {
        var file = try sequence([50, 60, 70])
        file.withoutLastBytes = 5
        let read = try frames(of: file.data)
        #expect(read.frames.count == 2 && read.warnings == [.animationEnd])
        file.withoutLastBytes = file.frames.map(\.media.compressed.count).reduce(0, +) - 5
        let cut = file.data
        let error = #expect(throws: ImagingError.self) { try frames(of: cut) }
        #expect(error?.reason == .truncated)
    }

    @Test(
        "claims of frames are refused before any is read, and the still image is shown",
        arguments: [1, 60]
    )
    func claims(millions: Int) throws {
        var file = try sequence([50, 60])
        file.still = file.frames[0].media
        file.claimedCount = 1_000_000 * millions
        let data = file.data
        let header = try ImageHeader.read(data)
        #expect(header.animation?.frameCount == file.claimedCount)
        #expect(try ImageDecoder.decode(data, header: header).size == PixelSize(width: 32, height: 16))
        let error = #expect(throws: ImagingError.self) { _ = try AnimationReader(data, header: header) }
        #expect(error?.reason == .limits && error?.message.contains("\(millions)000000 frames") == true)

        var limits = ImageLimits()
        limits.maxAnimationPixels = .max
        let refusal = #expect(throws: ImagingError.self) {
            _ = try AnimationReader(data, header: header, limits: limits)
        }
        #expect(refusal?.reason == .limits && refusal?.message.contains("65536") == true)

        // Fewer than are read at all, and more than the file has; the last time is that of all that are left.
        file.claimedCount = 60_000
        let short = file.data
        let animation = try ImageHeader.read(short).animation
        #expect(animation?.duration == .milliseconds(50 + 59_999 * 60))
        let read = try frames(of: short)
        #expect(read.frames.count <= 2 && read.warnings == [.animationEnd])
    }

    @Test func framesOfHDRAreRefusedAndTheirStillImageIsNot() throws {
        var file = try sequence([50, 60])
        file.still = file.frames[0].media
        file.properties = [CraftedMedia.colors(primaries: 9, transfer: 16)]
        let data = file.data
        let header = try ImageHeader.read(data)
        #expect(header.animation?.frameCount == 2)
        _ = try ImageDecoder.decode(data, header: header)
        let error = #expect(throws: ImagingError.self) { _ = try AnimationReader(data, header: header) }
        #expect(error?.reason == .unsupported && error?.message.contains("HDR") == true)
    }

    @Test(
        "any change of a file gives frames of its size, or an error",
        arguments: ["moving.avif", "crafted"]
    )
    func mutants(_ name: String) throws {
        var file = try sequence([50, 60, 70])
        file.still = file.frames[0].media
        file.edits = (true, 180, 540)
        let whole = name == "crafted" ? file.data : try seed(name)
        var random = SeededGenerator(seed: SeededGenerator.seed(of: "mutants of \(name)"))
        var limits = ImageLimits()
        (limits.maxPixels, limits.maxAnimationPixels) = (1_000_000, 20_000_000)
        var read = 0
        for trial in 0..<400 {
            var bytes = [UInt8](whole)
            if trial % 4 == 0 {
                bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
            } else {
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    bytes[place] = UInt8.random(in: 0...255, using: &random)
                }
            }
            do throws(ImagingError) {
                let data = Data(bytes)
                let header = try ImageHeader.read(data)
                guard header.animation != nil else { continue }
                var reader = try AnimationReader(data, header: header, limits: limits)
                while let frame = try reader.next() {
                    if frame.image.size != header.ofFrames.size { Issue.record("\(frame.image.size)") }
                    read += 1
                }
            } catch {}
        }
        #expect(read > 100)
    }
}
#endif
