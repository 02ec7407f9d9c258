import Foundation
import SQLite
import TestSupport
import Testing

/// Sources that are suddenly empty: a run changes nothing unless they may be.
@Suite(.timeLimit(.minutes(10))) struct EmptiedSourceTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
        for number in 1...3 { try job.folder.write(try TestImages.tiny(number), to: "photos/\(number).png") }
    }

    private func write(_ sources: String) throws {
        try job.write(
            """
            "sources": [\(sources)], "outputs": [{"format": "original", "path": "{index}.{ext}"}]
            """
        )
    }

    struct Kind: Sendable {
        let source: String
        /// The file, with items and without.
        var name = ""
        var full = "", empty = ""
        let words: String
    }

    static let kinds = [
        Kind(
            source: #""list": "a.csv""#,
            name: "a.csv",
            full: "url\nphotos/1.png\nphotos/2.png\n",
            empty: "url\n",
            words: "a.csv has no rows any more, the last plan had 2"
        ),
        Kind(
            source: #""list": "a.tsv""#,
            name: "a.tsv",
            full: "url\nphotos/1.png",
            empty: "url",
            words: "a.tsv has no rows any more"
        ),
        Kind(
            source: #""list": "a.txt""#,
            name: "a.txt",
            full: "photos/1.png",
            empty: "# none\n",
            words: "a.txt has no rows any more"
        ),
        Kind(
            source: #""list": "a.jsonl""#,
            name: "a.jsonl",
            full: "\"photos/1.png\"",
            empty: "",
            words: "a.jsonl has no rows any more"
        ),
        Kind(
            source: #""sitemap": "a.xml""#,
            name: "a.xml",
            full: "<urlset><url><loc>photos/1.png</loc></url></urlset>",
            empty: "<urlset/>",
            words: "a.xml has no images any more"
        ),
        Kind(
            source: #""files": "photos/*.png""#,
            words: "photos/*.png matches no files any more, the last plan had 3"
        ),
        Kind(source: #""files": "photos""#, words: "photos matches no files any more"),
        Kind(
            source: #""sqlite": "a.db", "query": "SELECT url FROM t""#,
            words: "the query of a.db has no rows any more"
        ),
    ]

    private func set(_ kind: Kind, isEmpty: Bool) throws {
        if !kind.name.isEmpty {
            try job.folder.write(isEmpty ? kind.empty : kind.full, to: kind.name)
        } else if kind.source.contains("sqlite") {
            let database = try Connection(path: job.folder.path("a.db"))
            try database.execute("CREATE TABLE IF NOT EXISTS t(url)")
            try database.execute(isEmpty ? "DELETE FROM t" : "INSERT INTO t VALUES ('photos/1.png')")
        } else if isEmpty {
            for number in 1...3 {
                try FileManager.default.removeItem(atPath: job.folder.path("photos/\(number).png"))
            }
        }
    }

    @Test("a source without items is refused after a plan that had some", arguments: kinds.indices)
    func refused(index: Int) async throws {
        let kind = Self.kinds[index]
        try set(kind, isEmpty: false)
        try write("{\(kind.source)}")
        try await job.run()
        let outputs = try FileManager.default.contentsOfDirectory(atPath: job.folder.path("out")).sorted()
        try set(kind, isEmpty: true)
        for words in [
            ["run", "job.json"], ["plan", "job.json"], ["warm", "job.json"], ["run", "job.json"],
        ] {
            let outcome = try await Program.run("nuke-batch", words, in: job.folder.path)
            #expect(outcome.exit == 2, "\(words) \(outcome.output)")
            #expect(
                outcome.errors.contains(kind.words) && outcome.errors.contains("\"allowEmpty\": true"),
                "\(outcome.errors)"
            )
        }
        let items = try await job.items()
        #expect(!items.isEmpty && items.allSatisfy { $0["state"] as? String == "done" })
        _ = try await job.nukeBatch("prune", "job.json", "--delete")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: job.folder.path("out")).sorted() == outputs
        )

        // The manifest's own change does not hide it.
        try write(#"{\#(kind.source), "priority": "high"}"#)
        try await job.run(exit: 2)
        try write(#"{\#(kind.source), "allowEmpty": true}"#)
        try await job.run(exit: 0)
        #expect(try await job.items().isEmpty)
        // It had none before.
        try write("{\(kind.source)}")
        try await job.run(exit: 0)
    }

    @Test("a first plan without items is a warning")
    func first() async throws {
        try job.folder.write("url\n", to: "a.csv")
        try write(#"{"list": "a.csv"}"#)
        let run = try await job.run()
        #expect((run.output + run.errors).contains("warning: the manifest has no items"))
    }

    @Test("of several sources, the one that has no items any more is named, wherever it stands now")
    func several() async throws {
        try job.folder.write("url\nphotos/1.png\n", to: "a.csv")
        try job.folder.write("photos/2.png\n", to: "b.txt")
        try write(#"{"list": "a.csv"}, {"list": "b.txt"}, {"files": "photos/none*"}"#)
        try await job.run()
        try job.folder.write("url\n", to: "a.csv")
        try write(#"{"files": "photos/none*"}, {"list": "b.txt"}, {"list": "a.csv"}"#)
        let refused = try await job.run(exit: 2)
        #expect(
            refused.errors.contains("a.csv has no rows any more, the last plan had 1:"),
            "\(refused.errors)"
        )
        try write(#"{"list": "b.txt"}, {"list": "a.csv", "allowEmpty": true}"#)
        try await job.run()
        #expect(try await job.items().count == 1)
        // A source that leaves the manifest is a decision of its own.
        try job.folder.write("url\nphotos/1.png\n", to: "a.csv")
        try await job.run()
        try write(#"{"list": "b.txt"}"#)
        try await job.run()
        #expect(try await job.items().count == 1)
    }

    @Test("a state of an earlier release knows the number of all items")
    func earlier() async throws {
        try job.folder.write("url\nphotos/1.png\n", to: "a.csv")
        try write(#"{"list": "a.csv"}"#)
        try await job.run()
        try Connection(path: job.folder.path(".nuke-batch/job.sqlite")).execute(
            "DELETE FROM note WHERE name = 'sources'"
        )
        try job.folder.write("url\n", to: "a.csv")
        let refused = try await job.run(exit: 2)
        #expect(
            refused.errors.contains("a.csv has no rows any more, the last plan had 1"),
            "\(refused.errors)"
        )
        try await job.run("--fresh")
    }
}
