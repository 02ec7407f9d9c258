import Foundation
import Imaging
import Nuke
import TestSupport
import Testing

@Suite("PlatformImage")
struct PlatformImageTests {
    @Test func holdsThePixelsThatItIsMadeOf() {
        let rgba = Data([1, 2, 3, 255, 4, 5, 6, 128])
        let image = PlatformImage(width: 2, height: 1, rgba: rgba)
        #expect(image.width == 2 && image.height == 1)
        #expect(image.rgba == rgba)
        #expect(!image.isOpaque)
    }

    @Test(arguments: [(2, 2, 15), (0, 0, 0), (-1, 4, 16), (Int.max, 4, 16)])
    func isEmptyWhenThePixelsDoNotFit(width: Int, height: Int, count: Int) {
        let image = PlatformImage(width: width, height: height, rgba: Data(count: count))
        #expect(image.width == 0 && image.height == 0)
        #expect(image.rgba == nil)
        #expect(image == PlatformImage())
    }

    @Test func readsFiles() throws {
        let image = try #require(PlatformImage(data: try MadeImages.file(64, 48)))
        #expect(image.pixelSize == PixelSize(width: 64, height: 48))
        #expect(image.isOpaque)
        #expect(PlatformImage(data: Data("no image".utf8)) == nil)
        #expect(PlatformImage(data: try MadeImages.file(64, 48).dropLast(100)) == nil)
    }

    @Test func equalsWhatHasTheSamePixels() {
        let image = MadeImages.plain(3, 2)
        let copy = image.copy()
        #expect(copy == image && copy !== image)
        #expect(copy.hashValue == image.hashValue)
        #expect(image != MadeImages.plain(2, 3))
        #expect(image != MadeImages.plain(3, 2, color: [200, 100, 50, 254]))
        #expect(PlatformImage().copy() == PlatformImage())
    }
}

@Suite("PlatformColor")
struct PlatformColorTests {
    private func text(_ color: PlatformColor) -> String {
        ImageProcessingOptions.Border(color: color, width: 2).description
    }

    @Test(arguments: [
        (PlatformColor.red, "#FF0000"), (.blue, "#0000FF"), (.black, "#000000"),
        (PlatformColor(red: 0.5, green: 0.2, blue: 0.04, alpha: 1), "#80330A"),
        (PlatformColor(red: 0, green: 1, blue: 0, alpha: 0.5), "#00FF0080"),
        (PlatformColor(red: 0, green: 1, blue: 0, alpha: 0), "#00FF0000"),
        (PlatformColor(red: -3, green: 7, blue: .nan, alpha: 2), "#00FF00"),
    ])
    func isWrittenInHexadecimal(color: PlatformColor, digits: String) {
        #expect(text(color) == "Border(color: \(digits), width: 2.0 pixels)")
    }

    @Test func comparesByItsValue() {
        #expect(PlatformColor(red: 1, green: 0, blue: 0, alpha: 1) == .red)
        #expect(PlatformColor(red: 9, green: -1, blue: 0, alpha: 1) == .red)
        #expect(PlatformColor.red != .blue)
        #expect(Set([PlatformColor.red, .red, .blue]).count == 2)
    }
}
