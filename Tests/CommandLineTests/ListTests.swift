import Files
import Foundation
import TestSupport
import Testing

/// Lists of every kind, and what sources say of their items.
@Suite(.timeLimit(.minutes(10))) struct ListTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
        for number in 1...3 { try job.folder.write(try TestImages.tiny(number), to: "\(number).png") }
    }

    struct Kind: Sendable {
        let name: String
        let text: String
        var columns = ""
        /// The paths of `{id}-{colour}-{index}`.
        let paths: [String]
    }

    private static let columns = #", "columns": {"url": "image_url", "id": "sku", "priority": "prio"}"#
    static let kinds = [
        Kind(
            name: "list.txt",
            text: "# comment\n\n  1.png\r\n2.png\n#3.png\n",
            paths: ["-grey-1", "-grey-2"]
        ),
        Kind(
            name: "list.csv",
            text:
                "image_url,\"sku\",prio,colour\r\n1.png,a,high,\"red, \"\"dark\"\"\nline\"\r\n\"2.png\",b,,\r\n",
            columns: columns,
            paths: ["a-red_dark_line-1", "b--2"]
        ),
        Kind(
            name: "list.tsv",
            text: "colour\tsku\timage_url\tprio\nblue\ta\t1.png\thigh\ngreen\tb\t3.png\tlow\n",
            columns: columns,
            paths: ["a-blue-1", "b-green-2"]
        ),
        Kind(
            name: "list.jsonl",
            text:
                "\"1.png\"\n{\"url\": \"2.png\", \"id\": \"b\", \"priority\": \"low\", \"vars\": {\"colour\": \"red\"}}\n",
            paths: ["-grey-1", "b-red-2"]
        ),
    ]

    private func write(_ kind: Kind, list: String, as type: String = "") throws {
        try job.write(
            """
            "sources": [{"list": "\(list)"\(type)\(kind.columns), "vars": {"colour": "grey"}}],
            "outputs": [{"path": "{id}-{colour}-{index}.{ext}", "format": "original"}]
            """
        )
    }

    /// The paths, with ids that are hashes left out, and `_` for what is not kept in a path, once.
    private var made: [String] {
        job.files().map { path in
            path.replacing(/^[0-9a-f]{16}-/, with: "-").replacing(/_+/, with: "_").replacing(".png", with: "")
        }.sorted()
    }

    @Test("each kind of list, as it is, compressed, and from standard input", arguments: kinds)
    func lists(kind: Kind) async throws {
        try job.folder.write(kind.text, to: kind.name)
        try write(kind, list: kind.name)
        try await job.run()
        #expect(made == kind.paths)
        let ids = try await job.items().map { $0["id"] as? String ?? "" }
        #expect(ids == kind.paths.map { String($0.prefix { $0 != "-" }) })

        let zipped = try await Program(path: "/bin/gzip", ["-k", kind.name], in: job.folder.path).wait()
        #expect(zipped.exit == 0)
        try write(kind, list: kind.name + ".gz")
        #expect(try await job.run().output.hasPrefix("nothing to do: 2 items"))

        try write(
            kind,
            list: "-",
            as: #", "as": "\#(kind.name.suffix(from: kind.name.index(kind.name.startIndex, offsetBy: 5)))""#
        )
        let piped = try await job.nukeBatch("run", "job.json", input: kind.text)
        #expect(
            piped.exit == 0 && piped.output.hasPrefix("nothing to do: 2 items"),
            "\(piped.output)\(piped.errors)"
        )
    }

    @Test(
        "a column that is not there is wrong input and named; a row without a URL is a failed item with its place"
    )
    func wrongRows() async throws {
        try job.folder.write("image,sku\n1.png,a\n", to: "list.csv")
        try job.write(#""sources": [{"list": "list.csv"\#(Self.columns)}]"#)
        let column = try await job.run(exit: 2)
        #expect(column.errors.contains("list.csv:1: has no column \"image_url\""), "\(column.errors)")
        try job.folder.write("# first\n1.png\nhttp://\nhttp://exa mple/\n", to: "urls.txt")
        try job.write(#""sources": [{"list": "urls.txt"}]"#)
        try await job.run(exit: 1)
        let items = try await job.items()
        #expect(items.map { $0["error"] as? String } == [nil, "bad_url", "bad_url"])
        for (item, place) in zip(items.dropFirst(), ["urls.txt:3", "urls.txt:4"]) {
            #expect((item["message"] as? String)?.contains(place) == true, "\(item)")
        }
    }

    @Test("a manifest without any item is a warning and exit 0")
    func nothing() async throws {
        try job.folder.write("# none yet\n", to: "urls.txt")
        try job.write(#""sources": [{"list": "urls.txt"}]"#)
        for words in [["run", "job.json"], ["plan", "job.json"], ["run", "job.json", "--quiet"]] {
            let outcome = try await Program.run("nuke-batch", words, in: job.folder.path)
            #expect(outcome.exit == 0)
            #expect(
                (outcome.output + outcome.errors).contains("warning: the manifest has no items"),
                "\(words)"
            )
        }
    }
}
