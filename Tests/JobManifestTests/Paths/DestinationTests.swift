import JobFixtures
@testable import JobManifest
import ObjectStorage
import Testing

/// Destinations in folders and in buckets, and the attributes of objects.
@Suite struct DestinationTests {
    private func read(_ text: String) throws -> Manifest {
        try ManifestFolder().read(#"{"sources": [{"urls": []}], \#(text)}"#, environment: ["PREFIX": "a b"])
    }

    @Test("a text is a bucket with a prefix, or a folder")
    func places() throws {
        let bucket = try read(#""destination": "s3://images/made/small/""#)
        #expect(bucket.destination.bucket == ObjectLocation(bucket: "images", key: "made/small"))
        #expect(bucket.destination.folder == nil && bucket.destinationText == "s3://images/made/small/")
        #expect(bucket.destination.appending("1.jpg") == "s3://images/made/small/1.jpg")
        let whole = try read(#""destination": "s3://images""#).destination
        #expect(whole.bucket?.key == "" && whole.appending("1.jpg") == "s3://images/1.jpg")
        let expanded = try read(#""destination": "s3://images/${PREFIX}/x?y#z""#).destination
        #expect(expanded.bucket?.key == "a b/x?y#z")
        let folder = try read(#""destination": "/made""#).destination
        #expect(
            folder == .folder("/made") && folder.bucket == nil && folder.appending("1.jpg") == "/made/1.jpg"
        )
    }

    @Test("attributes arrive, and shape the recipe only where there are any")
    func attributes() throws {
        let output = #""destination": "s3://b/x", "outputs": [{"name": "a", "format": "webp""#
        let plain = try read(output + "}]")
        let empty = try read(output + #", "object": {}}]"#)
        let own = try read(
            output
                + #", "object": {"cacheControl": "no-store", "storageClass": "GLACIER", "metadata": {"Two": "2"}}}]"#
        )
        #expect(
            plain.recipe(of: plain.outputs[0], source: 0) == empty.recipe(of: empty.outputs[0], source: 0)
        )
        #expect(plain.recipe(of: plain.outputs[0], source: 0) != own.recipe(of: own.outputs[0], source: 0))
        let attributes = own.outputs[0].object.attributes(of: "image/webp")
        let expected = ObjectAttributes(
            contentType: "image/webp",
            cacheControl: "no-store",
            storageClass: "GLACIER",
            metadata: ["two": "2"]
        )
        #expect(attributes == expected)
    }

    @Test("a program sets them, too")
    func built() throws {
        var output = ManifestOutput(name: "a", format: .same)
        output.object.contentType = "image/x"
        output.object.metadata = ["one": "1"]
        let json = try #require(output.json.text.contains(#""contentType":"image/x""#) ? output.json : nil)
        #expect(json.text.contains(#""one":"1""#))
    }

    @Test(
        "what no object can have is an error at its place",
        arguments: [
            (#""cacheControl": """#, "cacheControl: should be printable ASCII"),
            (#""contentType": "bild/jpég""#, "contentType: should be printable ASCII"),
            (#""metadata": {"x-amz-meta-a": "b"}"#, "leave out the prefix"),
            (#""metadata": {"a": "grün"}"#, "write printable ASCII"),
            (#""metadata": {"A": "1", "a": "2"}"#, "duplicate header"),
            (#""cache-control": "x""#, "did you mean"),
        ]
    )
    func refused(object: String, words: String) throws {
        let errors = try ManifestFolder().errors(
            #"{"sources": [{"urls": []}], "destination": "s3://b/x", "outputs": [{"object": {\#(object)}}]}"#
        )
        #expect(errors.contains { $0.contains(words) }, "\(errors)")
    }

    @Test("attributes need objects of their own: not a folder, not members of tar files")
    func misplaced() throws {
        let output = #""outputs": [{"object": {"cacheControl": "no-store"}}]"#
        let folder = try ManifestFolder().errors(#"{"sources": [{"urls": []}], \#(output)}"#)
        #expect(folder.contains { $0.contains("is for a destination s3://") }, "\(folder)")
        let packed = try ManifestFolder().errors(
            #"{"sources": [{"urls": []}], \#(output), "destination": "s3://b", "dataset": {"pack": "tar"}}"#
        )
        #expect(packed.contains { $0.contains("needs objects of their own") }, "\(packed)")
    }

    @Test("metadata has a limit")
    func metadataLimit() throws {
        let long = String(repeating: "x", count: 2100)
        let errors = try ManifestFolder().errors(
            #"{"sources": [{"urls": []}], "destination": "s3://b", "outputs": [{"object": {"metadata": {"a": "\#(long)"}}}]}"#
        )
        #expect(errors.contains { $0.contains("has 2101 bytes") }, "\(errors)")
    }
}
