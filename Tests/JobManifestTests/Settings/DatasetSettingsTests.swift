import JobFixtures
import JobManifest
import Testing

@Suite struct DatasetSettingsTests {
    private func manifest(_ dataset: String, outputs: String = "[{}]") -> String {
        #"{"sources": [{"urls": []}], "outputs": \#(outputs), "dataset": \#(dataset)}"#
    }

    @Test("what is left out is as the contract says")
    func defaults() throws {
        let folder = try ManifestFolder()
        let empty = try #require(try folder.read(manifest("{}")).dataset)
        #expect(
            empty.pack == nil && empty.index == nil && empty.honoursOptOut && empty.itemsPerFile == 10_000
        )
        let full = try #require(
            try folder.read(
                manifest(#"{"pack": "tar", "itemsPerFile": 5, "index": "a/b.csv", "honourOptOut": false}"#)
            ).dataset
        )
        #expect(full.pack == .tar && full.index == "a/b.csv" && !full.honoursOptOut && full.itemsPerFile == 5)
    }

    @Test(
        "what cannot be done is refused where it stands",
        arguments: [
            (#"{"pack": "zip"}"#, "dataset.pack"),
            (#"{"pack": "tar", "itemsPerFile": 0}"#, "dataset.itemsPerFile"),
            (#"{"itemsPerFile": 5}"#, "dataset.itemsPerFile"),
            (#"{"index": "../index.csv"}"#, "dataset.index"),
            (#"{"index": "a/../../index.csv"}"#, "dataset.index"),
            (#"{"index": "/index.csv"}"#, "dataset.index"),
            (#"{"index": ""}"#, "dataset.index"),
            (#"{"index": "index.txt"}"#, "dataset.index"),
            (#"{"index": ".csv"}"#, "dataset.index"),
            (#"{"honorOptOut": true}"#, "dataset.honorOptOut"),
            (#"{"deduplicate": "names"}"#, "dataset.deduplicate"),
            (#"{"deduplicate": true}"#, "dataset.deduplicate"),
            (#"{"deduplicate": "pixels"}"#, "dataset.deduplicate"),
        ]
    )
    func refused(dataset: String, path: String) throws {
        let errors = try ManifestFolder().errors(manifest(dataset))
        #expect(errors.count == 1 && errors[0].contains(": \(path): "), "\(errors)")
    }

    @Test("duplicates are found by bytes, or by the fact pdq, which the manifest has to ask for")
    func deduplication() throws {
        let folder = try ManifestFolder()
        #expect(try folder.read(manifest("{}")).dataset?.deduplication == nil)
        #expect(try folder.read(manifest(#"{"deduplicate": "bytes"}"#)).dataset?.deduplication == .bytes)
        let text = manifest(#"{"deduplicate": "pixels"}, "facts": ["pdq"]"#)
        #expect(try folder.read(text).dataset?.deduplication == .pixels)
    }

    @Test("a dataset is made of outputs, whose names stay apart in a tar file")
    func outputs() throws {
        let none = try ManifestFolder().errors(manifest(#"{"pack": "tar"}"#, outputs: "[]"))
        #expect(none.count == 1 && none[0].contains(": dataset: "), "\(none)")
        let equal = #"[{"name": "a b"}, {"name": "a_b"}]"#
        let errors = try ManifestFolder().errors(manifest(#"{"pack": "tar"}"#, outputs: equal))
        #expect(errors.count { $0.contains(": dataset.pack: ") } == 1, "\(errors)")
        let files = try ManifestFolder().errors(manifest("{}", outputs: equal))
        #expect(files.allSatisfy { !$0.contains("dataset") }, "\(files)")
    }
}
