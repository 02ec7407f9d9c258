import JobFixtures
import Imaging
import JobManifest
import Testing

@Suite struct OutputFormatTests {
    private func output(_ format: String) throws -> Output {
        let manifest = try ManifestFolder().read(
            #"{"sources": [{"urls": []}], "outputs": [{"format": \#(format)}]}"#
        )
        return try #require(manifest.outputs.first)
    }

    private func recipe(_ format: String) throws -> String {
        let manifest = try ManifestFolder().read(
            #"{"sources": [{"urls": []}], "outputs": [{"format": \#(format)}]}"#
        )
        return manifest.recipe(of: try #require(manifest.outputs.first), source: 0)
    }

    @Test("a PNG without a palette is what it was before there were palettes")
    func palette() throws {
        #expect(
            try output(#"{"png": {"palette": true}}"#).format == .encoded(.png(PNGOptions(palette: true)))
        )
        #expect(try recipe(#"{"png": {"palette": false}}"#) == recipe(#""png""#))
        #expect(try recipe(#""png""#).contains(#""format":{"png":{"compression":4}}"#))
        #expect(
            try recipe(#"{"png": {"palette": true}}"#)
                .contains(#""format":{"png":{"compression":4,"palette":true}}"#)
        )
        let errors = try ManifestFolder().errors(
            #"{"sources": [{"urls": []}], "outputs": [{"format": {"png": {"palette": 1}}}]}"#
        )
        #expect(errors.count == 1 && errors.first?.contains("outputs[0].format.png.palette") == true)
    }

    @Test("a maximum size is part of the recipe, and without one the recipe is what it was before")
    func maxBytes() throws {
        #expect(
            try recipe(#""jpeg""#)
                .contains(#""format":{"jpeg":{"progressive":false,"quality":82,"subsampling":"4:2:0"}}"#)
        )
        #expect(
            try recipe(#""webp""#).contains(#""format":{"webp":{"effort":4,"lossless":false,"quality":80}}"#)
        )
        let recipes = try [
            #""webp""#, #"{"webp": {"maxBytes": "20kB"}}"#, #"{"webp": {"maxBytes": "21kB"}}"#,
        ]
        .map(recipe)
        #expect(Set(recipes).count == 3)
        #expect(try recipe(#"{"webp": {"maxBytes": 20000}}"#) == recipes[1])
    }

    @Test("AVIF is taken where the build has it, and else refused with the remedy")
    func avif() throws {
        guard ImageEncoder.formats.contains(.avif) else {
            let errors = try ManifestFolder().errors(
                #"{"sources": [{"urls": []}], "outputs": [{"format": "avif"}]}"#
            )
            #expect(errors.count == 1 && errors.first?.contains("build with the trait AVIF") == true)
            return
        }
        #expect(try output(#""avif""#).format == .encoded(.avif()))
        let format = try output(#"{"avif": {"quality": 45, "speed": 8}}"#).format
        #expect(format == .encoded(.avif(AVIFOptions(quality: 45, speed: 8))))
        #expect(try recipe(#""avif""#).contains(#""format":{"avif":{"quality":60,"speed":6}}"#))
        let errors = try ManifestFolder().errors(
            #"{"sources": [{"urls": []}], "outputs": [{"format": {"avif": {"quality": 101, "speed": 11, "effort": 4}}}]}"#
        )
        #expect(errors.count == 3)
    }
}
