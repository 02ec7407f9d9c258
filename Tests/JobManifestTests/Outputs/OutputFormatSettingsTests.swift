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
            (#""bmp""#, #": "bmp" is none of "avif", "jpeg", "#),
            (#"{"same": {"quality": 1}}"#, "same.quality: unknown key: remove it"),
            (#"{"original": 1}"#, "original: should be an object"),
            (#"{"jpeg": {"quality": 0}}"#, "jpeg.quality: should be from 1 to 100"),
            (#"{"jpeg": {"quality": 101}}"#, "jpeg.quality: should be from 1 to 100"),
            (#"{"jpeg": {"subsampling": "420"}}"#, "jpeg.subsampling: "),
            (#"{"png": {"compression": 0}}"#, "png.compression: should be from 1 to 9"),
            (#"{"png": {"compression": 10}}"#, "png.compression: should be from 1 to 9"),
            (#"{"webp": {"quality": -1}}"#, "webp.quality: should be from 0 to 100"),
            (#"{"webp": {"quality": 101}}"#, "webp.quality: should be from 0 to 100"),
            (#"{"webp": {"effort": 7}}"#, "webp.effort: should be from 0 to 6"),
            (#"{"webp": {"lossless": 1}}"#, "webp.lossless: should be true or false"),
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
    }

    @Test("only an encoder's format tells the extension")
    func extensions() {
        #expect(OutputFormat.encoded(.jpeg()).fixedExtension == "jpg")
        #expect(OutputFormat.encoded(.webp()).fixedExtension == "webp")
        #expect(OutputFormat.same.fixedExtension == nil && OutputFormat.original.fixedExtension == nil)
    }
}
