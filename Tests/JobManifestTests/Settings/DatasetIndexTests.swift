@testable import JobManifest
import Testing

@Suite struct DatasetIndexTests {
    private func read(_ dataset: String) throws -> (settings: DatasetSettings?, errors: [String]) {
        let reading = try NodeReading(dataset)
        let outputs = Output.list(try NodeReading(#"[{"name": "a", "format": "jpeg"}]"#).node).flatMap(
            \.outputs
        )
        let settings = DatasetSettings(reading.node, of: outputs, facts: [], from: [])
        return (settings, reading.errors)
    }

    @Test(
        "an index is a file of a known format below the destination",
        arguments: [
            ("index.csv", true), ("index.jsonl", true), ("a/b.c/d.csv", true), ("a..csv", true),
            ("csv", false), ("a.CSV", false), ("a.json", false), (".csv", false), ("a/.jsonl", false),
            ("a//b.csv", false), ("../\u{301}a.csv", false), ("a/\u{301}b.csv", true), ("./a.csv", false),
            ("a/../b.csv", false), ("/a.csv", false),
            ("a.csv/", false), ("a\\u001f.csv", false), ("a\\u0020.csv", true),
        ]
    )
    func paths(index: String, isRight: Bool) throws {
        let (_, errors) = try read(#"{"index": "\#(index)"}"#)
        #expect(errors.isEmpty == isRight, "\(errors)")
        #expect(errors.allSatisfy { $0.hasPrefix("index: ") })
    }

    @Test(
        "the index of a part has the part's name before its extension",
        arguments: [
            ("a/b.csv", "a/b.shard-2-of-8.csv"), ("a.b/c.d.jsonl", "a.b/c.d.shard-2-of-8.jsonl"), (nil, nil),
        ] as [(String?, String?)]
    )
    func index(written: String?, expected: String?) throws {
        let member = written.map { #""index": "\#($0)""# } ?? ""
        var settings = try #require(try read("{\(member)}").settings)
        settings.nameIndex(of: try #require(Partition("2/8")))
        #expect(settings.index == expected)
    }
}
