import JobFixtures
import JobManifest
import JobPlanning
import Testing

@Suite struct FactTests {
    private func errors(_ facts: String) throws -> [String] {
        try ManifestFolder().errors(#"{"sources": [{"urls": []}], "facts": \#(facts)}"#)
    }

    @Test("all facts of the contract can be asked for, none of them by default")
    func names() throws {
        let folder = try ManifestFolder()
        let all =
            #"["size", "format", "orientation", "exif", "location", "dominantColor", "blurHash", "thumbHash", "placeholder", "pdq", "animation", "gainMap", "warnings"]"#
        let manifest = try folder.read(#"{"sources": [{"urls": []}], "facts": \#(all)}"#)
        #expect(manifest.facts == Fact.allCases && manifest.facts.count == 13)
        #expect(try folder.read(#"{"sources": [{"urls": []}], "facts": []}"#).facts.isEmpty)
        #expect(try folder.read(#"{"sources": [{"urls": []}]}"#).facts.isEmpty)
    }

    @Test("an unknown or repeated fact is an error at its place, with the nearest name")
    func wrong() throws {
        let unknown = try errors(#"["size", "blurhash"]"#)
        #expect(unknown.count == 1)
        #expect(unknown[0].hasPrefix("1:47: facts[1]: \"blurhash\" is none of \"animation\", "), "\(unknown)")
        #expect(unknown[0].hasSuffix("; did you mean \"blurHash\"?"))
        let repeated = try errors(#"["size", "exif", "size"]"#)
        #expect(
            repeated == ["1:55: facts[2]: \"size\" is a duplicate: remove it"],
            "\(repeated)"
        )
        #expect(
            try errors(#""size""#) == [
                #"1:38: facts: should be an array, not a string: write it in brackets, "facts": [ … ]"#
            ]
        )
        #expect(try errors("[7]") == ["1:39: facts[0]: should be a string, not a number"])
    }

    @Test("warming makes no facts, as it makes no outputs")
    func warming() throws {
        let manifest = try ManifestFolder().read(#"{"sources": [{"urls": []}], "facts": ["size"]}"#)
        var options = RunOptions()
        #expect(try options.applied(to: manifest).facts == [.size])
        options.isWarming = true
        #expect(try options.applied(to: manifest).facts.isEmpty)
    }

    @Test("a table has a column a value")
    func columns() {
        let columns = Fact.allCases.flatMap(\.columns)
        #expect(columns.count == Set(columns).count && columns.count == 30)
        #expect(Fact.size.columns == ["size.width", "size.height"] && Fact.blurHash.columns == ["blurHash"])
    }
}
