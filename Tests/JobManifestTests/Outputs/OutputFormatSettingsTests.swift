import Imaging
@testable import JobManifest
import Testing

@Suite struct OutputFormatSettingsTests {
    @Test(
        "a format is a word, or one key with its settings",
        arguments: [
            (#""jpeg""#, .encoded(.jpeg())), (#""png""#, .encoded(.png())), (#""webp""#, .encoded(.webp())),
            (#""same""#, .same), (#""original""#, .original), (#"{"same": {}}"#, .same),
            (#"{"original": {}}"#, .original), (#"{"jpeg": {}}"#, .encoded(.jpeg())),
            (
                #"{"jpeg": {"quality": 1, "progressive": true, "subsampling": "4:2:2"}}"#,
                .encoded(.jpeg(JPEGOptions(quality: 1, progressive: true, subsampling: .s422)))
            ),
            (#"{"jpeg": {"effort": "standard"}}"#, .encoded(.jpeg())),
            (
                #"{"jpeg": {"effort": "smallest", "quality": {"ssimulacra2": 70}}}"#,
                .encoded(.jpeg(JPEGOptions(minimumSSIMULACRA2: 70, effort: .smallest)))
            ),
            (#"{"jpeg": {"maxBytes": 5000}}"#, .encoded(.jpeg(JPEGOptions(maxBytes: 5000)))),
            (#"{"jpeg": {"maxBytes": "200kB"}}"#, .encoded(.jpeg(JPEGOptions(maxBytes: 200_000)))),
            (#"{"webp": {"maxBytes": "1MiB"}}"#, .encoded(.webp(WebPOptions(maxBytes: 1_048_576)))),
            (
                #"{"webp": {"lossless": false, "maxBytes": "1MB"}}"#,
                .encoded(.webp(WebPOptions(maxBytes: 1_000_000)))
            ),
            (
                #"{"jpeg": {"quality": {"ssimulacra2": 70}}}"#,
                .encoded(.jpeg(JPEGOptions(minimumSSIMULACRA2: 70)))
            ),
            (
                #"{"webp": {"quality": {"ssimulacra2": 62.5}, "maxBytes": 9}}"#,
                .encoded(.webp(WebPOptions(maxBytes: 9, minimumSSIMULACRA2: 62.5)))
            ),
            (#""jxl""#, .encoded(.jxl())),
            (
                #"{"jxl": {"distance": 2, "effort": 9, "maxBytes": "1MB"}}"#,
                .encoded(.jxl(JPEGXLOptions(distance: 2, effort: 9, maxBytes: 1_000_000)))
            ),
            (
                #"{"jxl": {"quality": {"ssimulacra2": 70}, "effort": 3}}"#,
                .encoded(.jxl(JPEGXLOptions(effort: 3, minimumSSIMULACRA2: 70)))
            ),
            (#"{"jxl": {"lossless": true}}"#, .encoded(.jxl(JPEGXLOptions(lossless: true)))),
            (#"{"png": {"compression": 9}}"#, .encoded(.png(PNGOptions(compression: 9)))),
            (
                #"{"webp": {"quality": 0, "lossless": true, "effort": 6}}"#,
                .encoded(.webp(WebPOptions(quality: 0, lossless: true, effort: 6)))
            ),
        ] as [(String, OutputFormat)]
    )
    func read(json: String, format: OutputFormat) throws {
        let reading = try NodeReading(json)
        #expect(OutputFormat(reading.node) == format && reading.errors.isEmpty)
    }

    @Test("nothing is the source's own format")
    func nothing() {
        #expect(OutputFormat(nil) == .same)
    }

    @Test(
        "what is no format is told",
        arguments: [
            ("{}", ": should be a name, or an object with one key, the format's name, not 0"),
            (
                #"{"jpeg": {}, "png": {}}"#,
                ": should be a name, or an object with one key, the format's name, not 2"
            ),
            ("7", ": should be an object, not a number"),
            (#""bmp""#, #": "bmp" is none of "avif", "gif", "jpeg", "#),
            (#"{"same": {"quality": 1}}"#, "same.quality: unknown key: remove it"),
            (#"{"original": 1}"#, "original: should be an object"),
            (#"{"jpeg": {"quality": 0}}"#, "jpeg.quality: should be from 1 to 100"),
            (#"{"jpeg": {"quality": 101}}"#, "jpeg.quality: should be from 1 to 100"),
            (#"{"jpeg": {"subsampling": "420"}}"#, "jpeg.subsampling: "),
            (#"{"jpeg": {"effort": "small"}}"#, "jpeg.effort: "),
            (#"{"jpeg": {"effort": 9}}"#, "jpeg.effort: "),
            (#"{"png": {"compression": 0}}"#, "png.compression: should be from 1 to 9"),
            (#"{"png": {"compression": 10}}"#, "png.compression: should be from 1 to 9"),
            (#"{"webp": {"quality": -1}}"#, "webp.quality: should be from 0 to 100"),
            (#"{"webp": {"quality": 101}}"#, "webp.quality: should be from 0 to 100"),
            (#"{"webp": {"effort": 7}}"#, "webp.effort: should be from 0 to 6"),
            (#"{"webp": {"lossless": 1}}"#, "webp.lossless: should be true or false"),
            (#"{"jpeg": {"maxBytes": "20 kB"}}"#, "jpeg.maxBytes: \"20 kB\" is not a size"),
            (#"{"jpeg": {"maxBytes": 0}}"#, "jpeg.maxBytes: 0 is not a size"),
            (
                #"{"webp": {"lossless": true, "maxBytes": 5}}"#,
                "webp.maxBytes: cannot be combined with \"lossless\""
            ),
            (
                #"{"jpeg": {"quality": "high"}}"#,
                "jpeg.quality: should be a number from 1 to 100, or an object such as"
            ),
            (
                #"{"avif": {"quality": [70]}}"#,
                "avif.quality: should be a number from 0 to 100, or an object such as"
            ),
            (#"{"jpeg": {"quality": 101}}"#, "jpeg.quality: should be from 1 to 100"),
            (#"{"jpeg": {"quality": {}}}"#, #"jpeg.quality: "ssimulacra2" is missing"#),
            (
                #"{"jpeg": {"quality": {"ssimulacra2": 0}}}"#,
                "jpeg.quality.ssimulacra2: should be from 1.0 to 100.0"
            ),
            (
                #"{"webp": {"quality": {"ssimulacra2": 100.5}}}"#,
                "webp.quality.ssimulacra2: should be from 1.0 to 100.0"
            ),
            (
                #"{"webp": {"quality": {"ssimulacra2": "70"}}}"#,
                "webp.quality.ssimulacra2: should be a number"
            ),
            (
                #"{"avif": {"quality": {"ssimulacra2": 70, "target": 70}}}"#,
                #"avif.quality.target: unknown key; did you mean "ssimulacra2"?"#
            ),
            (
                #"{"webp": {"quality": {"ssimulacra2": 70}, "lossless": true}}"#,
                "webp.quality: cannot be the likeness of a file with \"lossless\""
            ),
            (
                #"{"jxl": {"lossless": true, "maxBytes": 5}}"#,
                "jxl.maxBytes: cannot be combined with \"lossless\""
            ),
            (
                #"{"jxl": {"distance": 0, "maxBytes": 5}}"#,
                "jxl.maxBytes: cannot be combined with a distance of 0"
            ),
            (
                #"{"jxl": {"lossless": true, "distance": 2}}"#,
                "jxl.distance: cannot be combined with \"lossless\""
            ),
            (#"{"jxl": {"distance": 25.1}}"#, "jxl.distance: should be from 0.0 to 25.0"),
            (#"{"jxl": {"distance": -1}}"#, "jxl.distance: should be from 0.0 to 25.0"),
            (#"{"jxl": {"effort": 10}}"#, "jxl.effort: should be from 1 to 9"),
            (#"{"jxl": {"quality": 80}}"#, "jxl.quality: should be an object such as {"),
            (#"{"jxl": {"quality": {}}}"#, #"jxl.quality: "ssimulacra2" is missing"#),
            (
                #"{"jxl": {"quality": {"ssimulacra2": 70}, "distance": 2}}"#,
                "jxl.quality: cannot be combined with \"distance\""
            ),
            (
                #"{"jxl": {"quality": {"ssimulacra2": 70}, "lossless": true}}"#,
                "jxl.quality: cannot be combined with \"lossless\""
            ),
            (
                #"{"png": {"maxBytes": 5}}"#,
                #"png.maxBytes: unknown key: only "jpeg", "webp", "avif" and "jxl" have it"#
            ),
            (
                #"{"same": {"maxBytes": 5}}"#,
                #"same.maxBytes: unknown key: only "jpeg", "webp", "avif" and "jxl" have it"#
            ),
        ]
    )
    func wrong(json: String, error: String) throws {
        let reading = try NodeReading(json)
        _ = OutputFormat(reading.node)
        #expect(reading.errors.count == 1 && reading.errors[0].hasPrefix(error), "\(reading.errors)")
    }

    @Test("equal settings have one canonical text")
    func canonical() {
        #expect(OutputFormat.same.canonical.text == #""same""#)
        #expect(OutputFormat.original.canonical.text == #""original""#)
        #expect(
            OutputFormat.encoded(.webp(WebPOptions(quality: 1, lossless: true, effort: 2))).canonical.text
                == #"{"webp":{"effort":2,"lossless":true,"quality":1}}"#
        )
        #expect(
            OutputFormat.encoded(.jpeg(JPEGOptions(quality: 3, subsampling: .s444))).canonical.text
                == #"{"jpeg":{"progressive":false,"quality":3,"subsampling":"4:4:4"}}"#
        )
        #expect(
            OutputFormat.encoded(.jpeg(JPEGOptions(maxBytes: 5))).canonical.text
                == #"{"jpeg":{"maxBytes":5,"progressive":false,"quality":82,"subsampling":"4:2:0"}}"#
        )
        // Without an effort, as before there was one: nothing is made again.
        #expect(
            OutputFormat.encoded(.jpeg(JPEGOptions(effort: .smallest))).canonical.text
                == #"{"jpeg":{"effort":"smallest","progressive":false,"quality":82,"subsampling":"4:2:0"}}"#
        )
        #expect(
            OutputFormat.encoded(.webp(WebPOptions(maxBytes: 5))).canonical.text
                == #"{"webp":{"effort":4,"lossless":false,"maxBytes":5,"quality":80}}"#
        )
        #expect(
            OutputFormat.encoded(.avif(AVIFOptions(maxBytes: 5))).canonical.text
                == #"{"avif":{"maxBytes":5,"quality":60,"speed":6}}"#
        )
        #expect(
            OutputFormat.encoded(.avif(AVIFOptions(quality: 9, minimumSSIMULACRA2: 70))).canonical.text
                == #"{"avif":{"quality":{"ssimulacra2":70.0},"speed":6}}"#
        )
        #expect(
            OutputFormat.encoded(.jxl()).canonical.text
                == #"{"jxl":{"distance":1.0,"effort":7,"lossless":false}}"#
        )
    }

    @Test("only an encoder's format tells the extension, and media type")
    func extensions() {
        #expect(OutputFormat.encoded(.jpeg()).fixedExtension == "jpg")
        #expect(OutputFormat.encoded(.webp()).fixedExtension == "webp")
        #expect(OutputFormat.same.fixedExtension == nil && OutputFormat.original.fixedExtension == nil)
        let smallest = OutputFormat.smallest(SmallestFormat(minimumSSIMULACRA2: 70))
        #expect(smallest.fixedExtension == nil && smallest.mediaType == nil)
    }
}
