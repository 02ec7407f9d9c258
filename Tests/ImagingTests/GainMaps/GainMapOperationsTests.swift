import Foundation
import Imaging
import TestSupport
import Testing

/// A gain map stays where its picture is, within one of its own pixels.
@Suite struct GainMapOperationsTests {
    private static let chains: [[any ImageOperation]] = [
        [], [Resize(width: 240)], [Resize(width: 201)], [Resize(width: 47)],
        [Resize(width: 150, height: 150, contentMode: .aspectFill, crop: true)],
        [Resize(width: 480, height: 480, contentMode: .aspectFill, crop: true)],
        [Resize(width: 300, height: 90, contentMode: .fill)], [Resize(width: 960, upscale: true)],
        [Crop(x: 37, y: 41, width: 301, height: 203)], [Crop(width: 250, height: 190, gravity: .northWest)],
        [Crop.smart(width: 260, height: 200)], [Trim()],
        [Rotate(degrees: 90)], [Rotate(degrees: 180)], [Rotate(degrees: 270, flip: .vertical)],
        [Rotate(flip: .horizontal)],
        [Pad(width: 600, height: 410, gravity: .northWest, background: .black)],
        [Pad(width: 601, height: 403, gravity: .southEast, background: .black)],
        [Crop(x: 101, y: 63, width: 250, height: 177), Rotate(degrees: 90), Resize(width: 99)],
        [Resize(width: 230), Pad(width: 301, height: 301, background: .black), Rotate(degrees: 270)],
        [Pad(width: 501, background: .black), Crop(x: 90, y: 51, width: 377, height: 203)],
        [Trim(), Rotate(flip: .vertical), Resize(width: 90), Resize(width: 133, upscale: true)],
        [Adjust(saturation: 0.5), Sharpen(), Grayscale(), Resize(width: 160)], [Circle()],
        [RoundedCorners(radius: 90)],
    ]

    private func check(_ source: Data, _ operations: [any ImageOperation]) throws {
        let written = try WrittenGainMap(source, through: operations)
        let map = try #require(written.map?.image)
        let sides = [Double(map.size.width), Double(map.size.height)]
        func check(_ ofImage: [Double], _ ofMap: [Double], _ what: String) {
            for index in ofImage.indices {
                let shift = abs(ofImage[index] - ofMap[index]) * sides[index % 2]
                #expect(
                    shift <= 1.001,
                    "\(operations): \(what) \(index) is \(shift) pixels away, \(map.size)"
                )
            }
        }
        check(try MarkedPictures.center(written.image), try MarkedPictures.center(map), "center")
        // In a map of a few pixels, marks have no edges.
        guard map.size.width >= 20, map.size.height >= 20 else { return }
        let ofImage = try #require(try MarkedPictures.edges(written.image))
        check(ofImage, try #require(try MarkedPictures.edges(map)), "edge")
        // Neither of these would see two mirrorings.
        #expect(try MarkedPictures.difference(written.image, map) < 0.15, "\(operations)")
    }

    @Test(arguments: chains.indices, [(3, false), (4, false), (4, true), (16, false)])
    func followsOperations(_ index: Int, _ map: (factor: Int, isColored: Bool)) throws {
        let file = try MarkedPictures.file(mapDividedBy: map.factor, isColored: map.isColored)
        let operations = Self.chains[index]
        // What a picture of one colour does to gains of three is not known.
        guard !map.isColored || !operations.contains(where: { $0 is Grayscale }) else {
            #expect(try WrittenGainMap(file.data, through: operations).map == nil)
            return
        }
        try check(file.data, operations)
    }

    @Test(arguments: 1...8) func followsOrientations(_ orientation: Int) throws {
        var exif = EXIFData()
        exif.main = [0x0112: .short(orientation)]
        var file = try MarkedPictures.file()
        file.base = EXIFData.embed(exif.data, in: file.base)
        for operations in [[], [Resize(width: 160)], [Crop(x: 50, y: 70, width: 230, height: 190)]]
            as [[any ImageOperation]]
        { try check(file.data, operations) }
    }

