import Foundation
import TestSupport
import Testing

/// Lists in Parquet: rows, chosen columns, globs of part files, and every way in which reading one can fail.
@Suite(.timeLimit(.minutes(10))) struct ParquetListTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
        for (number, name) in ["astronaut.png", "coffee.png", "rocket.jpg"].enumerated() {
            try job.folder.write(try Repository.photo(name), to: "photos/\(number)")
        }
    }

    /// Writes `name` with the rows that the Python expression `columns` has.
    private func table(_ columns: String, to name: String = "list.parquet", options: String = "") async throws
    {
        let script = "pq.write_table(pa.table(\(columns)), sys.argv[1]\(options))"
        let done = try await ParquetInstallation.run(script, [name], in: job.folder.path)
        try #require(done.exit == 0, "\(done.errors)")
    }

    private func write(
        _ list: String = "list.parquet",
        _ more: String = "",
        path: String = "{id}.{ext}"
    ) throws {
        try job.write(
            """
            "sources": [{"list": "\(list)"\(more)}],
            "outputs": [{"processors": [{"resize": {"width": 8}}], "format": "png", "path": "\(path)"}]
            """
        )
    }

    private func nukeBatch(_ words: String..., environment: [String: String] = [:]) async throws
        -> Program.Outcome
    {
        let environment = ParquetInstallation.environment.merging(environment) { $1 }
        return try await Program.run("nuke-batch", words, in: job.folder.path, environment: environment)
    }

    /// Everything that a command says: `validate` tells errors on standard output.
    private func said(_ outcome: Program.Outcome) -> String { outcome.output + outcome.errors }

    private func rows(_ outcome: Program.Outcome) throws -> [[String: Any]] {
        try ToldJob.objects(outcome)
    }

    @Test(
        "items have the list's ids and variables; a row without a URL fails under its number, and none is lost"
    )
    func items() async throws {
        try await table(
            """
            {"image_url": ["photos/0", None, "photos/1", "", "photos/2"], "sku": [7, 8, 9, 10, 11],
             "title": ["red, \\"new\\"\\nline", "b", None, "d", "e"], "prio": ["high", None, None, None, "low"]}
            """
        )
        let columns = #", "columns": {"url": "image_url", "id": "sku", "priority": "prio"}"#
        try write("list.parquet", columns, path: "{title}-{id}.{ext}")
        let run = try await nukeBatch("run", "job.json")
        #expect(run.exit == 1 && run.output.contains("3 made, 2 failed"), "\(run.output)\(run.errors)")
        #expect(job.files() == ["-9.png", "e-11.png", "red___new__line-7.png"])
        let items = try rows(try await nukeBatch("export", "job.json", "--json"))
        #expect(items.map { $0["location"] as? String } == (1...5).map { "list.parquet:\($0)" })
        #expect(items.map { $0["priority"] as? String } == ["high", "normal", "normal", "normal", "low"])
        #expect(items.map { $0["error"] as? String } == [nil, "bad_url", nil, "bad_url", nil])
    }

    @Test("a list with one column keeps the rows that have nothing in it")
    func oneColumn() async throws {
        try await table(#"{"url": ["photos/0", None, "photos/1"]}"#)
        try write(path: "{index}.{ext}")
        let plan = try await nukeBatch("plan", "job.json")
        #expect(plan.lines.first == "3 items", "\(plan.output)\(plan.errors)")
    }

    @Test("only the columns that the manifest uses are read, and all of them for a dataset")
    func columns() async throws {
        // Reading `broken` as text would take the most memory, and its page is damaged.
        try await table(
            #"{"url": ["photos/0"], "id": ["a"], "broken": ["x" * 1000]}"#,
            options:
                ", compression='none', use_dictionary=False, write_statistics=False, write_page_checksum=True"
        )
        var bytes = try job.data("list.parquet")
        let place = try #require(bytes.firstRange(of: Data("xxxxxxxx".utf8)))
        bytes[place.lowerBound] = UInt8(ascii: "y")
        try job.folder.write(bytes, to: "list.parquet")
        try write()
        let run = try await nukeBatch("run", "job.json")
        #expect(run.exit == 0, "\(run.output)\(run.errors)")
        for use in [#""dataset": {"index": "index.jsonl"}"#, #""facts": []"#] {
            try job.write(
                """
                "sources": [{"list": "list.parquet"}], \(use),
                "outputs": [{"format": "png", "path": "\(use.contains("facts") ? "{broken}" : "a").{ext}"}]
                """
            )
            let plan = try await nukeBatch("plan", "job.json")
            #expect(plan.exit == 2, "\(plan.output)\(plan.errors)")
            #expect(plan.errors.contains("list.parquet: the Parquet data is damaged"), "\(plan.errors)")
        }
    }

    @Test("part files of a glob are read in the order of their names; a changed part is a changed list")
    func globs() async throws {
        for (number, name) in ["b", "a", "c"].enumerated() {
            try await table(
                #"{"url": ["photos/\#(number)"], "id": ["\#(name)"]}"#,
                to: "train-0000\(number)-of-00003.parquet"
            )
        }
        try write("train-*-of-00003.parquet")
        let run = try await nukeBatch("run", "job.json")
        #expect(run.exit == 0 && job.files() == ["a.png", "b.png", "c.png"], "\(run.output)\(run.errors)")
        let items = try rows(try await nukeBatch("export", "job.json", "--json"))
        #expect(items.map { $0["id"] as? String } == ["b", "a", "c"])
        #expect(
            items.map { $0["location"] as? String } == (0..<3).map { "train-0000\($0)-of-00003.parquet:1" }
        )
        // Nothing is planned again: the program is not even asked for rows.
        let traced = try counting()
        let unchanged = try await nukeBatch("run", "job.json", environment: ["NUKE_BATCH_PARQUET": traced])
        try #require(unchanged.exit == 0, "\(unchanged.output)\(unchanged.errors)")
        #expect(try String(contentsOfFile: job.folder.path("calls"), encoding: .utf8) == "columns\n")
        try await table(#"{"url": ["photos/0"], "id": ["d"]}"#, to: "train-00002-of-00003.parquet")
        let again = try await nukeBatch("run", "job.json", environment: ["NUKE_BATCH_PARQUET": traced])
        #expect(again.exit == 0 && job.files().contains("d.png"), "\(again.output)\(again.errors)")
        #expect(
            try String(contentsOfFile: job.folder.path("calls"), encoding: .utf8)
                == "columns\ncolumns\nread\n"
        )
        try write("other-*.parquet")
        let none = try await nukeBatch("validate", "job.json")
        #expect(none.exit == 2 && said(none).contains("other-*.parquet: matches no file"), "\(none.errors)")
    }

    /// A program that notes its command before it does what it should.
    private func counting(_ instead: String = "") throws -> String {
        let script = """
            echo "$1" >>'\(job.folder.path("calls"))'
            \(instead)
            exec '\(ParquetInstallation.program)' "$@"
            """
        return try job.folder.program(script, to: "program")
    }

    @Test(
        "without the program, every command names the one command that installs it",
        arguments: [
            "validate", "plan", "run",
        ]
    )
    func missingProgram(command: String) async throws {
        try await table(#"{"url": ["photos/0"], "id": ["a"]}"#)
        try write()
        for (environment, told) in [
            ["NUKE_BATCH_PARQUET": "", "PATH": "/nowhere"]:
                "nuke-batch-parquet, which is not installed: run pipx install nuke-batch-parquet",
            ["NUKE_BATCH_PARQUET": "/nowhere/p"]:
                "NUKE_BATCH_PARQUET names /nowhere/p, which is no program: run pipx install",
        ] {
            let outcome = try await nukeBatch(command, "job.json", environment: environment)
            #expect(outcome.exit == 2 && said(outcome).contains(told), "\(outcome.errors)")
        }
        for dataset in [#"{"index": "index.parquet"}"#, #"{"pack": "parquet"}"#] {
            try job.write(
                """
                "sources": [{"urls": ["photos/0"]}], "outputs": [{"format": "png"}], "dataset": \(dataset)
                """
            )
            let outcome = try await nukeBatch(
                command,
                "job.json",
                environment: ["PATH": "/nowhere", "NUKE_BATCH_PARQUET": ""]
            )
            #expect(
                outcome.exit == 2 && said(outcome).contains("run pipx install nuke-batch-parquet"),
                "\(outcome.errors)"
            )
        }
        #expect(job.files().isEmpty && job.files(in: ".nuke-batch").isEmpty)
    }

    @Test("a row that is too long fails under its number, and the others are made")
    func longRow() async throws {
        try await table(
            #"{"url": ["photos/0", "photos/1", "photos/2"], "id": ["a", "b", "c"], "title": ["t", "x\"\n" * 700_000, "u"]}"#
        )
        try write(path: "{id}-{title}.{ext}")
        let run = try await nukeBatch("run", "job.json")
        #expect(run.exit == 1 && run.output.hasPrefix("2 made, 1 failed"), "\(run.output)\(run.errors)")
        #expect(job.files() == ["a-t.png", "c-u.png"])
        let failed = try await nukeBatch("items", "job.json", "--state", "failed")
        #expect(failed.output.contains("the limit is 1000000: name fewer columns"), "\(failed.output)")
    }

    @Test("a missing column, a missing file and a file cut short are named, and nothing is planned")
    func wrongFiles() async throws {
        try await table(#"{"link": ["photos/0"], "id": ["a"]}"#)
        try write()
        let column = try await nukeBatch("run", "job.json")
        #expect(column.exit == 2)
        #expect(
            column.errors.contains(#"list.parquet: has no column "url", only "id", "link""#),
            "\(column.errors)"
        )
        try write("none.parquet")
        let missing = try await nukeBatch("run", "job.json")
        #expect(missing.exit == 2 && missing.errors.contains("none.parquet: there is no such file"))
        let whole = try job.data("list.parquet")
        for length in [0, 4, whole.count / 2, whole.count - 1] {
            try job.folder.write(whole.prefix(length), to: "list.parquet")
            try write("list.parquet", #", "columns": {"url": "link"}"#)
            let cut = try await nukeBatch("run", "job.json")
            #expect(cut.exit == 2)
            #expect(
                cut.errors.contains("list.parquet: the Parquet data is damaged or truncated"),
                "\(length): \(cut.errors)"
            )
        }
        #expect(job.files().isEmpty)
    }

    @Test("a column that only a later part file lacks is named with that file")
    func missingColumnOfPart() async throws {
        try await table(#"{"url": ["photos/0"], "id": ["a"], "title": ["t"]}"#, to: "1.parquet")
        try await table(#"{"url": ["photos/1"], "id": ["b"]}"#, to: "2.parquet")
        try write("*.parquet", path: "{title}.{ext}")
        let run = try await nukeBatch("run", "job.json")
        #expect(run.exit == 2 && run.errors.contains("unknown variable {title}"), "\(run.errors)")
    }

    @Test(
        "a child that dies while it streams is an error, never the end of the list",
        arguments: [
            ("kill -9 $$", "was killed by SIGKILL"), ("kill -SEGV $$", "was ended by signal 11"),
            ("exit 0", "ended before the file did"), ("exit 9", "ended with exit code 9"),
        ]
    )
    func deadChild(end: String, told: String) async throws {
        try await table(
            #"{"url": ["photos/%d" % (n % 3) for n in range(50000)], "id": [str(n) for n in range(50000)]}"#
        )
        try write()
        // A whole number of frames comes, then the end.
        let program = try counting(
            """
            if [ "$1" = read ]; then
                '\(ParquetInstallation.program)' "$@" 2>/dev/null | head -c 200000
                \(end)
            fi
            """
        )
        let run = try await nukeBatch("run", "job.json", environment: ["NUKE_BATCH_PARQUET": program])
        #expect(run.exit == 2, "\(run.output)")
        #expect(run.errors.contains("list.parquet: nuke-batch-parquet \(told)"), "\(run.errors)")
        #expect(job.files().isEmpty)
    }

    @Test("a file that repeats one value for next to nothing is refused before it fills the disk")
    func expansion() async throws {
        try await table(
            #"{"url": pa.nulls(10_000_000, pa.string()), "id": pa.nulls(10_000_000, pa.string())}"#
        )
        try write()
        let size = try job.data("list.parquet").count
        let run = try await nukeBatch("run", "job.json")
        #expect(
            run.exit == 2 && run.errors.contains("list.parquet: has more than 8 rows for each of its bytes"),
            "\(run.errors)"
        )
        let state = try job.files(in: ".nuke-batch").reduce(0) {
            try $0 + job.data(".nuke-batch/\($1)").count
        }
        print("parquet: \(size) bytes of 10,000,000 rows left \(state) bytes of state")
        #expect(state < 64 << 20)
    }

    @Test(
        "a program that sends nothing is left alone as soon as the run has to end",
        arguments: [true, false]
    )
    func silentProgram(isTimed: Bool) async throws {
        try await table(#"{"url": ["photos/0"], "id": ["a"]}"#)
        try write()
        let program = try counting(#"[ "$1" != read ] || exec sleep 1000"#)
        let environment = ParquetInstallation.environment.merging(["NUKE_BATCH_PARQUET": program]) { $1 }
        let words = ["run", "job.json"] + (isTimed ? ["--max-duration", "2s"] : [])
        let running = try Program("nuke-batch", words, in: job.folder.path, environment: environment)
        if !isTimed {
            try await eventually { (try? job.data("calls"))?.firstRange(of: Data("read".utf8)) != nil }
            running.signal(SIGTERM)
        }
        let outcome = await running.wait()
        #expect(outcome.exit == (isTimed ? 5 : 143), "\(outcome.output)\(outcome.errors)")
    }

    @Test("of an endless standard error the program's message is its last whole line, and it takes no room")
    func endlessErrors() async throws {
        try await table(#"{"url": ["photos/0"], "id": ["a"]}"#)
        try write()
        let program = try counting(
            #"[ "$1" != read ] || { echo 'list.parquet: is wrong' >&2; head -c 300000000 /dev/zero >&2; exit 4; }"#
        )
        let run = try await nukeBatch("run", "job.json", environment: ["NUKE_BATCH_PARQUET": program])
        #expect(run.exit == 2 && run.errors.contains("list.parquet: is wrong"), "\(run.errors.prefix(1000))")
    }

    @Test("init finds the columns of URLs and ids of a Parquet list")
    func drafts() async throws {
        try await table(
            #"{"sku": [1, 2], "image_url": ["https://a.example/1.jpg", "https://a.example/2.jpg"]}"#
        )
        let outcome = try await nukeBatch("init", "list.parquet")
        #expect(outcome.exit == 0 && said(outcome).contains("2 rows"), "\(outcome.output)\(outcome.errors)")
        let text = try job.files(in: "").filter { $0.hasSuffix(".json") }.map {
            try String(decoding: job.data($0), as: UTF8.self)
        }.joined()
        #expect(text.contains(#""columns": {"url": "image_url", "id": "sku"}"#), "\(text)")
    }

    @Test("standard input and gzip are refused with the remedy")
    func refusals() async throws {
        try job.write(#""sources": [{"list": "-", "as": "parquet"}, {"list": "a.parquet.gz"}]"#)
        let outcome = try await nukeBatch("validate", "job.json")
        #expect(outcome.exit == 2)
        #expect(said(outcome).contains("Parquet has its directory at the end: write it to a file"))
        #expect(said(outcome).contains("Parquet is compressed inside: decompress the file"))
    }
}
