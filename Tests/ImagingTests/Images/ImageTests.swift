import Foundation
import Imaging
import TestSupport
import Testing

@Suite struct ImageTests {
    @Test func keepsInterleavedPixels() throws {
        var generator = SeededGenerator(seed: 1)
        let rgba = Data((0..<7 * 5 * 4).map { _ in UInt8.random(in: 0...255, using: &generator) })
        let image = try Image(width: 7, height: 5, rgba: rgba)
        #expect(image.hasAlpha)
        #expect(image.size == PixelSize(width: 7, height: 5))
        #expect(try image.rgba() == rgba)
    }

    @Test func refusesAnotherCount() {
        #expect(throws: ImagingError.self) { try Image(width: 2, height: 2, rgba: Data(count: 15)) }
        #expect(throws: ImagingError.self) { try Image(width: 0, height: 2, rgba: Data()) }
        #expect(throws: ImagingError.self) { try Image(width: .max, height: .max, rgba: Data(count: 4)) }
    }
}