    @Test func theControlIsSeen() throws {
        let file = try MarkedPictures.file()
        let written = try WrittenGainMap(file.data)
        let turned = try Rotate(degrees: 180).apply(to: try #require(written.map?.image))
        #expect(try MarkedPictures.difference(written.image, turned) > 0.15)
        #expect(try MarkedPictures.edges(turned) != MarkedPictures.edges(written.image))
    }

    @Test("a map has its share of the picture's pixels, and no more than it had")
    func keepsItsScale() throws {
        let file = try MarkedPictures.file(mapDividedBy: 4).data
        func size(_ operations: [any ImageOperation]) throws -> PixelSize? {
            try WrittenGainMap(file, through: operations).map?.image.size
        }
        #expect(try size([]) == PixelSize(width: 120, height: 80))
        #expect(try size([Resize(width: 240)]) == PixelSize(width: 60, height: 40))
        #expect(try size([Resize(width: 960, upscale: true)]) == PixelSize(width: 120, height: 80))
        #expect(try size([Crop(x: 0, y: 0, width: 240, height: 160)]) == PixelSize(width: 60, height: 40))
        #expect(try size([Rotate(degrees: 90)]) == PixelSize(width: 80, height: 120))
        #expect(try size([Resize(width: 3)]) == PixelSize(width: 1, height: 1))
        #expect(try size([Pad(width: 960, height: 640)]) == PixelSize(width: 240, height: 160))
    }

    @Test("what is not the picture's has no gain, where that is not the lowest value")
    func addsNoGain() throws {
        var file = try MarkedPictures.file()
        file.xmp = UltraHDRFile.xmp(#"hdrgm:GainMapMin="-1" hdrgm:GainMapMax="3" hdrgm:HDRCapacityMax="3""#)
        let padded = try WrittenGainMap(file.data, through: [Pad(width: 960, height: 640)])
        let map = try #require(padded.map?.image)
        #expect(abs(try pixel(map, x: 3, y: 3)[0] - 64) <= 2)
        #expect(try pixel(map, x: 80, y: 60)[0] <= 4)
        let mark = try Photographs.pattern(100, 100) { _, _ in [255, 0, 0, 255] }
        let marked = try WrittenGainMap(
            file.data,
            through: [Watermark(image: mark, Watermark.Placement(gravity: .northWest))]
        )
        let below = try #require(marked.map?.image)
        #expect(abs(try pixel(below, x: 12, y: 12)[0] - 64) <= 2)
        #expect(try pixel(below, x: 40, y: 10)[0] <= 4)
    }

    @Test(
        "a picture is the same with a map beside it, which gets the places that the pixels decide on",
        arguments: chains.indices
    )
    func leavesThePicture(_ index: Int) throws {
        let file = try MarkedPictures.file().data
        let header = try ImageHeader.read(file)
        let image = try ImageDecoder.decode(file, header: header)
        let chain = OperationChain(Self.chains[index])
        var map: GainMap? = try GainMap(of: file, header)
        let beside = try chain.apply(to: image, gainMap: &map, originalSize: header.size)
        let alone = try chain.apply(to: image, originalSize: header.size)
        #expect(try beside.size == alone.size && beside.rgba() == alone.rgba(), "\(chain.operations)")
    }

    @Test("an operation that nobody knows drops the map")
    func dropsWhatCannotFollow() throws {
        struct Unknown: ImageOperation {
            func apply(
                to image: Image,
                nominalSize: PixelSize,
                chroma: ChromaSubsampling?
            ) throws(ImagingError) -> Image { image }
        }
        #expect(try WrittenGainMap(MarkedPictures.file().data, through: [Unknown()]).map == nil)
    }

    @Test("a blurred picture has a blurred map, so that nothing shows through")
    func blursBoth() throws {
        let file = try MarkedPictures.file().data
        let map = try #require(try WrittenGainMap(file, through: [GaussianBlur(radius: 20)]).map?.image)
        let sharp = try #require(try WrittenGainMap(file).map?.image)
        #expect(try pixel(sharp, x: 31, y: 30)[0] > 240)
        #expect((80...200).contains(try pixel(map, x: 31, y: 30)[0]))
    }
}
