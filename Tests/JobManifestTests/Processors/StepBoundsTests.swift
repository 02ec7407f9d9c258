import Imaging
@testable import JobManifest
import Testing

/// The bounds of every number of a processor.
@Suite struct StepBoundsTests {
    private static let image = #""image": "https://a.example/logo.png""#
    private static let sides = (right: "1 65500", wrong: "0 65501 1.5 -1")
    private static let offsets = (right: "0 65500", wrong: "-1 65501 0.5")

    /// Processors with `$` in the place of a number, the number's path, and values that it may and may not have.
    static let all: [(String, String, String, String)] = [
        (#"{"resize": {"width": $}}"#, "resize.width", sides.right, sides.wrong),
        (#"{"resize": {"height": $}}"#, "resize.height", sides.right, sides.wrong),
        (#"{"crop": {"width": $, "height": 5}}"#, "crop.width", sides.right, sides.wrong),
        (#"{"crop": {"width": 5, "height": $}}"#, "crop.height", sides.right, sides.wrong),
        (#"{"crop": {"rect": [$, 0, 5, 5]}}"#, "crop.rect[0]", offsets.right, offsets.wrong),
        (#"{"crop": {"rect": [0, $, 5, 5]}}"#, "crop.rect[1]", offsets.right, offsets.wrong),
        (#"{"crop": {"rect": [0, 0, $, 5]}}"#, "crop.rect[2]", sides.right, sides.wrong),
        (#"{"crop": {"rect": [0, 0, 5, $]}}"#, "crop.rect[3]", sides.right, sides.wrong),
        (#"{"pad": {"width": $}}"#, "pad.width", sides.right, sides.wrong),
        (#"{"pad": {"height": $}}"#, "pad.height", sides.right, sides.wrong),
        (#"{"pad": {"width": 5, "gravity": {"x": $, "y": 0}}}"#, "pad.gravity.x", "0 1", "-0.001 1.001"),
        (#"{"pad": {"width": 5, "gravity": {"x": 0, "y": $}}}"#, "pad.gravity.y", "0 1", "-0.001 1.001"),
        (
            ##"{"circle": {"border": {"color": "#FFF", "width": $}}}"##, "circle.border.width", "0.1 65500",
            "0.099 65500.001"
        ),
        (#"{"roundedCorners": {"radius": $}}"#, "roundedCorners.radius", "0 65500", "-0.001 65500.001"),
        (#"{"gaussianBlur": {"radius": $}}"#, "gaussianBlur.radius", "0 1000", "-0.001 1000.001"),
        (#"{"sharpen": {"sigma": $}}"#, "sharpen.sigma", "0 100", "-0.001 100.001"),
        (#"{"sharpen": {"amount": $}}"#, "sharpen.amount", "0 10", "-0.001 10.001"),
        (#"{"sharpen": {"threshold": $}}"#, "sharpen.threshold", "0 255", "-0.001 255.001"),
        (#"{"rotate": {"degrees": $}}"#, "rotate.degrees", "-3600 3600 0 90", "-3690 3690 89 91 -45 90.5"),
        (#"{"trim": {"tolerance": $}}"#, "trim.tolerance", "0 255", "-1 256 0.5"),
        (#"{"adjust": {"brightness": $}}"#, "adjust.brightness", "-1 1", "-1.001 1.001"),
        (#"{"adjust": {"contrast": $}}"#, "adjust.contrast", "0 10", "-0.001 10.001"),
        (#"{"adjust": {"saturation": $}}"#, "adjust.saturation", "0 10", "-0.001 10.001"),
        (#"{"adjust": {"gamma": $}}"#, "adjust.gamma", "0.1 10", "0.099 10.001"),
        (#"{"watermark": {\#(image), "scale": $}}"#, "watermark.scale", "0.001 1", "0.0009 1.001"),
        (#"{"watermark": {\#(image), "opacity": $}}"#, "watermark.opacity", "0 1", "-0.001 1.001"),
        (#"{"watermark": {\#(image), "margin": $}}"#, "watermark.margin", offsets.right, offsets.wrong),
    ]

    private func errors(_ step: String, with value: some StringProtocol, limit: Int? = nil) throws -> [String]
    {
        let reading = try NodeReading(step.replacing("$", with: value))
        if let limit { reading.node.reading.shared.imageLimits.maxDimension = limit }
        let isRead = Step(reading.node) != nil
        #expect(isRead || !reading.errors.isEmpty)
        return reading.errors
    }

    @Test("both bounds are taken, and what is beyond is refused at its place", arguments: all)
    func bounds(step: String, path: String, right: String, wrong: String) throws {
        for value in right.split(separator: " ") {
            #expect(try errors(step, with: value) == [], "\(value)")
        }
        for value in wrong.split(separator: " ") {
            let errors = try errors(step, with: value)
            #expect(errors.count == 1 && errors[0].hasPrefix("\(path): should be "), "\(value): \(errors)")
        }
    }

    @Test(
        "sides and distances keep to the manifest's own limit",
        arguments: all.filter { $0.2.contains("65500") }
    )
    func limited(step: String, path: String, right: String, wrong: String) throws {
        #expect(try errors(step, with: "100", limit: 100) == [])
        #expect(try errors(step, with: "101", limit: 100).map { $0.hasPrefix("\(path): ") } == [true])
    }
}
