import Imaging
import JobFixtures
import JobManifest
import Testing

/// The frames of animations in a manifest.
@Suite struct AnimationPolicyTests {
    private func manifest(_ output: String, _ rest: String = #""sources": [{"urls": []}]"#) -> String {
        #"{\#(rest), "outputs": [{\#(output)}]}"#
    }

    private func read(_ output: String) throws -> Manifest {
        try ManifestFolder().read(manifest(output))
    }

    @Test("without the key, recipes are what they were; equal effects have equal recipes")
    func recipes() throws {
        func recipe(_ animation: String) throws -> String {
            let manifest = try read(#""format": "webp"\#(animation)"#)
            return manifest.recipe(of: manifest.outputs[0], source: 0)
        }
        let plain = try recipe("")
        #expect(!plain.contains("animation"))
        #expect(try recipe(#", "animation": "first""#) == plain)
        let kept = try recipe(#", "animation": "keep""#)
        #expect(kept != plain && kept.contains(#""animation":"keep""#))
        #expect(try recipe(#", "animation": {"keep": true}"#) == kept)
        #expect(try recipe(#", "animation": {"maxPixels": "1000MP"}"#) == kept)
        let bounds = [
            "\"maxFrames\": 5", "\"maxDuration\": \"2s\"", "\"maxPixels\": 9", "\"allowLarger\": true",
        ]
        #expect(Set(try bounds.map { try recipe(#", "animation": {\#($0)}"#) } + [kept]).count == 5)
    }

    @Test("bounds are read")
    func bounds() throws {
        let output = try read(
            #""format": "gif", "animation": {"maxFrames": 7, "maxDuration": "1500ms", "maxPixels": "2MP"}"#
        ).outputs[0]
        let bounds = AnimationBounds {
            ($0.maxFrames, $0.maxDuration, $0.maxPixels) = (7, .milliseconds(1500), 2_000_000)
        }
        #expect(output.animation == .keep(bounds) && output.keptAnimation == bounds)
        #expect(output.format == .encoded(.gif()))
    }

    @Test("of several formats, those that hold frames keep them")
    func formats() throws {
        let outputs = try read(#""formats": ["jpeg", "webp", "gif", "png", "same"], "animation": "keep""#)
            .outputs
        #expect(outputs.map { $0.keptAnimation != nil } == [false, true, true, false, true])
    }

    @Test(
        "processors that follow the pixels are refused wherever they stand",
        arguments: [
            (#""sources": [{"urls": []}], "processors": [{"trim": true}]"#, "\"trim\""),
            (#""sources": [{"urls": []}, {"urls": [], "processors": [{"trim": true}]}]"#, "\"trim\""),
            (
                #""sources": [{"urls": []}], "processors": [{"crop": {"width": 2, "height": 2, "gravity": "smart"}}]"#,
                "a smart crop"
            ),
        ]
    )
    func refuses(rest: String, name: String) throws {
        let kept = #""format": "webp", "animation": "keep""#
        let errors = try ManifestFolder().errors(manifest(kept, rest))
        #expect(errors.count == 1 && errors[0].contains("cannot be kept with \(name)"), "\(errors)")
        #expect(try ManifestFolder().errors(manifest(#""format": "webp""#, rest)).isEmpty)
    }

    @Test("a floor of quality is refused in a format that holds frames, and kept in one that does not")
    func refusesFloor() throws {
        func errors(_ formats: String) throws -> [String] {
            try ManifestFolder().errors(manifest(#""formats": [\#(formats)], "animation": "keep""#))
        }
        let floor = #"{"quality": {"ssimulacra2": 70}}"#
        let refused = try errors(#"{"webp": \#(floor)}"#)
        #expect(refused.count == 1 && refused[0].contains("\"ssimulacra2\""), "\(refused)")
        #expect(try errors(#""webp", {"jpeg": \#(floor)}"#).isEmpty)
    }
}
