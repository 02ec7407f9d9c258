import Imaging
import JobFixtures
import JobManifest
import Testing

/// The treatment of brightness above that of standard screens, in a manifest.
@Suite struct HDRHandlingTests {
    private func manifest(_ output: String) -> String {
        #"{"sources": [{"urls": []}], "outputs": [{\#(output)}]}"#
    }

    @Test("without the key, recipes are what they were; each other word has its own")
    func recipes() throws {
        func recipe(_ hdr: String) throws -> String {
            let manifest = try ManifestFolder().read(manifest(#""format": "webp"\#(hdr)"#))
            return manifest.recipe(of: manifest.outputs[0], source: 0)
        }
        let plain = try recipe("")
        #expect(!plain.contains("hdr"))
        #expect(try recipe(#", "hdr": "drop""#) == plain)
        for word in ["keep", "tonemap"] {
            let other = try recipe(#", "hdr": "\#(word)""#)
            let added = #""hdr":"\#(word)","#
            #expect(other.contains(added))
            #expect(other.replacing(added, with: "") == plain)
        }
    }

    @Test("every word is read, by each output of several formats")
    func words() throws {
        for hdr in HDRHandling.allCases {
            let text = manifest(#""formats": ["webp", "jpeg"], "hdr": "\#(hdr.rawValue)""#)
            #expect(try ManifestFolder().read(text).outputs.map(\.hdr) == [hdr, hdr])
        }
    }

    @Test(
        "what cannot be meant is refused",
        arguments: [
            (#""hdr": "sdr""#, "did you mean \"tonemap\"?"), (#""hdr": true"#, ".hdr: "),
            (#""hdr": "bright""#, ".hdr: "), (#""toneMapping": "hdr""#, "did you mean \"hdr\"?"),
            (#""format": "original", "hdr": "tonemap""#, "\"original\" copies the bytes"),
            (#""formats": ["webp", "original"], "hdr": "tonemap""#, "\"original\" copies the bytes"),
        ]
    )
    func refuses(output: String, message: String) throws {
        let errors = try ManifestFolder().errors(manifest(output))
        #expect(errors.count == 1 && errors[0].contains(message), "\(errors)")
        #expect(try ManifestFolder().errors(manifest(#""format": "original", "hdr": "keep""#)).isEmpty)
    }
}
