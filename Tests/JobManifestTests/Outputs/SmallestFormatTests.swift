import Imaging
import JobFixtures
@testable import JobManifest
import Testing

/// `"format": {"smallest": …}` in a manifest.
@Suite struct SmallestFormatTests {
    private static let usual = #"{"smallest": {"quality": {"ssimulacra2": 70}}}"#

    private func output(_ rest: String) -> String {
        #"{"sources": [{"urls": ["a.jpg"]}], "outputs": [{\#(rest)}]}"#
    }

    private func path(of output: Output, _ format: ImageFormat) -> String {
        let item = PlannedItem(testing: "https://a.example/x/1.png")
        let facts = OutputFacts(fileExtension: format.fileExtension, width: 1, height: 1, hash: "")
        return output.path.finished(output.path.planned(for: item), with: facts)
    }

    @Test(
        "a choice has a floor, formats of its own or those for browsers, and settings of each",
        arguments: [
            (usual, SmallestFormat(minimumSSIMULACRA2: 70)),
            (
                #"{"smallest": {"formats": ["webp", {"jpeg": {"progressive": true}}], "quality": {"ssimulacra2": 62.5}}}"#,
                SmallestFormat([.webp(), .jpeg(JPEGOptions(progressive: true))], minimumSSIMULACRA2: 62.5)
            ),
            (
                #"{"smallest": {"formats": ["webp", {"webp": {"lossless": true, "quality": 9}}], "maxBytes": "2kB", "#
                    + #""quality": {"ssimulacra2": 1}}}"#,
                SmallestFormat(
                    [.webp(), .webp(WebPOptions(quality: 9, lossless: true))],
                    minimumSSIMULACRA2: 1,
                    maxBytes: 2000
                )
            ),
            (
                #"{"smallest": {"formats": ["jxl", {"jxl": {"distance": 0}}, "png"], "quality": {"ssimulacra2": 70}}}"#,
                SmallestFormat([.jxl(), .jxl(JPEGXLOptions(distance: 0)), .png()], minimumSSIMULACRA2: 70)
            ),
        ]
    )
    func read(json: String, choice: SmallestFormat) throws {
        let reading = try NodeReading(json)
        #expect(
            OutputFormat(reading.node) == .smallest(choice) && reading.errors.isEmpty,
            "\(reading.errors)"
        )
        #expect(OutputFormat.smallest(choice).minimumSSIMULACRA2 == choice.minimumSSIMULACRA2)
        #expect(OutputFormat.smallest(choice).encodings == choice.candidates)
    }

    @Test(
        "what is no choice is told, with the reason",
        arguments: [
            (#""smallest""#, ": needs a floor of quality, without which sizes cannot be compared: write {"),
            (#"{"smallest": {}}"#, "smallest: needs a floor of quality"),
            (#"{"smallest": ["avif", "jpeg"]}"#, "smallest: needs a floor of quality"),
            (#"{"smallest": {"formats": ["avif", "jpeg"]}}"#, "smallest: needs a floor of quality"),
            (
                #"{"smallest": {"quality": 70}}"#,
                #"smallest.quality: should be an object such as {"ssimulacra2": 70}; without a floor"#
            ),
            (#"{"smallest": {"quality": {}}}"#, #"smallest.quality: "ssimulacra2" is missing"#),
            (
                #"{"smallest": {"quality": {"ssimulacra2": 101}}}"#,
                "smallest.quality.ssimulacra2: should be from 1.0 to 100.0"
            ),
            (
                #"{"smallest": {"formats": "avif", "quality": {"ssimulacra2": 70}}}"#,
                "smallest.formats: should be an array"
            ),
            (
                #"{"smallest": {"formats": ["avif"], "quality": {"ssimulacra2": 70}}}"#,
                "smallest.formats: should have at least two formats"
            ),
            (
                #"{"smallest": {"formats": ["webp", "webp"], "quality": {"ssimulacra2": 70}}}"#,
                "smallest.formats[1]: is a duplicate"
            ),
            (
                #"{"smallest": {"formats": ["jpeg", {"jpeg": {"progressive": true}}], "quality": {"ssimulacra2": 70}}}"#,
                "smallest.formats: has no format for transparent pixels"
            ),
            (
                #"{"smallest": {"formats": ["webp", "gif"], "quality": {"ssimulacra2": 70}}}"#,
                "smallest.formats[1]: gif has no floor of quality"
            ),
            (
                #"{"smallest": {"formats": ["webp", {"png": {"palette": true}}], "quality": {"ssimulacra2": 70}}}"#,
                "smallest.formats[1]: png with a palette has no floor of quality"
            ),
            (
                #"{"smallest": {"formats": ["webp", "same"], "quality": {"ssimulacra2": 70}}}"#,
                "smallest.formats[1]: same has no floor of quality"
            ),
            (
                #"{"smallest": {"formats": ["webp", \#(usual)], "quality": {"ssimulacra2": 70}}}"#,
                "smallest.formats[1]: smallest has no floor of quality"
            ),
            (
                #"{"smallest": {"formats": ["webp", {"jpeg": {"quality": 80}}], "quality": {"ssimulacra2": 70}}}"#,
                "smallest.formats[1].jpeg.quality: is one for all formats"
            ),
            (
                #"{"smallest": {"formats": ["webp", {"avif": {"maxBytes": 80}}], "quality": {"ssimulacra2": 70}}}"#,
                "smallest.formats[1].avif.maxBytes: is one for all formats"
            ),
            (
                #"{"smallest": {"formats": ["webp", {"jxl": {"distance": 2}}], "quality": {"ssimulacra2": 70}}}"#,
                "smallest.formats[1].jxl.distance: is one for all formats"
            ),
            (
                #"{"smallest": {"formats": ["webp", "bmp"], "quality": {"ssimulacra2": 70}}}"#,
                #"smallest.formats[1]: "bmp" is none of"#
            ),
        ]
    )
    func wrong(json: String, error: String) throws {
        let reading = try NodeReading(json)
        _ = OutputFormat(reading.node)
        #expect(reading.errors.count == 1 && reading.errors[0].hasPrefix(error), "\(reading.errors)")
    }

    @Test("the extension is that of the format that is taken, in the default path too")
    func paths() throws {
        for path in ["", #", "path": "{stem}.{ext}""#] {
            let manifest = try ManifestFolder().read(output(#""format": \#(Self.usual)\#(path)"#))
            let output = try #require(manifest.outputs.first)
            #expect(!output.path.isKnownInPlanning && !output.path.isDecidedInPlanning)
            for (format, ending) in [(ImageFormat.avif, "1.avif"), (.jpeg, "1.jpg"), (.png, "1.png")] {
                #expect(self.path(of: output, format).hasSuffix(ending))
            }
        }
        let fixed = try ManifestFolder().read(output(#""format": \#(Self.usual), "path": "{stem}""#))
        #expect(fixed.outputs[0].path.isKnownInPlanning)
    }

    @Test("it stands in a list of formats, last where there is markup, and not for animations")
    func places() throws {
        let formats = #""formats": ["avif", \#(Self.usual)]"#
        let manifest = try ManifestFolder().read(output(#"\#(formats), "markup": {"file": "a.json"}"#))
        #expect(manifest.outputs.map(\.name) == ["output-avif", "output-smallest"])
        #expect(manifest.markups[0].formats.map(\.mediaType) == ["image/avif", nil])
        let first = try ManifestFolder().errors(
            output(#""formats": [\#(Self.usual), "avif"], "markup": {"file": "a.json"}"#)
        )
        #expect(first.count == 1 && first[0].contains("list it last"), "\(first)")
        let kept = try ManifestFolder().errors(output(#""format": \#(Self.usual), "animation": "keep""#))
        #expect(kept.count == 1 && kept[0].contains("smallest holds no frames"), "\(kept)")
    }

    @Test("equal effects have one text, and other outputs have the text that they had")
    func recipes() throws {
        func recipe(_ format: String) throws -> String {
            let manifest = try ManifestFolder().read(output(#""format": \#(format)"#))
            return manifest.recipe(of: manifest.outputs[0], source: 0)
        }
        let spelt =
            #"{"smallest": {"formats": [{"avif": {"speed": 6}}, "webp", "jpeg", {"png": {"compression": 4}}], "#
            + #""quality": {"ssimulacra2": 70}}}"#
        #expect(try recipe(Self.usual) == recipe(spelt))
        #expect(try recipe(Self.usual) != recipe(#"{"smallest": {"quality": {"ssimulacra2": 71}}}"#))
        #expect(
            try recipe(Self.usual)
                != recipe(
                    #"{"smallest": {"formats": ["webp", "avif", "jpeg", "png"], "quality": {"ssimulacra2": 70}}}"#
                )
        )
        #expect(
            OutputFormat.smallest(SmallestFormat([.webp(), .png()], minimumSSIMULACRA2: 70)).canonical.text
                == #"{"smallest":{"formats":[{"webp":{"effort":4,"lossless":false}},{"png":{"compression":4}}],"#
                + #""quality":{"ssimulacra2":70.0}}}"#
        )
    }
}
