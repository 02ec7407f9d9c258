import Imaging
@testable import JobManifest
import Testing

/// The steps that decide on size and place.
@Suite struct SizeStepTests {
    private func read(_ json: String) throws -> (step: Step?, errors: [String]) {
        let reading = try NodeReading(json)
        let step = Step(reading.node)
        return (step, reading.errors)
    }

    @Test(
        "every angle is one of four",
        arguments: [
            (0, 0), (90, 90), (180, 180), (270, 270), (360, 0), (450, 90), (3600, 0), (-90, 270), (-180, 180),
            (-270, 90), (-360, 0), (-450, 270), (-3600, 0),
        ]
    )
    func angles(written: Int, degrees: Int) throws {
        #expect(try read(#"{"rotate": {"degrees": \#(written)}}"#).step == .rotate(Rotate(degrees: degrees)))
    }

    @Test("a flip needs no angle, and nothing at all is no rotation")
    func flips() throws {
        #expect(try read(#"{"rotate": {"flip": "vertical"}}"#).step == .rotate(Rotate(flip: .vertical)))
        #expect(try read(#"{"rotate": {}}"#).errors == [#"rotate: "degrees" or "flip" is missing: add it"#])
    }

    @Test(
        "crop is refused where a resize has nothing to cut off",
        arguments: [
            (#""width": 3, "height": 4, "contentMode": "aspectFill", "crop": true"#, true),
            (#""width": 3, "contentMode": "aspectFill", "crop": true"#, false),
            (#""height": 4, "contentMode": "aspectFill", "crop": true"#, false),
            (#""width": 3, "height": 4, "contentMode": "aspectFit", "crop": true"#, false),
            (#""width": 3, "height": 4, "contentMode": "fill", "crop": true"#, false),
            (#""width": 3, "height": 4, "crop": true"#, false), (#""width": 3, "crop": false"#, true),
        ]
    )
    func crop(members: String, isRight: Bool) throws {
        let errors = try read(#"{"resize": {\#(members)}}"#).errors
        #expect(errors.isEmpty == isRight, "\(errors)")
        #expect(errors.allSatisfy { $0.hasPrefix("resize.crop: has no effect here") })
    }

    @Test("every setting of a resize has its own key")
    func resize() throws {
        let step = try read(
            #"{"resize": {"height": 7, "contentMode": "fill", "upscale": true, "filter": "box", "linear": true}}"#
        ).step
        let resize = Resize(height: 7, contentMode: .fill, upscale: true, filter: .box, linear: true)
        #expect(step == .resize(resize))
        #expect(
            step?.canonical.text
                == #"{"resize":{"contentMode":"fill","crop":false,"filter":"box","height":7,"linear":true,"#
                + #""upscale":true,"width":null}}"#
        )
    }

    @Test(
        "crops have one canonical text",
        arguments: [
            (
                #"{"crop": {"width": 1, "height": 2}}"#, Crop(width: 1, height: 2),
                #"{"crop":{"gravity":"center","height":2,"width":1}}"#
            ),
            (
                #"{"crop": {"width": 1, "height": 2, "gravity": "west"}}"#,
                Crop(width: 1, height: 2, gravity: .west),
                #"{"crop":{"gravity":"west","height":2,"width":1}}"#
            ),
            (
                #"{"crop": {"rect": [0, 1, 2, 3]}}"#, Crop(x: 0, y: 1, width: 2, height: 3),
                #"{"crop":{"rect":[0,1,2,3]}}"#
            ),
        ]
    )
    func crops(json: String, crop: Crop, canonical: String) throws {
        let step = try read(json).step
        #expect(step == .crop(crop) && step?.canonical.text == canonical)
    }

    @Test(
        "what is no crop is told",
        arguments: [
            (#"{"height": 5}"#, #"crop: needs "width" and "height""#),
            (#"{"gravity": "smart"}"#, #"crop: needs "width" and "height""#),
            (#"{"rect": [0, 0, 5, 5], "width": 5}"#, "crop.rect: cannot be combined with other keys"),
            (#"{"rect": [0, 0, 5, 5, 5]}"#, "crop.rect: should be [x, y, width, height], not 5 numbers"),
            (#"{"rect": [0, 0, 5, "5"]}"#, "crop.rect[3]: should be a number"),
            (#"{"width": 1, "height": 2, "gravity": {"x": 0.5}}"#, #"crop.gravity: "y" is missing"#),
            (#"{"width": 1, "height": 2, "gravity": 5}"#, "crop.gravity: should be an object"),
        ]
    )
    func wrongCrops(json: String, error: String) throws {
        let (step, errors) = try read(#"{"crop": \#(json)}"#)
        #expect(step == nil && errors.count == 1, "\(errors)")
        #expect(errors.first?.hasPrefix(error) == true, "\(errors)")
    }

    @Test(
        "a step has one key, and is written as true only where nothing has to be said",
        arguments: [
            ("{}", ": should have one key, the processor's name, not 0"),
            (#"{"trim": true, "circle": true}"#, ": should have one key, the processor's name, not 2"),
            (#"{"resize": true}"#, "resize: should be an object"),
            (#"{"crop": true}"#, "crop: should be an object"),
            (#"{"pad": true}"#, "pad: should be an object"),
            (#"{"rotate": true}"#, "rotate: should be an object"),
            (#"{"adjust": true}"#, "adjust: should be an object"),
            (#"{"roundedCorners": true}"#, "roundedCorners: should be an object"),
            (#"{"watermark": true}"#, "watermark: should be an object"),
            (#"{"trim": false}"#, "trim: should be an object"),
            (#"{"grayscale": false}"#, "grayscale: should be an object"),
            (#"{"grayscale": {"x": 1}}"#, "grayscale.x: unknown key: remove it"),
        ]
    )
    func wrongSteps(json: String, error: String) throws {
        let errors = try read(json).errors
        #expect(errors.count == 1 && errors[0].hasPrefix(error), "\(errors)")
    }

    @Test(
        "true stands for a step of which nothing is said",
        arguments: ["circle", "gaussianBlur", "sharpen", "grayscale", "flatten", "trim"]
    )
    func plain(name: String) throws {
        let (step, errors) = try read(#"{"\#(name)": true}"#)
        #expect(step != nil && errors.isEmpty)
        #expect(try read(#"{"\#(name)": {}}"#).step == step)
    }
}
