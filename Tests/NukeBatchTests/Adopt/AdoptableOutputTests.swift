import Imaging
import JobFixtures
import JobManifest
import JobPlanning
import Testing

@testable import NukeBatch

/// The files that an output may be adopted from.
@Suite struct AdoptableOutputTests {
    private func places(_ format: String) throws -> [(path: String, formats: [ImageFormat])] {
        let folder = try ManifestFolder()
        let manifest = try folder.read(
            #"{"sources": [{"urls": ["http://a.example/1.x"]}], "outputs": [{"format": \#(format), "path": "{stem}.{ext}"}]}"#
        )
        let item = try #require(try ItemReader(manifest).next())
        let output = try AdoptableOutput(manifest.outputs[0], source: 0, of: manifest, acceptsSmaller: false)
        return output.places(of: item)
    }

    @Test("the format of the original is one of those that this build writes originals in again")
    func same() throws {
        let written: [ImageFormat] =
            [.jpeg, .png, .webp] + [.avif, .jxl].filter(ImageEncoder.formats.contains)
        let places = try places(#""same""#)
        #expect(places.map(\.path) == written.map { "1.\($0.fileExtension)" })
        #expect(places.map(\.formats) == written.map { [$0] })
    }

    @Test("another format is that alone")
    func encoded() throws {
        let places = try places(#""webp""#)
        #expect(places.map(\.path) == ["1.webp"] && places[0].formats == [.webp])
    }
}
