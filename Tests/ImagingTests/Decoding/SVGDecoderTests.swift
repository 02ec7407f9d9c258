import Foundation
import Imaging
import TestSupport
import Testing

@Suite struct SVGDecoderTests {
    private static let limits = Drawing.limits

    @Test("colours are those of the drawing, not multiplied by alpha")
    func pixels() throws {
        let shapes = """
            <rect width='2' height='2' fill='#ff0000' fill-opacity='.5'/><rect x='2' width='1' height='1' fill='#0000fe'/>
            <rect x='2' y='1' width='1' height='1' fill='#204060' fill-opacity='.2'/>
            """
        for sides in ["width='4' height='2'", "viewBox='0 0 4 2'", "width='4' viewBox='0 0 4 2'"] {
            let image = try ImageDecoder.decode(Drawing.file(sides, shapes), limits: Self.limits)
            #expect(image.size == PixelSize(width: 4, height: 2) && image.hasAlpha && image.bitDepth == 8)
            #expect(try pixel(image, x: 0, y: 1) == [255, 0, 0, 128])
            #expect(try pixel(image, x: 2, y: 0) == [0, 0, 254, 255])
            #expect(try pixel(image, x: 3, y: 1) == [0, 0, 0, 0])
            // Multiplied by 51 of 255, each is known to within 5.
            let faint = try pixel(image, x: 2, y: 1)
            #expect(faint[3] == 51 && zip(faint, [32, 64, 96]).allSatisfy { abs($0 - $1) <= 5 }, "\(faint)")
        }
    }

    /// A grey that was multiplied by alpha and rounded is the one nearest to it when it is divided again.
    @Test("each alpha is divided out with rounding")
    func alphas() throws {
        let shapes = (1...255).map {
            "<rect x='\($0)' width='1' height='1' fill='#c8c8c8' opacity='\(Double($0) / 255)'/>"
        }
        let file = Drawing.file("width='256' height='1'", shapes.joined())
        let image = try ImageDecoder.decode(file, limits: Self.limits)
        for alpha in 1...255 {
            let found = try pixel(image, x: alpha, y: 0)
            #expect(abs(found[3] - alpha) <= 1)
            // Cairo multiplies to within one; what follows from it is exact.
            let possible = (-1...1).map { step in
                let multiplied = (200 * found[3] + 127) / 255 + step
                return min(255, max(0, (multiplied * 255 + found[3] / 2) / found[3]))
            }
            #expect(possible.contains(found[0]), "alpha \(found[3]): \(found[0]), not \(possible)")
        }
    }

    /// Edges between pixels stay sharp, which averages or enlargements of the drawing's own pixels would blur.
    @Test(
        "it is drawn at the size that a resize asks for, smaller and larger",
        arguments: [5, 10, 20, 50, 170]
    )
    func resized(width: Int) throws {
        let shapes =
            "<rect width='5' height='10' fill='black'/><rect x='5' width='5' height='10' fill='white'/>"
        let file = Drawing.file("width='10' height='10'", shapes)
        let header = try ImageHeader.read(file)
        let chain = OperationChain([Resize(width: width, upscale: true)], limits: Self.limits)
        let covering = try chain.coveringSize(for: header.size)
        let decoded = try ImageDecoder.decode(file, covering: covering, limits: Self.limits)
        #expect(decoded.size == PixelSize(width: width, height: width))
        #expect(header.decodedSize(covering: covering) == decoded.size)
        #expect(decoded.byteCount <= header.decodeCost(covering: covering))
        let image = try chain.apply(to: decoded, originalSize: header.size)
        #expect(image.size == decoded.size)
        for x in 0..<width where 2 * x + 1 != width {
            let expected = 2 * x + 1 < width ? 0 : 255
            #expect(
                try pixel(image, x: x, y: width / 2) == [expected, expected, expected, 255],
                "\(x) of \(width)"
            )
        }
    }

    @Test(
        "the requested size covers what is asked for in the drawing's proportions, and a resize alone does not enlarge"
    )
    func covered() throws {
        let header = try ImageHeader.read(Drawing.file("width='1000' height='667'"))
        func decoded(_ width: Int, _ height: Int) -> PixelSize {
            header.decodedSize(covering: PixelSize(width: width, height: height))
        }
        #expect(decoded(320, 213) == PixelSize(width: 320, height: 213))
        #expect(decoded(320, 320) == PixelSize(width: 480, height: 320))
        #expect(decoded(2000, 1) == PixelSize(width: 2000, height: 1334))
        #expect(header.decodedSize(covering: nil) == header.size)
        #expect(try OperationChain([Resize(width: 2000)]).coveringSize(for: header.size) == nil)
        let part = OperationChain([Crop(x: 0, y: 0, width: 10, height: 10), Resize(width: 40, upscale: true)])
        #expect(try part.coveringSize(for: header.size) == PixelSize(width: 4000, height: 2668))
    }

    @Test("what is too large to draw is refused before it is drawn")
    func limits() throws {
        let file = Drawing.file("width='10' height='10'")
        var limits = Self.limits
        limits.maxPixels = 10_000
        #expect(
            try ImageDecoder.decode(file, covering: PixelSize(width: 100, height: 100), limits: limits).size
                .width == 100
        )
        for (size, words) in [(101, "at the size that is asked for"), (32_768, "32768×32768")] {
            if size > 101 { (limits.maxPixels, limits.maxDimension) = (.max, .max) }
            let error = #expect(throws: ImagingError.self) {
                try ImageDecoder.decode(file, covering: PixelSize(width: size, height: size), limits: limits)
            }
            #expect(error?.reason == .limits && error?.message.contains(words) == true, "\(error!)")
        }
    }

    @Test("without permission it is not drawn, and its size is told")
    func forbidden() throws {
        let file = Drawing.file("width='4' height='2'")
        let error = #expect(throws: ImagingError.self) { try ImageDecoder.decode(file) }
        #expect(error?.reason == .unconfined && error?.message.contains("allowsSVG") == true)
        #expect(try ImageHeader.read(file).size == PixelSize(width: 4, height: 2))
    }

    @Test("text is drawn")
    func text() throws {
        let file = Drawing.file("width='60' height='30'", "<text x='5' y='25' font-size='24'>Hg</text>")
        let image = try ImageDecoder.decode(file, limits: Self.limits)
        let alpha = stride(from: 3, to: try image.rgba().count, by: 4)
        let rgba = [UInt8](try image.rgba())
        #expect(alpha.contains { rgba[$0] == 255 } && alpha.contains { rgba[$0] == 0 })
    }
}

/// Drawings for tests, and the limits with which they are drawn.
enum Drawing {
    static let limits: ImageLimits = {
        var limits = ImageLimits()
        limits.allowsSVG = true
        return limits
    }()

    /// A drawing whose root has these attributes.
    static func file(_ attributes: String, _ content: String = "", before start: String = "") -> Data {
        Data(
            """
            \(start)<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' \
            \(attributes)>\(content)</svg>
            """.utf8
        )
    }
}
