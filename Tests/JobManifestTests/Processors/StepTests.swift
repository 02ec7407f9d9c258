import JobFixtures
import Foundation
import Imaging
import JobManifest
import TestSupport
import Testing

@Suite struct StepTests {
    private func manifest(_ steps: String) -> String {
        #"{"sources": [{"urls": []}], "outputs": [{"processors": [\#(steps)]}]}"#
    }

    private func steps(_ text: String, in folder: ManifestFolder) throws -> [Step] {
        try #require(try folder.read(manifest(text)).outputs.first).processors
    }

    private func recipe(
        _ text: String,
        in folder: ManifestFolder,
        environment: [String: String] = [:]
    ) throws -> String {
        let manifest = try folder.read(manifest(text), environment: environment)
        return manifest.recipe(of: try #require(manifest.outputs.first), source: 0)
    }

    static let red = Color(red: 255, green: 0, blue: 0)
    static let all: [(String, Step, String)] = [
        (
            ##"{"pad": {"width": 30, "gravity": "north", "background": "#F00"}}"##,
            .pad(Pad(width: 30, gravity: .north, background: red)),
            ##"{"pad":{"background":"#ff0000ff","gravity":"north","height":null,"width":30}}"##
        ),
        (
            #"{"pad": {"width": 3, "height": 4}}"#, .pad(Pad(width: 3, height: 4)),
            ##"{"pad":{"background":"#ffffffff","gravity":"center","height":4,"width":3}}"##
        ),
        (
            ##"{"circle": {"border": {"color": "#ff000080", "width": 2.5}}}"##,
            .circle(
                Circle(border: Border(color: Color(red: 255, green: 0, blue: 0, alpha: 128), width: 2.5))
            ),
            ##"{"circle":{"border":{"color":"#ff000080","width":2.5}}}"##
        ),
        (#"{"circle": {}}"#, .circle(Circle()), #"{"circle":{"border":null}}"#),
        (#"{"circle": true}"#, .circle(Circle()), #"{"circle":{"border":null}}"#),
        (
            ##"{"roundedCorners": {"radius": 12, "border": {"color": "#f00"}}}"##,
            .roundedCorners(RoundedCorners(radius: 12, border: Border(color: red))),
            ##"{"roundedCorners":{"border":{"color":"#ff0000ff","width":1.0},"radius":12.0}}"##
        ),
        (#"{"gaussianBlur": {}}"#, .gaussianBlur(GaussianBlur()), #"{"gaussianBlur":{"radius":8.0}}"#),
        (
            #"{"gaussianBlur": {"radius": 2.5}}"#, .gaussianBlur(GaussianBlur(radius: 2.5)),
            #"{"gaussianBlur":{"radius":2.5}}"#
        ),
        (
            #"{"sharpen": {}}"#, .sharpen(Sharpen()),
            #"{"sharpen":{"amount":1.0,"sigma":0.5,"threshold":0.0}}"#
        ),
        (
            #"{"sharpen": {"sigma": 1, "amount": 2, "threshold": 3}}"#,
            .sharpen(Sharpen(sigma: 1, amount: 2, threshold: 3)),
            #"{"sharpen":{"amount":2.0,"sigma":1.0,"threshold":3.0}}"#
        ),
        (#"{"flatten": {}}"#, .flatten(Flatten()), ##"{"flatten":{"background":"#ffffffff"}}"##),
        (
            ##"{"flatten": {"background": "#f00"}}"##, .flatten(Flatten(background: red.opaque)),
            ##"{"flatten":{"background":"#ff0000ff"}}"##
        ),
        (#"{"trim": {}}"#, .trim(Trim()), #"{"trim":{"tolerance":10}}"#),
        (#"{"trim": {"tolerance": 0}}"#, .trim(Trim(tolerance: 0)), #"{"trim":{"tolerance":0}}"#),
        (
            #"{"adjust": {"gamma": 2}}"#, .adjust(Adjust(gamma: 2)),
            #"{"adjust":{"brightness":0.0,"contrast":1.0,"gamma":2.0,"saturation":1.0}}"#
        ),
        (
            #"{"crop": {"width": 5, "height": 6, "gravity": "smart"}}"#,
            .crop(.smart(width: 5, height: 6)),
            #"{"crop":{"gravity":"smart","height":6,"width":5}}"#
        ),
    ]

    @Test("each processor is read, and has one canonical form", arguments: all)
    func reads(text: String, step: Step, canonical: String) throws {
        let folder = try ManifestFolder()
        #expect(try steps(text, in: folder) == [step])
        #expect(try recipe(text, in: folder).contains(#""processors":[\#(canonical)]"#))
    }

    @Test(
        "what is wrong is named with its place",
        arguments: [
            (#"{"pad": {}}"#, "pad", "\"width\" or \"height\" is missing"),
            (#"{"pad": {"width": 0}}"#, "pad.width", "from 1 to"),
            (#"{"pad": {"width": 5, "gravity": "smart"}}"#, "pad.gravity", "\"smart\" is none of"),
            (#"{"pad": {"width": 5, "background": "red"}}"#, "pad.background", "not a colour"),
            (##"{"pad": {"width": 5, "colour": "#fff"}}"##, "pad.colour", "unknown key"),
            (#"{"circle": {"border": {}}}"#, "circle.border", "\"color\" is missing"),
            (##"{"circle": {"border": {"color": "#fff", "width": 0}}}"##, "circle.border.width", "from 0.1"),
            (#"{"circle": false}"#, "circle", "should be an object"),
            (#"{"roundedCorners": {}}"#, "roundedCorners", "\"radius\" is missing"),
            (#"{"roundedCorners": {"radius": -1}}"#, "roundedCorners.radius", "from 0.0"),
            (#"{"gaussianBlur": {"radius": 1001}}"#, "gaussianBlur.radius", "to 1000.0"),
            (#"{"sharpen": {"sigma": -1}}"#, "sharpen.sigma", "from 0.0 to 100.0"),
            (#"{"sharpen": {"amount": 11}}"#, "sharpen.amount", "from 0.0 to 10.0"),
            (#"{"sharpen": {"threshold": "x"}}"#, "sharpen.threshold", "should be a number"),
            (##"{"flatten": {"background": "#ffffff80"}}"##, "flatten.background", "remove its alpha"),
            (#"{"trim": {"tolerance": 256}}"#, "trim.tolerance", "from 0 to 255"),
            (#"{"trim": {"tolerance": 1.5}}"#, "trim.tolerance", "whole number"),
            (#"{"adjust": {}}"#, "adjust", "is missing"),
            (#"{"adjust": {"brightness": 2}}"#, "adjust.brightness", "from -1.0 to 1.0"),
            (#"{"adjust": {"gamma": 0}}"#, "adjust.gamma", "from 0.1 to 10.0"),
            (#"{"crop": {"width": 5, "height": 6, "gravity": "clever"}}"#, "crop.gravity", "none of"),
            (#"{"watermark": {}}"#, "watermark", "\"image\" is missing"),
            (#"{"watermark": {"image": 5}}"#, "watermark.image", "should be a string"),
            (#"{"watermark": {"image": "none.png"}}"#, "watermark.image", "none.png cannot be used"),
            (#"{"watermark": {"image": "bad.png"}}"#, "watermark.image", "bad.png cannot be used"),
            (#"{"watermark": {"image": "job.json"}}"#, "watermark.image", "is JSON, not an image"),
            (#"{"watermark": {"image": "."}}"#, "watermark.image", "cannot be used"),
            (
                #"{"watermark": {"image": "s3://bucket/logo.png"}}"#, "watermark.image",
                "cannot be in a bucket yet: use its https URL"
            ),
            (#"{"watermark": {"image": "https://"}}"#, "watermark.image", "has no host"),
            (
                #"{"watermark": {"image": "https://example.com/${NO_SUCH_KEY}"}}"#, "watermark.image",
                "NO_SUCH_KEY"
            ),
            (#"{"watermark": {"image": "good.png", "scale": 0}}"#, "watermark.scale", "from 0.001 to 1.0"),
            (#"{"watermark": {"image": "good.png", "opacity": 2}}"#, "watermark.opacity", "from 0.0 to 1.0"),
            (#"{"watermark": {"image": "good.png", "margin": -1}}"#, "watermark.margin", "from 0 to"),
            (#"{"watermark": {"image": "good.png", "tile": 1}}"#, "watermark.tile", "true or false"),
            (#"{"watermark": {"image": "good.png", "gravity": "up"}}"#, "watermark.gravity", "none of"),
        ]
    )
    func refuses(text: String, path: String, words: String) throws {
        let folder = try ManifestFolder()
        let png = try Self.picture()
        try png.write(to: URL(fileURLWithPath: folder.folder.path("good.png")))
        try png.prefix(60).write(to: URL(fileURLWithPath: folder.folder.path("bad.png")))
        let errors = try folder.errors(manifest(text))
        #expect(errors.count == 1, "\(errors)")
        #expect(errors.first?.contains(": outputs[0].processors[0].\(path): ") == true, "\(errors)")
        #expect(errors.first?.contains(words) == true, "\(errors)")
    }

    private static func picture(red: UInt8 = 9) throws -> Data {
        let image = try Image(width: 2, height: 1, rgba: Data([red, 2, 3, 4, 5, 6, 7, 8]))
        return try ImageEncoder.encode(image, as: .png())
    }

    @Test("a watermark is read with the manifest, and counts by its bytes")
    func watermark() throws {
        let folder = try ManifestFolder()
        func write(_ data: Data, _ name: String) throws {
            try data.write(to: URL(fileURLWithPath: folder.folder.path(name)))
        }
        try write(try Self.picture(), "a.png")
        try write(try Self.picture(), "b.png")
        let text = #"""
            {"watermark": {"image": "a.png", "gravity": {"x": 0, "y": 1}, "scale": 0.5, "opacity": 0.25,
                           "margin": 4, "tile": true}}
            """#
        let step = try #require(try steps(text, in: folder).first)
        guard case .watermark(let picture, let placement) = step else {
            Issue.record("\(step) is no watermark")
            return
        }
        let point = Gravity.point(x: 0, y: 1)
        #expect(
            placement == .init(gravity: point, scale: 0.5, opacity: 0.25, margin: 4, tile: true)
        )
        let before = try recipe(text, in: folder)
        #expect(
            before.contains(
                #"{"watermark":{"gravity":{"x":0.0,"y":1.0},"image":"\#(picture.identity)","margin":4,"#
                    + #""opacity":0.25,"scale":0.5,"tile":true}}"#
            )
        )
        #expect(try recipe(text.replacing("a.png", with: "b.png"), in: folder) == before)
        try write(try Self.picture(red: 10), "a.png")
        #expect(try recipe(text, in: folder) != before)
        let plain = try #require(try steps(#"{"watermark": {"image": "b.png"}}"#, in: folder).first)
        #expect(plain == .watermark(picture, Watermark.Placement()))
    }

    @Test(
        "a picture at a URL counts by the URL as written, so that no key is recorded and nothing is loaded to know it"
    )
    func pictureAtURL() throws {
        let folder = try ManifestFolder()
        let text = #"{"watermark": {"image": "https://example.com/logo.png?key=${KEY}"}}"#
        let before = try recipe(text, in: folder, environment: ["KEY": "secret"])
        #expect(before.contains(#""image":"https://example.com/logo.png?key=${KEY}""#))
        #expect(try recipe(text, in: folder, environment: ["KEY": "other"]) == before)
        #expect(
            try recipe(text.replacing("logo", with: "mark"), in: folder, environment: ["KEY": "secret"])
                != before
        )
    }

    @Test("a watermark that is too large is refused as any image")
    func largeWatermark() throws {
        let folder = try ManifestFolder()
        try Self.picture().write(to: URL(fileURLWithPath: folder.folder.path("a.png")))
        let errors = try folder.errors(
            #"""
            {"sources": [{"urls": []}], "limits": {"maxPixels": 1},
             "processors": [{"watermark": {"image": "a.png"}}]}
            """#
        )
        #expect(errors.count == 1 && errors[0].contains(#"Raise limits.maxPixels to "1MP""#), "\(errors)")
    }
}
