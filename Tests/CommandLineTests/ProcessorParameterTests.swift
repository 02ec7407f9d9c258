import Foundation
import Imaging
import TestSupport
import Testing

/// Every parameter of every processor, on a picture of four coloured quarters: 40 x 20 pixels, red, blue, green and white.
@Suite(.timeLimit(.minutes(10))) struct ProcessorParameterTests {
    /// Processors, and what they make: the size, the corners' colours (`.` is transparent), and other pixels.
    struct Row: Sendable {
        let processors: String
        let size: String
        let corners: String
        var pixels: [Pixel] = []

        struct Pixel: Sendable {
            let x: Int
            let y: Int
            let color: [UInt8]
        }

        init(_ processors: String, _ size: String, _ corners: String, _ pixels: (Int, Int, [UInt8])...) {
            self.processors = processors
            self.size = size
            self.corners = corners
            self.pixels = pixels.map { Pixel(x: $0.0, y: $0.1, color: $0.2) }
        }
    }

    private static let colors: [Character: [UInt8]] = [
        "R": [255, 0, 0, 255], "B": [0, 0, 255, 255], "G": [0, 255, 0, 255], "W": [255, 255, 255, 255],
        "C": [0, 255, 255, 255], "g": [128, 128, 128, 255], "c": [0, 255, 255, 128], ".": [0, 0, 0, 0],
    ]
    private static let cyan: [UInt8] = [0, 255, 255, 255]

    static let sizes = [
        Row(#"{"resize": {"width": 20}}"#, "20×10", "RBGW"),
        Row(#"{"resize": {"height": 5}}"#, "10×5", "RBGW"),
        Row(#"{"resize": {"width": 20, "height": 20}}"#, "20×10", "RBGW"),
        Row(#"{"resize": {"width": 10, "height": 10, "contentMode": "aspectFit"}}"#, "10×5", "RBGW"),
        Row(#"{"resize": {"width": 10, "height": 10, "contentMode": "aspectFill"}}"#, "20×10", "RBGW"),
        Row(
            #"{"resize": {"width": 9, "height": 10, "contentMode": "aspectFill", "crop": true}}"#,
            "9×10",
            "RBGW"
        ),
        Row(#"{"resize": {"width": 10, "height": 15, "contentMode": "fill"}}"#, "10×15", "RBGW"),
        Row(#"{"resize": {"width": 80}}"#, "40×20", "RBGW"),
        Row(#"{"resize": {"width": 80, "upscale": true}}"#, "80×40", "RBGW"),
        // In linear light the middle of red and blue is brighter.
        Row(
            #"{"resize": {"width": 1, "height": 2, "contentMode": "fill", "filter": "box"}}"#,
            "1×2",
            "    ",
            (0, 0, [128, 0, 128])
        ),
        Row(
            #"{"resize": {"width": 1, "height": 2, "contentMode": "fill", "filter": "box", "linear": true}}"#,
            "1×2",
            "    ",
            (0, 0, [188, 0, 188])
        ),
        Row(#"{"crop": {"width": 10, "height": 10}}"#, "10×10", "RBGW"),
        Row(#"{"crop": {"width": 10, "height": 10, "gravity": "north"}}"#, "10×10", "RBRB"),
        Row(#"{"crop": {"width": 10, "height": 10, "gravity": "south"}}"#, "10×10", "GWGW"),
        Row(#"{"crop": {"width": 10, "height": 10, "gravity": "west"}}"#, "10×10", "RRGG"),
        Row(#"{"crop": {"width": 10, "height": 10, "gravity": "east"}}"#, "10×10", "BBWW"),
        Row(#"{"crop": {"width": 10, "height": 10, "gravity": "northWest"}}"#, "10×10", "RRRR"),
        Row(#"{"crop": {"width": 10, "height": 10, "gravity": "northEast"}}"#, "10×10", "BBBB"),
        Row(#"{"crop": {"width": 10, "height": 10, "gravity": "southWest"}}"#, "10×10", "GGGG"),
        Row(#"{"crop": {"width": 10, "height": 10, "gravity": "southEast"}}"#, "10×10", "WWWW"),
        Row(#"{"crop": {"width": 10, "height": 10, "gravity": {"x": 0, "y": 1}}}"#, "10×10", "GGGG"),
        Row(#"{"crop": {"width": 10, "height": 10, "gravity": {"x": 0.5, "y": 0}}}"#, "10×10", "RBRB"),
        Row(#"{"crop": {"rect": [25, 2, 10, 6]}}"#, "10×6", "BBBB"),
        Row(#"{"pad": {"width": 60, "height": 40}}"#, "60×40", "WWWW", (10, 10, [255, 0, 0])),
        Row(##"{"pad": {"width": 60, "height": 40, "background": "#0FF"}}"##, "60×40", "CCCC"),
        Row(
            ##"{"pad": {"width": 60, "height": 40, "background": "#00FFFF", "gravity": "northWest"}}"##,
            "60×40",
            "RCCC"
        ),
        Row(
            ##"{"pad": {"width": 60, "height": 40, "background": "#00FFFF80", "gravity": "south"}}"##,
            "60×40",
            "cccc",
            (10, 39, [0, 255, 0, 255])
        ),
        Row(#"{"rotate": {"degrees": 90}}"#, "20×40", "GRWB"),
        Row(#"{"rotate": {"degrees": 180}}"#, "40×20", "WGBR"),
        Row(#"{"rotate": {"degrees": 270}}"#, "20×40", "BWRG"),
        Row(#"{"rotate": {"degrees": -90}}"#, "20×40", "BWRG"),
        Row(#"{"rotate": {"flip": "horizontal"}}"#, "40×20", "BRWG"),
        Row(#"{"rotate": {"flip": "vertical"}}"#, "40×20", "GWRB"),
        Row(##"{"pad": {"width": 60, "height": 40, "background": "#0FF"}}, {"trim": {}}"##, "40×20", "RBGW"),
        Row(
            ##"{"crop": {"width": 40, "height": 10, "gravity": "north"}}, {"pad": {"width": 60, "height": 30, "background": "#F20"}}, {"trim": {"tolerance": 0}}"##,
            "40×10",
            "RBRB"
        ),
        Row(
            ##"{"crop": {"width": 40, "height": 10, "gravity": "north"}}, {"pad": {"width": 60, "height": 30, "background": "#F20"}}, {"trim": {"tolerance": 40}}"##,
            "20×10",
            "BBBB"
        ),
    ]

    static let looks = [
        Row(#"{"circle": {}}"#, "20×20", "....", (5, 5, [255, 0, 0, 255]), (9, 1, [255, 0, 0, 255])),
        Row(
            ##"{"circle": {"border": {"color": "#0FF", "width": 4}}}"##,
            "20×20",
            "....",
            (9, 1, cyan),
            (9, 6, [255, 0, 0, 255])
        ),
        Row(#"{"roundedCorners": {"radius": 5}}"#, "40×20", "....", (10, 0, [255, 0, 0, 255])),
        Row(
            ##"{"roundedCorners": {"radius": 5, "border": {"color": "#00FFFF", "width": 3}}}"##,
            "40×20",
            "....",
            (10, 1, cyan),
            (10, 5, [255, 0, 0, 255])
        ),
        Row(
            #"{"gaussianBlur": {"radius": 0}}"#,
            "40×20",
            "RBGW",
            (19, 0, [255, 0, 0]),
            (20, 0, [0, 0, 255])
        ),
        Row(#"{"gaussianBlur": {"radius": 2}}"#, "40×20", "RBGW", (20, 0, [102, 0, 153])),
        Row(#"{"gaussianBlur": {}}"#, "40×20", "    ", (20, 0, [123, 30, 134])),
        Row(#"{"grayscale": {}}"#, "40×20", "   W", (0, 0, [76, 76, 76]), (39, 0, [29, 29, 29])),
        Row(#"{"adjust": {"brightness": 0.5}}"#, "40×20", "   W", (0, 0, [255, 128, 128])),
        Row(#"{"adjust": {"contrast": 0}}"#, "40×20", "gggg"),
        Row(#"{"adjust": {"saturation": 0}}"#, "40×20", "   W", (0, 0, [76, 76, 76])),
        Row(
            #"{"adjust": {"contrast": 0}}, {"adjust": {"gamma": 2.2}}"#,
            "40×20",
            "    ",
            (0, 0, [186, 186, 186])
        ),
        Row(#"{"watermark": {"image": "logo.png"}}"#, "40×20", "RBGC"),
        Row(#"{"watermark": {"image": "logo.png", "gravity": "northWest"}}"#, "40×20", "CBGW"),
        Row(
            #"{"watermark": {"image": "logo.png", "gravity": "northWest", "margin": 3}}"#,
            "40×20",
            "RBGW",
            (2, 2, [255, 0, 0]),
            (3, 3, [0, 255, 255])
        ),
        Row(
            #"{"watermark": {"image": "logo.png", "gravity": "west", "scale": 0.5}}"#,
            "40×20",
            "RBGW",
            (2, 7, [0, 255, 255]),
            (2, 2, [255, 0, 0])
        ),
        Row(
            #"{"watermark": {"image": "logo.png", "opacity": 0.5}}"#,
            "40×20",
            "RBG ",
            (39, 19, [128, 255, 255])
        ),
        Row(#"{"watermark": {"image": "logo.png", "tile": true}}"#, "40×20", "CCCC"),
        Row(
            #"{"watermark": {"image": "logo.png", "tile": true, "margin": 2}}"#,
            "40×20",
            "RBGW",
            (0, 2, [0, 255, 255]),
            (2, 2, [255, 0, 0]),
            (4, 2, [0, 255, 255])
        ),
    ]

    /// The picture of quarters, and a cyan one of 4 x 4.
    private func makeJob() throws -> JobFolder {
        let job = try JobFolder()
        let quarters = (0..<800).flatMap { place -> [UInt8] in
            let letter: Character =
                place / 40 < 10 ? place % 40 < 20 ? "R" : "B" : place % 40 < 20 ? "G" : "W"
            return Self.colors[letter] ?? []
        }
        let picture = try Image(width: 40, height: 20, rgba: Data(quarters))
        try job.folder.write(try ImageEncoder.encode(picture, as: .png()), to: "quarters.png")
        let logo = try Image(width: 4, height: 4, rgba: Data((0..<16).flatMap { _ in Self.cyan }))
        try job.folder.write(try ImageEncoder.encode(logo, as: .png()), to: "logo.png")
        return job
    }

    private func write(_ rows: [String], to job: JobFolder, limits: String = "") throws {
        let outputs = rows.enumerated().map { number, processors in
            #"{"name": "o\#(number)", "format": "png", "path": "\#(number).png", "processors": [\#(processors)]}"#
        }
        try job.write(
            #""sources": [{"urls": ["quarters.png"]}], "outputs": [\#(outputs.joined(separator: ", "))]\#(limits)"#
        )
    }

    @Test("what each makes", arguments: [sizes, looks])
    func parameters(rows: [Row]) async throws {
        let job = try makeJob()
        try write(rows.map(\.processors), to: job)
        try await job.run()
        for (number, row) in rows.enumerated() {
            let image = try job.image("out/\(number).png")
            #expect("\(image.size)" == row.size, "\(row.processors)")
            let pixels = [UInt8](try image.rgba())
            let (right, bottom) = (image.size.width - 1, image.size.height - 1)
            let corners = [(0, 0), (right, 0), (0, bottom), (right, bottom)]
            var expected = zip(corners, row.corners).compactMap { place, letter in
                Self.colors[letter].map { (place.0, place.1, $0) }
            }
            expected += row.pixels.map { ($0.x, $0.y, $0.color) }
            for (x, y, color) in expected {
                let start = (y * image.size.width + x) * 4
                let found = pixels[start..<start + color.count]
                let isNear = zip(found, color).allSatisfy { abs(Int($0) - Int($1)) <= 6 }
                #expect(isNear, "\(row.processors) at \(x), \(y): \(Array(found)), not \(color)")
            }
        }
    }

    @Test("each filter is one of its own, and so are the parameters of sharpen")
    func distinct() async throws {
        let filters = ["lanczos3", "mitchell", "bicubic", "bilinear", "box"].map {
            #"{"resize": {"width": 31, "filter": "\#($0)"}}"#
        }
        let blurred = #"{"gaussianBlur": {"radius": 2}}"#
        let sharpened = ["{}", #"{"sigma": 2}"#, #"{"amount": 3}"#, #"{"sigma": 2, "threshold": 60}"#].map {
            #"\#(blurred), {"sharpen": \#($0)}"#
        }
        let job = try makeJob()
        let rows =
            filters + [#"{"resize": {"width": 31}}"#, blurred] + sharpened
            + [#"\#(blurred), {"sharpen": {"sigma": 0.5, "amount": 1, "threshold": 0}}"#]
        try write(rows, to: job)
        try await job.run()
        let made = try rows.indices.map { try job.data("out/\($0).png") }
        #expect(Set(made).count == 5 + 4)
        #expect(made[0] == made[5], "lanczos3 is the default")
        #expect(made[7] == made[11], "the defaults of sharpen")
        #expect(made[10] == made[6], "differences below the threshold stay")
    }

    @Test(
        "what a processor cannot be is an error of the manifest",
        arguments: [
            (#"{"resize": {"width": 0}}"#, "resize.width"), (#"{"resize": {"width": 101}}"#, "resize.width"),
            (#"{"resize": {}}"#, "resize"),
            (#"{"resize": {"width": 9, "filter": "lanczos"}}"#, "resize.filter"),
            (#"{"resize": {"width": 9, "contentMode": "cover"}}"#, "resize.contentMode"),
            (#"{"pad": {"width": 9, "background": "red"}}"#, "pad.background"),
            (##"{"pad": {"width": 9, "background": "#12"}}"##, "pad.background"),
            (#"{"crop": {"width": 9, "height": 9, "gravity": "up"}}"#, "crop.gravity"),
            (#"{"crop": {"rect": [0, 0, 9]}}"#, "crop.rect"),
            (#"{"rotate": {"degrees": 45}}"#, "rotate.degrees"),
            (#"{"grayscale": {"x": 1}}"#, "grayscale.x"), (#"{"adjust": {"gamma": 0}}"#, "adjust.gamma"),
            (#"{"blur": {}}"#, "blur"), (#"{"grayscale": {}, "trim": {}}"#, "processors[0]"),
            (#"{"watermark": {"image": "quarters.png", "opacity": 2}}"#, "watermark.opacity"),
        ]
    )
    func wrong(processor: String, place: String) async throws {
        let job = try makeJob()
        try write([processor], to: job, limits: #", "limits": {"maxDimension": 100}"#)
        let wrong = try await job.nukeBatch("validate", "job.json")
        #expect(wrong.exit == 2 && wrong.output.contains("outputs[0].processors[0]"), "\(wrong.output)")
        #expect(wrong.output.contains(place), "\(wrong.output)")
    }
}
