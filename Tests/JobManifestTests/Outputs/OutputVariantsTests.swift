import Imaging
import JobFixtures
@testable import JobManifest
import Testing

/// `widths` and `formats`, which stand for several outputs.
@Suite struct OutputVariantsTests {
    private func manifest(_ outputs: String, _ rest: String = "") -> String {
        #"{"sources": [{"urls": []}], "outputs": [\#(outputs)]\#(rest)}"#
    }

    private func outputs(_ text: String) throws -> [Output] {
        try ManifestFolder().read(manifest(text)).outputs
    }

    @Test("widths alone, formats alone and both give their names and paths")
    func names() throws {
        let widths = try outputs(#"{"name": "small", "widths": [800, 400], "format": "png"}"#)
        #expect(widths.map(\.name) == ["small-400", "small-800"])
        #expect(
            widths.map(\.path.description) == [
                "small-400/{host}/{dir}/{stem}.png", "small-800/{host}/{dir}/{stem}.png",
            ]
        )
        let formats = try outputs(#"{"name": "small", "formats": [{"webp": {"quality": 5}}, "jpeg"]}"#)
        #expect(formats.map(\.name) == ["small-webp", "small-jpeg"])
        #expect(
            formats.map(\.format) == [.encoded(.webp(WebPOptions(quality: 5))), .encoded(.jpeg())]
        )
        #expect(formats.allSatisfy { $0.processors.isEmpty && $0.condition == OutputCondition() })
        let both = try outputs(
            #"{"widths": [400, 800], "formats": ["webp", "jpeg"], "path": "{stem}-{width}.{ext}"}"#
        )
        #expect(
            both.map(\.name) == [
                "output-400-webp", "output-400-jpeg", "output-800-webp", "output-800-jpeg",
            ]
        )
        #expect(both.map(\.path.description).prefix(2) == ["{stem}-{width}.webp", "{stem}-{width}.jpg"])
    }

    @Test("a width is a resize after the output's own processors, and knows the next smaller one")
    func resize() throws {
        let outputs = try outputs(
            #"{}, {"name": "a", "processors": [{"trim": true}], "when": {"minWidth": 9}, "widths": [20, 10]}"#
        )
        #expect(outputs.map(\.entry) == [0, 1, 1])
        #expect(outputs[1].processors == [.trim(Trim()), .resize(Resize(width: 10))])
        #expect(outputs[2].processors == [.trim(Trim()), .resize(Resize(width: 20))])
        #expect(outputs.map(\.condition.widerThan) == [nil, nil, 10])
        #expect(outputs[2].condition.minWidth == 9)
        #expect(outputs[2].condition.canonical.text.hasSuffix(#","types":[],"widerThan":10}"#))
    }

    @Test(
        "what cannot be told apart, contradicts itself or is too much is an error that says what to do",
        arguments: [
            (#"{"widths": []}"#, [".widths: is empty: add a width"]),
            (#"{"formats": []}"#, [".formats: is empty: add a format"]),
            (#"{"widths": [5, 6, 5]}"#, [".widths[2]: 5 is a duplicate: remove it"]),
            (#"{"widths": [0]}"#, [".widths[0]: should be from 1 to 65500, not 0"]),
            (#"{"widths": 5}"#, [".widths: should be an array"]),
            (#"{"formats": ["png", {"png": {}}]}"#, [#".formats[1]: "png" is a duplicate: remove it"#]),
            (#"{"formats": ["tiff"]}"#, [#".formats[0]: "tiff" is none of"#]),
            (#"{"formats": ["png"], "format": "png"}"#, [#".formats: cannot be combined with "format""#]),
            (#"{"widths": [5], "format": "original"}"#, [#".widths: "original" copies the bytes"#]),
            (
                #"{"widths": [5], "formats": ["png", "original"]}"#,
                [#".formats[1]: "original" copies the bytes"#]
            ),
            (
                #"{"formats": ["original"], "processors": [{"trim": true}]}"#,
                [#".formats[0]: "original" copies the bytes"#]
            ),
            (
                #"{"name": "a", "widths": [5, 6], "path": "{stem}.{ext}"}"#,
                [#".path: gives "a-5" and "a-6" the same path: add {width} or {output}"#]
            ),
            (
                #"{"name": "a", "formats": ["png", "webp"], "path": "{stem}"}"#,
                [#".path: gives "a-png" and "a-webp" the same path: add {ext} or {output}"#]
            ),
            (
                #"{"name": "a", "widths": [5, 6], "formats": ["png", "webp"], "path": "{stem}-{width}"}"#,
                [#".path: gives "a-5-png" and "a-5-webp" the same path: add {ext} or {output}"#]
            ),
            (#"{"widths": [5, 6], "path": "/{width}"}"#, [".path: is absolute"]),
            (#"{"widths": [5, 6], "path": "{what}-{width}"}"#, [".path: unknown variable {what}"]),
            (
                #"{"name": "a", "widths": [5]}, {"name": "a-5"}"#,
                [#"[1].name: outputs[0] has the name "a-5" too"#]
            ),
            (
                #"{"name": "a", "widths": [5, 6], "path": "{output}.png"}, {"name": "b", "path": "a-6.png"}"#,
                ["[1].path: writes the same files as outputs[0]"]
            ),
        ]
    )
    func errors(outputs: String, expected: [String]) throws {
        let errors = try ManifestFolder().errors(manifest(outputs))
        #expect(errors.count == expected.count, "\(errors)")
        for (error, words) in zip(errors, expected) {
            let place = words.hasPrefix("[") ? ": outputs" : ": outputs[0]"
            #expect(error.contains(place + words), "\(error)")
        }
    }

    @Test("paths that differ in their late variables, and one width alone, are told apart")
    func distinct() throws {
        for path in ["{stem}-{width}.{ext}", "{stem}/{output}", "{output}-{width}"] {
            #expect(
                try outputs(#"{"widths": [5, 6], "formats": ["png", "webp"], "path": "\#(path)"}"#).count == 4
            )
        }
        #expect(try outputs(#"{"widths": [5], "path": "{stem}"}"#).count == 1)
        #expect(try outputs(#"{"formats": ["same", "original"], "path": "{output}"}"#).count == 2)
    }

    @Test("an entry stands for at most 100 outputs, each side within the limits")
    func most() throws {
        let widths = (1...50).map(String.init).joined(separator: ", ")
        #expect(try outputs(#"{"widths": [\#(widths)], "formats": ["png", "webp"]}"#).count == 100)
        let errors = try ManifestFolder().errors(
            manifest(#"{"widths": [\#(widths), 51], "formats": ["png", "webp"]}"#)
        )
        #expect(errors.count == 1)
        #expect(errors[0].contains("outputs[0].widths: exceeds the limit of 100 outputs"), "\(errors)")
        let wide = try ManifestFolder().errors(
            manifest(#"{"widths": [101]}"#, #", "limits": {"maxDimension": 100}"#)
        )
        #expect(wide.count == 1 && wide[0].contains("outputs[0].widths[0]: should be from 1 to 100"))
    }
}
