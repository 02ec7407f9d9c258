import Imaging
import JobFixtures
@testable import JobManifest
import Testing

/// The classes of metadata in a manifest.
@Suite struct MetadataChoiceTests {
    private static let classes = MetadataClass.allCases

    private func manifest(_ members: String) -> String {
        #"{"sources": [{"urls": []}], "outputs": [{\#(members)}]}"#
    }

    private func outputs(_ members: String) throws -> [Output] {
        try ManifestFolder().read(manifest(members)).outputs
    }

    /// The array of the classes whose bits are set, as a key.
    private func list(_ name: String, _ bits: Int) -> [String: CanonicalJSON] {
        let chosen = Self.classes.enumerated().filter { bits >> $0.offset & 1 == 1 }
        return bits == 0 ? [:] : [name: .array(chosen.map { .string($0.element.rawValue) })]
    }

    @Test("each of the 16,383 objects keeps what keep names without what drop names, or is refused")
    func combinations() {
        let kind = KeyKind<MetadataPolicy>.metadata
        let all = (1 << Self.classes.count) - 1
        var (read, refused) = (0, 0)
        for keep in 0...all {
            for drop in 0...all where keep + drop > 0 {
                let object = CanonicalJSON.object(list("keep", keep).merging(list("drop", drop)) { $1 })
                let kept = (keep == 0 ? all : keep) & ~drop
                let expected = Set(
                    Self.classes.enumerated().filter { kept >> $0.offset & 1 == 1 }.map(\.element)
                )
                let value = kind.value(of: object)
                if kept == 0 { refused += 1 } else { read += 1 }
                guard value != (kept == 0 ? nil : .only(expected)) else { continue }
                Issue.record("\(object.text): \(String(describing: value))")
            }
        }
        // 3^7 pairs have all of `keep` in `drop`, but 2^7 of them no `keep`; one `drop` alone leaves nothing.
        #expect(read == 14_323 && refused == 2_060)
    }

    @Test(
        "equal effects have equal recipes, and those of the words are what they were",
        arguments: [
            (#""strip""#, #""strip""#), (#""keep""#, #""keep""#), (#""copyright""#, #""copyright""#),
            (#"{"keep": ["rights"]}"#, #""copyright""#),
            (#"{"keep": ["date", "rights", "date"], "drop": ["date", "location"]}"#, #""copyright""#),
            (#"{"keep": ["rights", "date"]}"#, #"{"keep":["date","rights"]}"#),
            (
                #"{"drop": ["location"]}"#,
                #"{"keep":["camera","date","description","identifiers","people","rights"]}"#
            ),
        ]
    )
    func recipes(value: String, recipe: String) throws {
        let output = try #require(try outputs(#""metadata": \#(value)"#).first)
        #expect(output.recipe([], destination: "out")["metadata"]?.text == recipe)
        // What a program writes has the same effect.
        var written = ManifestOutput()
        written.metadata = output.metadata
        let members =
            if case .object(let members) = written.json { members } else { [:] as [String: CanonicalJSON] }
        let text = try #require(members["metadata"]?.text)
        #expect(try outputs(#""metadata": \#(text)"#).first?.metadata == output.metadata)
    }

    @Test(
        "what makes no sense is refused with its place and a remedy",
        arguments: [
            (#""metadata": {}"#, #".metadata: "keep" or "drop" is missing: add it"#),
            (#""metadata": {"keep": []}"#, ".metadata.keep: is empty: name at least one class"),
            (#""metadata": {"drop": []}"#, ".metadata.drop: is empty: name at least one class"),
            (#""metadata": {"keep": ["date"], "drop": ["date"]}"#, ".metadata.drop: leaves no class"),
            (#""metadata": {"keep": ["gps"]}"#, #"did you mean "location"?"#),
            (
                #""metadata": {"keep": ["bogus"], "drop": ["date"]}"#,
                #".metadata.keep[0]: "bogus" is none of"#
            ),
            (#""metadata": ["rights"]"#, #".metadata: should be "strip", "keep", "copyright", or an object"#),
            (#""metadata": "rights""#, #"did you mean "copyright"?"#),
            (#""format": "original", "metadata": {"drop": ["location"]}"#, ".metadata: \"original\" copies"),
            (
                #""formats": ["webp", "original"], "metadata": {"drop": ["location"]}"#,
                ".metadata: \"original\" copies"
            ),
        ]
    )
    func refusals(members: String, message: String) throws {
        let errors = try ManifestFolder().errors(manifest(members))
        #expect(errors.count == 1 && errors.allSatisfy { $0.contains(message) }, "\(errors)")
    }

    @Test("another word for a key is an unknown key, with the key that it stands for")
    func synonyms() throws {
        let errors = try ManifestFolder().errors(manifest(#""metadata": {"remove": ["date"]}"#))
        #expect(errors.count == 2 && errors[0].contains(#""keep" or "drop" is missing"#), "\(errors)")
        #expect(
            errors.last?.contains(#".metadata.remove: unknown key; did you mean "drop"?"#) == true,
            "\(errors)"
        )
    }
}
