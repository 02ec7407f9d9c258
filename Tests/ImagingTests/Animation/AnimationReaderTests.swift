#if GIF
import Foundation
import Imaging
import TestSupport
import Testing

@Suite struct AnimationReaderTests {
    private func frames(of file: Data) throws -> (frames: [AnimationFrame], warnings: Set<ImageWarning>) {
        var reader = try AnimationReader(file, header: ImageHeader.read(file))
        var frames: [AnimationFrame] = []
        while let frame = try reader.next() { frames.append(frame) }
        return (frames, reader.warnings)
    }

    private func pixels(_ image: Image) throws -> [[UInt8]] {
        let rgba = [UInt8](try image.rgba())
        return stride(from: 0, to: rgba.count, by: 4).map { Array(rgba[$0..<$0 + 4]) }
    }

    /// Two lists of pixels are alike if visible ones differ by at most one step.
    private func areAlike(_ one: [[UInt8]], _ other: [[UInt8]]) -> Bool {
        guard one.count == other.count else { return false }
        for (one, other) in zip(one, other) where one[3] != 0 || other[3] != 0 {
            let nearest = zip(one, other).allSatisfy { (one: UInt8, other: UInt8) in
                abs(Int(one) - Int(other)) <= 1
            }
            guard nearest else { return false }
        }
        return true
    }

    @Test func framesOfAGIFAreThoseOfTheModel() throws {
        var random = SeededGenerator(seed: SeededGenerator.seed(of: "framesOfAGIFAreThoseOfTheModel"))
        for _ in 0..<150 {
            let (animation, shown) = CraftedGIFAnimation.random(using: &random)
            let read = try frames(of: animation.data)
            #expect(read.frames.count == shown.count && read.warnings.isEmpty)
            for (frame, expected) in zip(read.frames, shown) {
                #expect(try areAlike(pixels(frame.image), expected))
            }
        }
    }

    @Test(arguments: [false, true])
    func framesOfAPNGAreThoseOfTheModel(_ hasOwnStill: Bool) throws {
        var random = SeededGenerator(seed: SeededGenerator.seed(of: "framesOfAPNGAreThoseOfTheModel"))
        for _ in 0..<150 {
            let (width, height) = (
                Int.random(in: 1...9, using: &random), Int.random(in: 1...9, using: &random)
            )
            var model = CanvasModel(width: width, height: height)
            var animation = CraftedPNGAnimation(
                width: width,
                height: height,
                frames: [],
                hasOwnStill: hasOwnStill
            )
            var shown: [[[UInt8]]] = []
            for index in 0..<Int.random(in: 2...6, using: &random) {
                let isWhole = index == 0 && !hasOwnStill
                let x = isWhole ? 0 : Int.random(in: 0..<width, using: &random)
                let y = isWhole ? 0 : Int.random(in: 0..<height, using: &random)
                let columns = isWhole ? width : Int.random(in: 1...width - x, using: &random)
                let rows = isWhole ? height : Int.random(in: 1...height - y, using: &random)
                let alphas: [UInt8] = [0, 255, UInt8.random(in: 1...254, using: &random)]
                let frame = (0..<columns * rows).map { _ -> [UInt8] in
                    (0..<3).map { _ in UInt8.random(in: 0...255, using: &random) }
                        + [alphas.randomElement(using: &random) ?? 0]
                }
                let disposal = Int.random(in: 0...2, using: &random)
                let blending = Int.random(in: 0...1, using: &random)
                animation.frames.append(
                    CraftedPNGAnimation.Frame(
                        x: x,
                        y: y,
                        width: columns,
                        height: rows,
                        rgba: frame.flatMap { $0 },
                        disposal: disposal,
                        blending: blending
                    )
                )
                shown.append(
                    model.show(
                        frame,
                        at: (x, y),
                        width: columns,
                        blends: blending == 1,
                        disposal: disposal
                    )
                )
            }
            let file = animation.data
            let read = try frames(of: file)
            #expect(read.frames.count == shown.count && read.warnings.isEmpty)
            for (frame, expected) in zip(read.frames, shown) {
                // Rounding adds up where translucent frames lie on each other.
                let found = try pixels(frame.image)
                for (one, other) in zip(found, expected) where max(one[3], other[3]) > 8 {
                    let difference = zip(one, other).map { abs(Int($0) - Int($1)) }.max() ?? 0
                    #expect(difference <= 255 / Int(max(one[3], 1)) + 3, "\(one) \(other)")
                }
            }
        }
    }

