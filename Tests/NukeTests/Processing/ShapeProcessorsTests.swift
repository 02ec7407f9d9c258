import Foundation
import Imaging
import Nuke
import Testing

@Suite("ImageProcessors.Circle and RoundedCorners")
struct ShapeProcessorsTests {
    private typealias Border = ImageProcessingOptions.Border
    private let color: [UInt8] = [0, 200, 0, 255]

    @Test func aCircleIsCutOutOfTheMiddle() throws {
        // 1 pixel to the left, 2 to the right: the offset is rounded down.
        let image = MadeImages.pattern(43, 40) { x, _ in x == 0 || x > 40 ? [255, 0, 0, 255] : color }
        let circle = try #require(ImageProcessors.Circle().process(image))
        #expect(circle.pixelSize == PixelSize(width: 40, height: 40))
        #expect(!circle.isOpaque)
        #expect(circle.pixel(20, 20) == [0, 200, 0, 255])
        #expect(circle.pixel(0, 0)[3] == 0 && circle.pixel(39, 39)[3] == 0 && circle.pixel(39, 0)[3] == 0)
        #expect(circle.pixel(0, 20)[0] == 0 && circle.pixel(39, 20)[0] == 0)
        let tall = try #require(ImageProcessors.Circle().process(MadeImages.plain(30, 50)))
        #expect(tall.pixelSize == PixelSize(width: 30, height: 30))
        // π/4 of the square is covered.
        let sum = try #require(circle.rgba).enumerated().reduce(0) {
            $0 + ($1.offset % 4 == 3 ? Int($1.element) : 0)
        }
        #expect(abs(Double(sum) / 255 / 1600 - .pi / 4) < 0.002)
    }

    @Test func cornersAreRounded() throws {
        let image = MadeImages.plain(40, 30, color: color)
        let rounded = try #require(ImageProcessors.RoundedCorners(radius: 8).process(image))
        #expect(rounded.pixelSize == image.pixelSize && !rounded.isOpaque)
        #expect(rounded.pixel(0, 0)[3] == 0)
        #expect(rounded.pixel(8, 0) == [0, 200, 0, 255] && rounded.pixel(0, 8) == [0, 200, 0, 255])
        #expect((1..<255).contains(rounded.pixel(2, 2)[3]), "the edge is smooth")
        let square = try #require(ImageProcessors.RoundedCorners(radius: 0).process(image))
        #expect(square.rgba == image.rgba)
        let half = try #require(ImageProcessors.RoundedCorners(radius: 15).process(image))
        #expect(ImageProcessors.RoundedCorners(radius: 1e9).process(image) == half)
    }

    /// A stroke on the edge, half of it outside: of 4 pixels 2 are seen.
    @Test func halfOfTheBorderIsSeen() throws {
        let image = MadeImages.plain(40, 40, color: color)
        let border = Border(color: .red, width: 4, unit: .pixels)
        let images = [
            ImageProcessors.RoundedCorners(radius: 6, border: border).process(image),
            ImageProcessors.Circle(border: border).process(image),
        ]
        for framed in images {
            let framed = try #require(framed)
            #expect(framed.pixel(1, 20) == [255, 0, 0, 255])
            #expect(framed.pixel(20, 1) == [255, 0, 0, 255])
            #expect(framed.pixel(20, 3) == [0, 200, 0, 255])
            #expect(framed.pixel(20, 20) == [0, 200, 0, 255])
        }
        let none = ImageProcessors.RoundedCorners(radius: 6, border: Border(color: .red, width: 0)).process(
            image
        )
        #expect(none == ImageProcessors.RoundedCorners(radius: 6).process(image))
    }

    @Test func makeNothingOfWhatHasNoMeaning() {
        let image = MadeImages.plain(8, 8)
        for value in [-1, CGFloat.nan, .infinity] {
            #expect(ImageProcessors.RoundedCorners(radius: value).process(image) == nil)
            let border = Border(color: .red, width: value)
            #expect(ImageProcessors.RoundedCorners(radius: 2, border: border).process(image) == nil)
            #expect(ImageProcessors.Circle(border: border).process(image) == nil)
        }
        #expect(ImageProcessors.Circle().process(PlatformImage()) == nil)
        #expect(ImageProcessors.RoundedCorners(radius: 2).process(PlatformImage()) == nil)
        #expect(ImageProcessors.Circle().process(MadeImages.plain(1, 1))?.width == 1)
    }

    @Test func areIdentifiedByTheirParameters() {
        let red = Border(color: .red, width: 2)
        #expect(ImageProcessors.Circle().identifier == "com.github.kean/nuke/circle")
        #expect(
            ImageProcessors.Circle(border: red).identifier
                == "com.github.kean/nuke/circle?border=Border(color: #FF0000, width: 2.0 pixels)"
        )
        #expect(
            ImageProcessors.RoundedCorners(radius: 16).identifier
                == "com.github.kean/nuke/rounded_corners?radius=16.0"
        )
        #expect(
            ImageProcessors.RoundedCorners(radius: 16, border: red).identifier
                == "com.github.kean/nuke/rounded_corners?radius=16.0,border=Border(color: #FF0000, width: 2.0 pixels)"
        )
        #expect(ImageProcessors.Circle().description == "Circle(border: nil)")
        #expect(
            ImageProcessors.Circle(border: Border(color: .blue, width: 2)).description
                == "Circle(border: Border(color: #0000FF, width: 2.0 pixels))"
        )
        #expect(
            ImageProcessors.RoundedCorners(radius: 16, unit: .pixels).description
                == "RoundedCorners(radius: 16.0 pixels, border: nil)"
        )
    }

    @Test func compareByTheirParameters() {
        let red = Border(color: .red, width: 2, unit: .pixels)
        let same = Border(color: PlatformColor(red: 1, green: 0, blue: 0, alpha: 1), width: 2)
        #expect(red == same && red.hashValue == same.hashValue)
        #expect(Border(color: .red).width == 1)
        #expect(
            ImageProcessors.Circle(border: red).hashableIdentifier
                == ImageProcessors.Circle(border: same).hashableIdentifier
        )
        #expect(ImageProcessors.Circle() != ImageProcessors.Circle(border: red))
        #expect(
            ImageProcessors.Circle(border: red)
                != ImageProcessors.Circle(border: Border(color: .blue, width: 2))
        )
        let corners = [
            ImageProcessors.RoundedCorners(radius: 16), .init(radius: 8), .init(radius: 16, border: red),
            .init(radius: 16, border: Border(color: .red, width: 4)),
        ]
        #expect(Set(corners).count == 4 && Set(corners.map(\.hashableIdentifier)).count == 4)
        #expect(corners[0] == .init(radius: 16, unit: .pixels))
        let named: [any ImageProcessing] = [.circle(border: red), .roundedCorners(radius: 8)]
        #expect(
            named.map(\.identifier) == [
                ImageProcessors.Circle(border: red).identifier, corners[1].identifier,
            ]
        )
    }

    @Test func optionsAreWrittenAsNukeWritesThem() {
        #expect(
            "\(ImageProcessingOptions.Unit.points) \(ImageProcessingOptions.Unit.pixels)" == "points pixels"
        )
        #expect("\(ImageProcessingOptions.ContentMode.aspectFill)" == ".aspectFill")
        #expect("\(ImageProcessingOptions.ContentMode.aspectFit)" == ".aspectFit")
    }
}
