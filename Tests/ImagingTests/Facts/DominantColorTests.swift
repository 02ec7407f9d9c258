import Imaging
import Testing

@Suite struct DominantColorTests {
    private func color(
        _ width: Int = 10,
        _ height: Int = 10,
        pixel: (Int, Int) -> [UInt8]
    ) throws -> String? {
        DominantColor(try Miniature(try Photographs.pattern(width, height, color: pixel)))?.text
    }

    @Test("one colour is its own, to the last digit")
    func one() throws {
        #expect(try color(1, 1) { _, _ in [1, 2, 254, 255] } == "#0102FE")
        #expect(try color { _, _ in [255, 255, 255, 255] } == "#FFFFFF")
        #expect(try color { _, _ in [0, 0, 0, 255] } == "#000000")
    }

    @Test("the most frequent colour is taken, not a mean of all")
    func most() throws {
        #expect(try color { _, y in y < 6 ? [200, 30, 40, 255] : [10, 20, 240, 255] } == "#C81E28")
        #expect(try color { _, y in y < 4 ? [200, 30, 40, 255] : [10, 20, 240, 255] } == "#0A14F0")
    }

    @Test("shades on both sides of a step count as one colour, and their mean is the result")
    func steps() throws {
        // 127 and 128 lie in different cells, 30 pixels each; 40 others are all alike.
        let text = try color { _, y in
            y < 3 ? [127, 127, 127, 255] : y < 6 ? [129, 129, 129, 255] : [20, 20, 20, 255]
        }
        #expect(text == "#808080")
    }

    @Test("pixels count by their alpha; without any there is no colour")
    func alpha() throws {
        #expect(try color { _, y in y < 8 ? [255, 0, 0, 30] : [0, 0, 255, 255] } == "#0000FF")
        #expect(try color { _, _ in [255, 0, 0, 0] } == nil)
        #expect(try color { _, _ in [250, 0, 0, 1] } == "#FA0000")
    }

    @Test("gray is gray", arguments: [SampleKind.gray, .gray16, .grayAlpha])
    func gray(_ kind: SampleKind) throws {
        let miniature = try Miniature(try kind.image(300, 20))
        let color = try #require(DominantColor(miniature)?.color)
        #expect(color.red == color.green && color.green == color.blue)
    }
}
