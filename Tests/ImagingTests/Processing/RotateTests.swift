import Foundation
import Imaging
import Testing

@Suite struct RotateTests {
    /// 0 1 2 over 3 4 5.
    private func image() throws -> Image {
        try Photographs.pattern(3, 2) { x, y in [UInt8(y * 3 + x), 0, 0, 255] }
    }

    @Test(
        arguments: [
            (0, nil, [0, 1, 2, 3, 4, 5]), (90, nil, [3, 0, 4, 1, 5, 2]), (180, nil, [5, 4, 3, 2, 1, 0]),
            (270, nil, [2, 5, 1, 4, 0, 3]), (-90, nil, [2, 5, 1, 4, 0, 3]), (450, nil, [3, 0, 4, 1, 5, 2]),
            (0, .horizontal, [2, 1, 0, 5, 4, 3]), (0, .vertical, [3, 4, 5, 0, 1, 2]),
            (90, .horizontal, [0, 3, 1, 4, 2, 5]), (90, .vertical, [5, 2, 4, 1, 3, 0]),
            (180, .horizontal, [3, 4, 5, 0, 1, 2]), (180, .vertical, [2, 1, 0, 5, 4, 3]),
            (270, .horizontal, [5, 2, 4, 1, 3, 0]), (270, .vertical, [0, 3, 1, 4, 2, 5]),
        ] as [(Int, Rotate.Flip?, [Int])]
    )
    func turnsThenMirrors(degrees: Int, flip: Rotate.Flip?, expected: [Int]) throws {
        let turned = try Rotate(degrees: degrees, flip: flip).apply(to: try image())
        let rgba = try turned.rgba()
        #expect(stride(from: 0, to: 24, by: 4).map { Int(rgba[$0]) } == expected)
        #expect(turned.size.width == (degrees % 180 == 0 ? 3 : 2))
    }

    @Test func refusesOtherAngles() {
        let error = #expect(throws: ImagingError.self) { try Rotate(degrees: 45).apply(to: try image()) }
        #expect(error?.reason == .processing)
    }

    @Test func largeImagesTurnBackExactly() throws {
        let image = try Photographs.gradient(131, 77, alpha: true)
        let turned = try Rotate(degrees: 270).apply(to: try Rotate(degrees: 90).apply(to: image))
        #expect(try turned.rgba() == image.rgba())
    }
}
