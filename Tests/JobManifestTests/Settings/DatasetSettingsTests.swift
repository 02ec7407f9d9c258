import JobFixtures
import JobManifest
import Testing

@Suite struct DatasetSettingsTests {
    private func manifest(_ dataset: String, outputs: String = "[{}]") -> String {
        let vars = #"{"colour": "red", "a b": "", "a_b": "", "A_b": ""}"#
        return
            #"{"sources": [{"urls": [], "vars": \#(vars)}], "outputs": \#(outputs), "dataset": \#(dataset)}"#
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
            (#"{"index": "index.csv", "caption": "colour"}"#, "dataset.caption"),
            (#"{"pack": "tar", "caption": ""}"#, "dataset.caption"),
            (#"{"pack": "tar", "caption": 5}"#, "dataset.caption"),
            (#"{"pack": "tar", "caption": []}"#, "dataset.caption"),
            (#"{"pack": "tar", "caption": ["a b", "a_b"]}"#, "dataset.caption[1]"),
            (#"{"pack": "tar", "caption": ["colour", "a_b", "A_b"]}"#, "dataset.caption[2]"),
            (#"{"deduplicate": "names"}"#, "dataset.deduplicate"),
            (#"{"deduplicate": true}"#, "dataset.deduplicate"),
            (#"{"deduplicate": "pixels"}"#, "dataset.deduplicate"),
        ]
    )
    func refused(dataset: String, path: String) throws {
        let errors = try ManifestFolder().errors(manifest(dataset))
        #expect(errors.count == 1 && errors[0].contains(": \(path): "), "\(errors)")
    }

    @Test("one caption is KEY.txt, each of several KEY.COLUMN.txt; a column that no source has is refused")
    func captions() throws {
        let folder = try ManifestFolder()
        let one = try folder.read(manifest(#"{"pack": "tar", "caption": "colour"}"#))
        #expect(one.dataset?.captions == [DatasetCaption(column: "colour")])
        let several = try folder.read(manifest(#"{"pack": "tar", "caption": ["colour", "a b"]}"#))
        #expect(
            several.dataset?.captions
                == ["colour", "a b"].map { DatasetCaption(column: $0, isOneOfSeveral: true) }
        )
        let recipes = try [one, several, folder.read(manifest(#"{"pack": "tar"}"#))].map { manifest in
            manifest.recipe(of: try #require(manifest.outputs.first), source: 0)
        }
        #expect(Set(recipes).count == 3)
        let errors = try folder.errors(manifest(#"{"pack": "tar", "caption": "color"}"#))
        #expect(errors.count == 1 && errors[0].contains("did you mean \"colour\""), "\(errors)")
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
        // webdataset reads the ends of names without their case.
        let capitals = #"[{"name": "Small"}, {"name": "small"}]"#
        let inCapitals = try ManifestFolder().errors(manifest(#"{"pack": "tar"}"#, outputs: capitals))
        #expect(inCapitals.count { $0.contains(": dataset.pack: ") } == 1, "\(inCapitals)")
        let rows = try ManifestFolder().errors(manifest(#"{"pack": "parquet"}"#, outputs: capitals))
        #expect(rows.allSatisfy { !$0.contains("two outputs have the same name in a shard") }, "\(rows)")
        let files = try ManifestFolder().errors(manifest("{}", outputs: equal))
        #expect(files.allSatisfy { !$0.contains("dataset") }, "\(files)")
    }
}