    @Test func delaysAreThoseThatBrowsersShow() throws {
        let delays = [0, 1, 2, 5, 300]
        var animation = CraftedGIFAnimation.plain([0, 1, 2, 3, 0])
        for index in delays.indices { animation.frames[index].delay = delays[index] }
        let file = animation.data
        let shown: [Duration] = [100, 100, 20, 50, 3000].map { .milliseconds($0) }
        #expect(try frames(of: file).frames.map(\.duration) == shown)
        #expect(try ImageHeader.read(file).animation?.duration == .milliseconds(3270))

        let pixel = [UInt8](repeating: 255, count: 4)
        var png = CraftedPNGAnimation(
            width: 1,
            height: 1,
            frames: Array(repeating: .init(width: 1, height: 1, rgba: pixel), count: 4)
        )
        for (index, delay) in [(0, 7), (15, 1000), (3, 0), (7, 2)].enumerated() {
            (png.frames[index].numerator, png.frames[index].denominator) = delay
        }
        #expect(
            try frames(of: png.data).frames.map(\.duration) == [100, 15, 30, 3500].map { .milliseconds($0) }
        )
    }

    /// A GIF counts repetitions, the others count plays.
    @Test func playsAreCounted() throws {
        for (loops, plays) in [(nil, 1), (0, 0), (1, 2), (6, 7)] {
            let file = CraftedGIFAnimation.plain([0, 1], loops: loops).data
            #expect(try ImageHeader.read(file).animation?.plays == plays)
        }
        let frame = CraftedPNGAnimation.Frame(width: 1, height: 1, rgba: [1, 2, 3, 255])
        let png = CraftedPNGAnimation(width: 1, height: 1, frames: [frame, frame], plays: 3)
        #expect(try ImageHeader.read(png.data).animation?.plays == 3)
    }

    @Test func oneFrameIsNoAnimation() throws {
        let file = CraftedGIFAnimation.plain([1]).data
        let header = try ImageHeader.read(file)
        #expect(header.animation == nil)
        #expect(throws: ImagingError.self) { _ = try AnimationReader(file, header: header) }
        #expect(try ImageHeader.read(CraftedGIFAnimation.plain([1, 2]).data).animation?.frameCount == 2)
    }

    @Test func aDamagedEndEndsTheAnimation() throws {
        let file = CraftedGIFAnimation.plain([0, 1, 2, 3], size: 8).data
        let whole = try frames(of: file)
        #expect(whole.frames.count == 4 && whole.warnings.isEmpty)
        // Within the pixels of the third frame.
        let cut = Data(file.prefix(file.count / 4 * 3 - 30))
        let read = try frames(of: cut)
        #expect(read.frames.count == 2 && read.warnings == [.animationEnd], "\(read)")
        #expect(try pixels(read.frames[1].image) == pixels(whole.frames[1].image))

        let pixel = CraftedPNGAnimation.Frame(width: 1, height: 1, rgba: [9, 8, 7, 255])
        var png = [UInt8](
            CraftedPNGAnimation(width: 1, height: 1, frames: [pixel, pixel, pixel]).data
        )
        // The checksum of the last frame's pixels.
        png[png.count - 12 - 1] ^= 1
        let damaged = try frames(of: Data(png))
        #expect(damaged.frames.count == 2 && damaged.warnings == [.animationEnd])
    }

    /// Downloads are cut anywhere, mostly within a chunk.
    @Test func aPNGThatIsCutBehindItsFirstFrameEndsThere() throws {
        let frames = (0..<3).map { frame in
            CraftedPNGAnimation.Frame(
                width: 2,
                height: 2,
                rgba: Array(repeating: UInt8(60 + 90 * frame), count: 16)
            )
        }
        let file = CraftedPNGAnimation(width: 2, height: 2, frames: frames).data
        let first = try #require(file.range(of: Data("IDAT".utf8))).lowerBound
        let second = try #require(file[first...].range(of: Data("fcTL".utf8))).lowerBound - 4
        var cuts = 0
        for count in second + 1..<file.count {
            let cut = Data(file.prefix(count))
            let still = try ImageDecoder.decode(cut)
            #expect(try still.warnings == [.missingEnd] && still.rgba() == Data(frames[0].rgba), "\(count)")
            guard try ImageHeader.read(cut).animation != nil else { continue }
            let read = try self.frames(of: cut)
            #expect(read.frames.count == 2 && read.warnings == [.animationEnd], "\(count)")
            cuts += 1
        }
        // From the third frame's pixels on.
        #expect(cuts > 12)
        for count in first - 4..<second {
            #expect(throws: ImagingError.self) { try ImageDecoder.decode(Data(file.prefix(count))) }
        }
    }

    /// Bytes that are no chunk, and a chunk whose type must be known and is not, end an animation; a still picture is refused.
    @Test(arguments: ["\u{1}dAT", "FdAT"]) func aBrokenChunkBehindTheFirstFrameEndsAPNG(type: String) throws {
        let frame = CraftedPNGAnimation.Frame(width: 1, height: 1, rgba: [9, 8, 7, 255])
        var animation = CraftedPNGAnimation(width: 1, height: 1, frames: [frame, frame, frame])
        var file = animation.data
        let last = try #require(file.range(of: Data("fdAT".utf8), options: .backwards))
        file.replaceSubrange(last, with: Data(type.utf8))
        let read = try frames(of: file)
        #expect(read.frames.count == 2 && read.warnings == [.animationEnd])
        #expect(try ImageDecoder.decode(file).rgba() == Data(frame.rgba))

        animation.frames.removeLast(2)
        var still = animation.data
        let control = try #require(still.range(of: Data("acTL".utf8)))
        still.replaceSubrange(control, with: Data("tEXt".utf8))
        let end = try #require(still.range(of: Data("IEND".utf8)))
        still.replaceSubrange(end, with: Data(type.utf8))
        #expect(throws: ImagingError.self) { try ImageDecoder.decode(still) }
    }

    @Test func aDamagedFirstFrameIsAnError() throws {
        var animation = CraftedGIFAnimation.plain([0, 1, 2], size: 8)
        animation.frames[0].gif.indices.removeLast(20)
        let file = animation.data
        #expect(throws: ImagingError.self) { try frames(of: file) }
    }

    @Test func framesOutsideTheCanvasAreCutOrRefused() throws {
        var animation = CraftedGIFAnimation.plain([0, 1], size: 4)
        (animation.frames[1].gif.left, animation.frames[1].gif.top) = (2, 3)
        let read = try frames(of: animation.data)
        #expect(read.frames.count == 2 && read.warnings.isEmpty)
        let shown = try pixels(read.frames[1].image)
        #expect(shown[4 * 3 + 1] == [255, 0, 0, 255] && shown[4 * 3 + 2] == [0, 255, 0, 255])

        // Beside the screen, nothing of it is left, whatever becomes of its place.
        for disposal in 1...3 {
            var beside = CraftedGIFAnimation.plain([0, 1, 2], size: 4)
            (beside.frames[1].gif.left, beside.frames[1].gif.top) = (60_000, disposal)
            beside.frames[1].disposal = disposal
            (beside.frames[2].gif.width, beside.frames[2].gif.indices) = (2, Array(repeating: 2, count: 8))
            let read = try frames(of: beside.data)
            #expect(read.frames.count == 3 && read.warnings.isEmpty)
            #expect(try pixels(read.frames[1].image) == pixels(read.frames[0].image))
            #expect(try pixels(read.frames[2].image)[3] == [255, 0, 0, 255])
        }

        // A small screen and a frame of 25 million pixels.
        animation.frames[1].gif.width = 5000
        animation.frames[1].gif.height = 5000
        let hostile = try frames(of: animation.data)
        #expect(hostile.frames.count == 1 && hostile.warnings == [.animationEnd])
    }

    @Test func limitsCountAllFrames() throws {
        var limits = ImageLimits()
        let file = CraftedGIFAnimation.plain([0, 1, 2, 3]).data
        let header = try ImageHeader.read(file)
        limits.maxAnimationPixels = 4 * 64 * 64
        _ = try AnimationReader(file, header: header, limits: limits)
        limits.maxAnimationPixels -= 1
        let error = #expect(throws: ImagingError.self) {
            _ = try AnimationReader(file, header: header, limits: limits)
        }
        #expect(error?.reason == .limits)
    }

    @Test func everyCutAndFlipIsReadOrRefused() throws {
        var random = SeededGenerator(seed: SeededGenerator.seed(of: "everyCutAndFlipIsReadOrRefused"))
        let frame = CraftedPNGAnimation.Frame(width: 2, height: 2, rgba: Array(repeating: 200, count: 16))
        let png = CraftedPNGAnimation(width: 2, height: 2, frames: Array(repeating: frame, count: 4)).data
        let gif = CraftedGIFAnimation.plain([0, 1, 2, 3]).data
        let webp = try Data(
            contentsOf: Repository.root.appendingPathComponent("Tests/Fuzzing/seeds/animated.webp")
        )
        for file in [png, gif, webp] {
            #expect(try frames(of: file).frames.count >= 2)
            var read = 0
            for trial in 0..<600 {
                var bytes = [UInt8](file)
                if trial % 3 == 0 {
                    bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
                } else {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    bytes[place] = UInt8.random(in: 0...255, using: &random)
                }
                do throws(ImagingError) {
                    let data = Data(bytes)
                    let header = try ImageHeader.read(data)
                    guard header.animation != nil, header.size.area < 1_000_000 else { continue }
                    var reader = try AnimationReader(data, header: header)
                    while let frame = try reader.next() {
                        if frame.image.size != header.size { Issue.record("\(frame.image.size)") }
                        read += 1
                    }
                } catch {}
            }
            #expect(read > 100)
        }
    }
}
#endif
