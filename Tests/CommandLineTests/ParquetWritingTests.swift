import Foundation
import TestSupport
import Testing

/// Parquet files that are written: exports, indexes and shards with the images in them.
@Suite(.timeLimit(.minutes(10))) struct ParquetWritingTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
        for number in 0..<7 {
            try job.folder.write(try TestImages.tiny(number * 30), to: "photos/\(number).png")
        }
        let rows = (0..<7).map { "photos/\($0).png,sku-\($0),\"red, \($0)\"" }
        try job.folder.write((["url,id,colour"] + rows).joined(separator: "\n") + "\n", to: "list.csv")
    }

    private func write(_ dataset: String?, outputs: String = #"{"name": "small", "format": "png"}"#) throws {
        let dataset = dataset.map { #", "dataset": \#($0)"# } ?? ""
        try job.write(
            #""sources": [{"list": "list.csv"}], "facts": ["size"], "outputs": [\#(outputs)]\#(dataset)"#
        )
    }

    private func nukeBatch(_ words: String...) async throws -> Program.Outcome {
        let environment = ParquetInstallation.environment
        return try await Program.run("nuke-batch", words, in: job.folder.path, environment: environment)
    }

    /// The lines that a script of Python prints, with the files of `names` read as tables `t`.
    private func told(_ script: String, _ names: String...) async throws -> [String] {
        let reading = "t = [pq.read_table(name) for name in sys.argv[1:]]\n"
        let outcome = try await ParquetInstallation.run(reading + script, names, in: job.folder.path)
        try #require(outcome.exit == 0, "\(outcome.errors)")
        return outcome.lines
    }

    @Test("export writes the columns of the CSV with their types, and the same values")
    func export() async throws {
        try write(nil)
        #expect(try await nukeBatch("run", "job.json").exit == 0)
        let csv = try await nukeBatch("export", "job.json")
        try job.folder.write(csv.output, to: "export.csv")
        let outcome = try await nukeBatch("export", "job.json", "--parquet", "export.parquet")
        #expect(outcome.exit == 0 && outcome.output.isEmpty, "\(outcome.output)\(outcome.errors)")
        let lines = try await told(
            """
            import csv
            rows = list(csv.DictReader(open("export.csv", newline="")))
            assert t[0].schema.names == list(rows[0]), t[0].schema
            types = {field.name: str(field.type) for field in t[0].schema}
            assert types["index"] == types["outputs.small.bytes"] == types["facts.size.width"] == "int64"
            assert types["updated"] == types["last.started"] == "timestamp[ms, tz=UTC]" and types["url"] == "string"
            def text(value):
                if value is None: return ""
                return value if isinstance(value, str) else str(value) if isinstance(value, int) \\
                    else value.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (value.microsecond // 1000)
            for row, read in zip(rows, t[0].to_pylist()):
                assert row == {name: text(value) for name, value in read.items()}, (row, read)
            print(len(rows), t[0].num_rows)
            """,
            "export.parquet"
        )
        #expect(lines == ["7 7"])
        let both = try await nukeBatch("export", "job.json", "--json", "--parquet", "x.parquet")
        #expect(both.exit == 64 || both.exit == 2, "\(both.errors)")
        #expect(both.errors.contains("either --parquet or --json"))
        let nowhere = try await nukeBatch("export", "job.json", "--parquet", "no/x.parquet")
        #expect(nowhere.exit != 0 && nowhere.errors.contains("no"), "\(nowhere.errors)")
        #expect(!job.files(in: "").contains { $0.hasSuffix(".part") })
    }

    @Test("an index in Parquet has the rows of the one in CSV")
    func index() async throws {
        try write(#"{"index": "lists/index.csv"}"#)
        #expect(try await nukeBatch("run", "job.json").exit == 0)
        try write(#"{"index": "lists/index.parquet"}"#)
        let run = try await nukeBatch("run", "job.json")
        #expect(run.exit == 0, "\(run.output)\(run.errors)")
        let lines = try await told(
            """
            import csv
            rows = list(csv.reader(open("out/lists/index.csv", newline="")))
            assert t[0].schema.names == rows[0]
            for row, read in zip(rows[1:], t[0].to_pylist()):
                assert row == ["" if value is None else str(value) for value in read.values()], (row, read)
            print(len(rows) - 1, t[0].num_rows, *(str(t[0].schema.field(n).type) for n in ("item", "bytes", "columns.colour")))
            """,
            "out/lists/index.parquet"
        )
        #expect(lines == ["7 7 int64 int64 string"])
        #expect(job.files() == job.files().filter { !$0.hasSuffix(".part") })
    }

    @Test(
        "seven items in shards of three, with their images, facts and columns; verify finds what was changed"
    )
    func shards() async throws {
        try write(
            #"{"pack": "parquet", "itemsPerFile": 3, "index": "index.jsonl"}"#,
            outputs:
                #"{"name": "small", "processors": [{"resize": {"width": 2}}], "format": "jpeg"}, {"name": "web", "format": "png"}"#
        )
        let run = try await nukeBatch("run", "job.json")
        #expect(run.exit == 0 && run.output.contains("14 made"), "\(run.output)\(run.errors)")
        #expect(
            job.files()
                == (0..<3).flatMap { ["0000\($0).parquet", "0000\($0)_stats.json"] } + ["index.jsonl"]
        )
        let lines = try await told(
            """
            import hashlib
            index = {row["path"]: row for row in map(json.loads, open("out/index.jsonl"))}
            features = json.loads(t[0].schema.metadata[b"huggingface"])["info"]["features"]
            assert features["small"] == features["web"] == {"_type": "Image"}, features
            seen = []
            for name, table in zip(sys.argv[1:], t):
                for row in table.to_pylist():
                    seen.append(row["id"])
                    assert row["columns.colour"] == "red, " + row["id"][4:] and json.loads(row["facts"])["size"]["width"] > 0
                    for output in ("small", "web"):
                        told = index[os.path.basename(name) + "/" + row[output]["path"]]
                        assert told["hash"] == hashlib.sha256(row[output]["bytes"]).hexdigest() and told["offset"] is None
            print(*sorted(seen))
            """,
            "out/00000.parquet",
            "out/00001.parquet",
            "out/00002.parquet"
        )
        #expect(lines == [(0..<7).map { "sku-\($0)" }.joined(separator: " ")])
        #expect(try await nukeBatch("verify", "job.json").output == "14 outputs checked, 0 damaged\n")
        let again = try await nukeBatch("run", "job.json")
        #expect(again.output.hasPrefix("nothing to do"), "\(again.output)")

        var bytes = try job.data("out/00001.parquet")
        bytes[100] ^= 0xFF
        try job.folder.write(bytes, to: "out/00001.parquet")
        try FileManager.default.removeItem(atPath: job.folder.path("out/00002.parquet"))
        let damaged = try await nukeBatch("verify", "job.json")
        #expect(damaged.output.contains("14 outputs checked, 8 damaged"), "\(damaged.output)")
    }

    @Test("a dataset that changes from tar to Parquet is made again, and nothing of the old one is lost")
    func otherFormat() async throws {
        try write(#"{"pack": "tar", "itemsPerFile": 3}"#)
        #expect(try await nukeBatch("run", "job.json").exit == 0)
        try write(#"{"pack": "parquet", "itemsPerFile": 3}"#)
        let run = try await nukeBatch("run", "job.json")
        #expect(run.exit == 0 && run.output.contains("7 made"), "\(run.output)\(run.errors)")
        #expect(
            job.files().filter { !$0.hasSuffix("_stats.json") }
                == (0..<3).map { "0000\($0).tar" } + (3..<6).map { "0000\($0).parquet" }
        )
        #expect(try await nukeBatch("verify", "job.json").output == "7 outputs checked, 0 damaged\n")
    }

    @Test("doctor tells the versions, and names the command that installs the program")
    func doctor() async throws {
        let there = try await nukeBatch("doctor")
        #expect(there.output.contains("parquet: nuke-batch-parquet 0.2.0, pyarrow "), "\(there.output)")
        let gone = try await Program.run(
            "nuke-batch",
            ["doctor"],
            in: job.folder.path,
            environment: ["PATH": "/nowhere"]
        )
        #expect(gone.output.contains("parquet: nuke-batch-parquet is not installed"), "\(gone.output)")
        #expect(gone.output.contains("pipx install nuke-batch-parquet"))
    }
}
