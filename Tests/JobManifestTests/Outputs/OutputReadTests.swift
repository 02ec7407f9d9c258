import Imaging
import JobFixtures
@testable import JobManifest
import Testing

@Suite struct OutputReadTests {
    private func manifest(_ outputs: String) -> String {
        #"{"sources": [{"urls": []}], "outputs": [\#(outputs)]}"#
    }

    private func outputs(_ text: String) throws -> [Output] {
        try ManifestFolder().read(manifest(text)).outputs
    }

    @Test("an output that says nothing has the defaults")
    func defaults() throws {
        let output = try #require(try outputs("{}").first)
        #expect(output.metadata == .strip && output.existing == .replace && output.background == .white)
        #expect(output.onCollision == .fail && output.hdr == .drop)
        #expect(output.condition == OutputCondition() && output.processors.isEmpty)
        #expect(output.path.template == OutputPath.standard)
    }

    @Test("every key of an output is taken")
    func everything() throws {
        let output = try #require(
            try outputs(
                ##"""
                {"name": "a\tb", "processors": [{"trim": true}, {"grayscale": true}], "format": "webp", "path": "x.{ext}",
                 "metadata": "copyright", "existing": "keep", "onCollision": "first", "background": "#010203", "hdr": "keep",
                 "when": {"minWidth": 4, "minHeight": 5, "maxAspect": 1.5, "types": ["tiff", "gif", "tiff"]}}
                """##
            ).first
        )
        #expect(output.name == "a\tb" && output.processors == [.trim(Trim()), .grayscale])
        #expect(output.format == .encoded(.webp()) && output.path.description == "x.webp")
        #expect(output.metadata == .copyright && output.existing == .keep)
        #expect(output.onCollision == .first && output.hdr == .keep)
        #expect(output.background == RGBColor(red: 1, green: 2, blue: 3))
        #expect(output.condition.minWidth == 4 && output.condition.minHeight == 5)
        #expect(output.condition.maxAspect == 1.5 && output.condition.types == [.gif, .tiff])
    }

    @Test("conditions have one canonical text")
    func conditions() {
        var condition = OutputCondition()
        #expect(
            condition.canonical.text == #"{"maxAspect":null,"minHeight":null,"minWidth":null,"types":[]}"#
        )
        condition.minWidth = 1
        condition.minHeight = 2
        condition.maxAspect = 3
        condition.types = [.webp, .avif, .png]
        #expect(
            condition.canonical.text
                == #"{"maxAspect":3.0,"minHeight":2,"minWidth":1,"types":["avif","png","webp"]}"#
        )
    }

    @Test(
        "names and paths are told apart, and compared with the first that has them",
        arguments: [
            (##"{"name": ""}"##, ["[0].name: is empty: name the output"]),
            (##"{"name": "a\u001f"}"##, ["[0].name: holds a control character: remove it"]),
            (##"{}, {}"##, [##"[1]: outputs[0] has the name "output" too: give each output a unique name"##]),
            (
                ##"{"name": "a"}, {"name": "b"}, {"name": "a"}, {"name": "a"}"##,
                [
                    ##"[2].name: outputs[0] has the name "a" too: give each output a unique name"##,
                    ##"[3].name: outputs[0] has the name "a" too: give each output a unique name"##,
                ]
            ),
            (
                ##"{"name": "a", "path": "x"}, {"name": "b", "path": "y"}, {"name": "c", "path": "x"}"##,
                ["[2].path: writes the same files as outputs[0]: add {output} to the path"]
            ),
            (
                ##"{"name": "a", "path": "{name}.{ext}", "format": "jpeg"}, {"name": "b", "path": "a.jpg"}"##,
                ["[1].path: writes the same files as outputs[0]: add {output} to the path"]
            ),
            (##"{"name": "a", "path": "x.{ext}", "format": "png"}, {"name": "b", "path": "x.{ext}"}"##, []),
            (##"{"name": "a b"}, {"name": "a_b"}"##, ["[1]: writes the same files as outputs[0]"]),
            (
                ##"{"name": "a", "path": "{width}.{ext}", "format": "png"}, {"name": "b", "path": "{width}.png"}"##,
                []
            ),
            (##"{"name": "a", "path": "{hash}-{height}"}, {"name": "b", "path": "{hash}-{height}"}"##, []),
            (
                ##"{"name": "a", "path": "x.{ext}"}, {"name": "b", "path": "x.{ext}", "format": "original"}"##,
                []
            ),
            (
                ##"{"name": "a", "path": "{hash}.{ext}"}, {"name": "b", "path": "{hash}.{ext}"}"##,
                ["[1].path: writes the same files as outputs[0]: add {output} to the path"]
            ),
            (##"{"name": "a"}, {"name": "A"}"##, []), (##"{"path": 5}"##, ["[0].path: should be a string"]),
        ]
    )
    func same(outputs: String, expected: [String]) throws {
        let errors = try ManifestFolder().errors(manifest(outputs))
        #expect(errors.count == expected.count, "\(errors)")
        for (error, words) in zip(errors, expected) {
            #expect(error.contains(": outputs\(words)"), "\(error)")
        }
    }

    @Test("as many outputs as a manifest can hold are compared in no time")
    func many() throws {
        let list = (0..<20_000).map { number in ##"{"name": "\##(number)", "path": "\##(number)/{index}"}"## }
        let last = ##"{"name": "last", "path": "0/{index}"}"##
        let errors = try ManifestFolder().errors(manifest((list + [last]).joined(separator: ",\n")))
        let expected = "outputs[20000].path: writes the same files as outputs[0]"
        #expect(errors.count == 1 && errors[0].contains(expected))
    }

    @Test("the bytes of the original take no processors, but an empty list of them")
    func original() throws {
        #expect(try outputs(#"{"format": "original", "processors": []}"#).count == 1)
        let errors = try ManifestFolder().errors(
            manifest(#"{"format": {"original": {}}, "processors": [{"trim": true}]}"#)
        )
        #expect(errors.count == 1)
        #expect(errors[0].contains(#": outputs[0].processors: "original" copies the bytes"#), "\(errors)")
    }
}
