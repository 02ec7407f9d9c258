import Foundation
import TestSupport
import Testing

/// The columns of lists in datasets: their types, and captions beside the images, through the real program.
@Suite(.timeLimit(.minutes(10))) struct DatasetColumnTests {
    private static let columns =
        #"{"big":123456789012345678901234567890,"caption":"e\u0301 \"x\"\r\ny\rz","list":[1.50,{"z":1,"a":null}],"n":9223372036854775807,"none":null,"ok":true,"score":0.0001}"#
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
        for number in 0..<3 {
            try job.folder.write(try TestImages.tiny(number * 30), to: "photos/\(number).png")
        }
        let rows = [
            String(Self.columns.dropFirst().dropLast()),
            #""big":1,"caption":"","list":[],"n":-1,"none":null,"ok":false,"score":5.0"#,
            #""caption":null,"list":null,"n":null,"ok":null,"score":3"#,
        ]
        let lines = rows.enumerated().map { #"{"url":"photos/\#($0).png",\#($1)}"# }
        try job.folder.write(lines.joined(separator: "\n") + "\n", to: "list.jsonl")
    }

    private func write(
        _ dataset: String,
        source: String = #""list": "list.jsonl", "columns": {"url": "url"}"#
    )
        throws
    {
        try job.write(
            #""sources": [{\#(source)}], "outputs": [{"format": "jpeg"}], "dataset": \#(dataset)"#
        )
    }

    private func run() async throws {
        try await job.run(environment: ParquetInstallation.environment)
    }

    /// The lines that a script of Python prints.
    private func told(_ script: String, _ arguments: String...) async throws -> [String] {
        let outcome = try await ParquetInstallation.run(script, arguments, in: job.folder.path)
        try #require(outcome.exit == 0, "\(outcome.errors)")
        return outcome.lines
    }

    /// The names and texts of the members of a shard that are no images, as lines of JSON.
    private static let members = """
        import tarfile
        for path in sys.argv[1:]:
            for m in (archive := tarfile.open(path)):
                if not m.name.endswith(".jpg"):
                    print(json.dumps([m.name, archive.extractfile(m).read().decode()]))
        """

    private func members(_ path: String) async throws -> [String: String] {
        let lines = try await told(Self.members, path)
        let pairs = try lines.map { try JSONDecoder().decode([String].self, from: Data($0.utf8)) }
        return Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) })
    }

    @Test("JSON Lines keep their types, and the caption is KEY.txt, empty where there is none")
    func tar() async throws {
        try write(#"{"pack": "tar", "caption": "caption", "index": "index.jsonl"}"#)
        try await run()
        let members = try await members("out/00000.tar")
        let texts = members.filter { $0.key.hasSuffix(".txt") }
        let accent = "e\u{301} \"x\"\ny\nz"
        #expect(
            texts.count == 3 && texts.keys.allSatisfy { members[$0.replacing(".txt", with: ".json")] != nil }
        )
        #expect(
            texts.values.map { Array($0.utf8) }.sorted { $0.count < $1.count } == [
                [], [], Array(accent.utf8),
            ]
        )
        let stored = Self.columns.replacing("e\\u0301", with: "e\u{301}")
        let index = String(decoding: try job.data("out/index.jsonl"), as: UTF8.self)
        for text in [members.values.first { $0.contains("photos/0.png") } ?? "", index] {
            #expect(text.utf8.firstRange(of: #""columns":\#(stored)"#.utf8) != nil, "\(text)")
        }
        #expect(index.contains(#""columns":{"caption":null,"list":null,"n":null,"ok":null,"score":3}"#))
        let verified = try await job.nukeBatch("verify", "job.json")
        #expect(verified.output == "3 outputs checked, 0 damaged\n", "\(verified.output)")
    }

    @Test("another caption packs the items again; what is in the list has no effect on that")
    func changedCaption() async throws {
        try write(#"{"pack": "tar", "caption": "caption"}"#)
        try await run()
        let again = try await job.run()
        #expect(again.output.hasPrefix("nothing to do"), "\(again.output)")
        try write(#"{"pack": "tar", "caption": ["caption", "n"]}"#)
        let packed = try await job.run()
        #expect(packed.output.contains("3 made"), "\(packed.output)")
        let members = try await members("out/00001.tar")
        #expect(members.keys.count { $0.hasSuffix(".caption.txt") } == 3)
        let numbers = members.filter { $0.key.hasSuffix(".n.txt") }.values.sorted()
        #expect(numbers == ["", "-1", "9223372036854775807"])
    }

    @Test("beside several outputs, whatever their names, there is one caption; cells of CSV are strings")
    func severalOutputs() async throws {
        try job.folder.write("url,caption,n\nphotos/0.png,\"a, b\",7\nphotos/1.png,,null\n", to: "list.csv")
        try job.write(
            #"""
            "sources": [{"list": "list.csv"}], "dataset": {"pack": "tar", "caption": "caption"},
            "outputs": [{"name": "small", "format": "jpeg"}, {"name": "txt", "format": "png"}]
            """#
        )
        try await run()
        let read = try await ReadShards(job.folder.path("out"))
        #expect(read.members.count == 8)
        for (key, members) in Dictionary(grouping: read.members, by: \.key) {
            #expect(members.map(\.name) == ["small.jpg", "txt.png", "txt", "json"].map { "\(key).\($0)" })
            let told = try #require(members.last?.text)
            let isFirst = told.contains("photos/0.png")
            let columns = isFirst ? #"{"caption":"a, b","n":"7"}"# : #"{"caption":"","n":"null"}"#
            #expect(members[2].text == (isFirst ? "a, b" : "") && told.contains(#""columns":\#(columns)"#))
        }
    }

    @Test("a caption that no source has is refused; one that a row lacks is empty")
    func unknownCaption() async throws {
        try job.folder.write("url,text\nphotos/0.png,a\n", to: "list.csv")
        try write(#"{"pack": "tar", "caption": "txet"}"#, source: #""list": "list.csv""#)
        let refused = try await job.nukeBatch("run", "job.json")
        #expect(refused.exit == 2 && refused.errors.contains("dataset.caption"), "\(refused.errors)")
        #expect(refused.errors.contains("did you mean \"text\"?"), "\(refused.errors)")
        try write(#"{"pack": "tar", "caption": "missing"}"#)
        try await run()
        let members = try await members("out/00000.tar")
        #expect(members.filter { $0.key.hasSuffix(".txt") }.values.sorted() == ["", "", ""])
    }

    @Test(
        "in Parquet, columns have the types of their values: in the index, and in shards",
        arguments: [#"{"index": "0.parquet"}"#, #"{"pack": "parquet", "caption": "caption"}"#]
    )
    func parquet(dataset: String) async throws {
        try write(dataset)
        try await run()
        let lines = try await told(
            """
            [path] = [os.path.join("out", name) for name in os.listdir("out") if name.endswith(".parquet")]
            table = pq.read_table(path)
            print(*(f"{f.name[8:]}:{f.type}" for f in table.schema if f.name.startswith("columns.")))
            for row in sorted(table.to_pylist(), key=lambda row: row["url"]):
                print(json.dumps([value for name, value in row.items() if name.startswith("columns.")]))
            """
        )
        #expect(
            lines == [
                "big:string caption:string list:string n:int64 none:string ok:bool score:double",
                #"["123456789012345678901234567890", "e\u0301 \"x\"\r\ny\rz", "[1.50,{\"z\":1,\"a\":null}]", "#
                    + #"9223372036854775807, null, true, 0.0001]"#,
                #"["1", "", "[]", -1, null, false, 5.0]"#, "[null, null, null, null, null, null, 3.0]",
            ]
        )
    }

    @Test(
        "a list in Parquet keeps its types: in shards, in the index, and in a second index of what a run has stored"
    )
    func parquetList() async throws {
        _ = try await told(
            """
            table = pa.table({
                "url": ["photos/0.png", "photos/1.png", "photos/2.png"], "caption": ["a", "", None],
                "n": pa.array([2 ** 63 - 1, None, -1]), "score": pa.array([1.0, None, float("nan")]),
                "small": pa.array([0.1, 1e-5, None], pa.float32()), "ok": [True, None, False],
                "list": [[1.5, None], None, []], "seven": ["7", "07", "1e3"],
            })
            pq.write_table(table, "list.parquet")
            """
        )
        try write(
            #"{"pack": "tar", "caption": "caption", "index": "index.jsonl"}"#,
            source: #""list": "list.parquet""#
        )
        try await run()
        let expected = [
            #"{"caption":"a","list":[1.5,null],"n":9223372036854775807,"ok":true,"score":1.0,"seven":"7","small":0.1}"#,
            #"{"caption":"","list":null,"n":null,"ok":null,"score":null,"seven":"07","small":1e-05}"#,
            #"{"caption":null,"list":[],"n":-1,"ok":false,"score":null,"seven":"1e3","small":null}"#,
        ]
        let members = try await members("out/00000.tar")
        let index = String(decoding: try job.data("out/index.jsonl"), as: UTF8.self).split(separator: "\n")
        for (number, columns) in expected.enumerated() {
            #expect(index[number].contains(#""columns":\#(columns)"#), "\(index[number])")
            let item = members.values.first { $0.contains("photos/\(number).png") }
            #expect(item?.contains(#""columns":\#(columns)"#) == true, "\(item ?? "")")
        }
        try write(
            #"{"pack": "tar", "caption": "caption", "index": "index.parquet"}"#,
            source: #""list": "list.parquet""#
        )
        try await run()
        let types = try await told(
            #"print(*(f"{f.name[8:]}:{f.type}" for f in pq.read_schema("out/index.parquet") if f.name.startswith("columns.")))"#
        )
        #expect(
            types == ["caption:string list:string n:int64 ok:bool score:double seven:string small:double"]
        )
    }

    @Test("whole numbers of Parquet have no point in paths, in planning and in a later run")
    func paths() async throws {
        _ = try await told(
            #"pq.write_table(pa.table({"url": ["photos/0.png", "photos/1.png"], "sku": [7.0, 0.5]}), "list.parquet")"#
        )
        let manifest =
            #""sources": [{"list": "list.parquet"}], "outputs": [{"format": "png", "path": "{sku}.{ext}"}]"#
        for dataset in ["", #", "dataset": {"index": "index.jsonl"}"#] {
            try job.write(manifest + dataset)
            try await run()
            #expect(job.files().filter { $0.hasSuffix(".png") }.sorted() == ["0.5.png", "7.png"])
        }
    }
}
