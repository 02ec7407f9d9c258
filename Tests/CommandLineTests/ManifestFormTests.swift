import Foundation
import Imaging
import LoopbackServer
import TestSupport
import Testing

/// The manifest as a text: what is optional, what is strict, where paths start, what `${NAME}` becomes.
@Suite(.timeLimit(.minutes(10))) struct ManifestFormTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
        try job.folder.write(try TestImages.tiny(1), to: "a.png")
    }

    @Test("only sources are required; the job's title is its name, else the file's without extension")
    func top() async throws {
        try job.write(#""$schema": "x", "version": 1, "name": "My title", "sources": [{"urls": ["a.png"]}]"#)
        try job.write(#""sources": [{"urls": ["a.png"]}]"#, to: "nightly.v2.json")
        for (file, title) in [("job.json", "My title"), ("nightly.v2.json", "nightly.v2")] {
            let run = try await job.nukeBatch("run", file, "--json")
            #expect(run.exit == 0, "\(run.errors)")
            #expect(run.lines.first?.contains("\"job\":\"\(title)\"") == true, "\(run.output)")
        }
        // The state is named for the file; without outputs nothing is made.
        #expect(job.files(in: ".nuke-batch").contains("nightly.v2.sqlite"))
        #expect(job.files().isEmpty)
    }

    @Test(
        "a manifest is strict about its keys and its form",
        arguments: [
            (#"{}"#, "job.json:1:1: ", "sources"), (#"{"sources": []}"#, "job.json:1:", "at least one"),
            (
                "{\"version\": 2,\n\"sources\": [{\"urls\": [\"a\"]}]}", "job.json:1:13: version",
                "reads version 1"
            ),
            (
                "{\"sources\": [{\"urls\": [\"a\"]}],\n \"sources\": []}", "job.json:2:2: sources",
                "duplicate key, also in line 1, column 2"
            ),
            (#"{"source": [{"urls": ["a"]}]}"#, "job.json:1:2: source", "did you mean \"sources\""),
            (
                #"{"hooks": {"finished": "mail me"}, "sources": [{"urls": ["a"]}]}"#, "job.json:1:2: hooks",
                "a manifest is data and runs no commands; use --on-finish COMMAND"
            ),
            (#"{"sources": [{"urls": ["a"],,}]}"#, "job.json:1:29: ", "key in double quotes"),
            ("{\"sources\": [{\"urls\": [\"a\"]}]} no", "job.json:1:32: ", "end"),
            ("{\"sources\": [{\"urls\": [\"a\"]}]}\n /* no", "job.json:2:2: ", "does not end"),
            (#"{"sources": [{"urls": ["a"], "list": "b"}]}"#, "job.json:1:", "list"),
            (
                #"{"sources": [{"urls": ["a"]}], "outputs": [{"name": "x"}, {"name": "x"}]}"#,
                "outputs[1].name", "outputs[0]"
            ),
        ]
    )
    func strict(text: String, place: String, words: String) async throws {
        try job.folder.write(text, to: "job.json")
        let wrong = try await job.nukeBatch("validate", "job.json")
        #expect(wrong.exit == 2 && wrong.output.contains(place), "\(wrong.output)")
        #expect(words.split(separator: "|").contains { wrong.output.contains($0) }, "\(wrong.output)")
    }

    @Test("comments and commas after the last element say nothing")
    func relaxed() async throws {
        let text = """
            // A line.
            {"sources": [{"urls": ["a.png",], /* in
              between */ },], // "outputs": 1
             "outputs": [{"path": "{stem}.{ext}",},],
            }
            """
        try job.folder.write(text, to: "relaxed.json")
        #expect(try await job.nukeBatch("run", "relaxed.json").exit == 0)
        #expect(job.files() == ["a.png"])
        // In lists, JSON stays strict.
        try job.folder.write("\"a.png\" // x\n[\"a.png\",]\n", to: "list.jsonl")
        try job.write(#""sources": [{"list": "list.jsonl"}], "outputs": [{"path": "l/{index}.{ext}"}]"#)
        try await job.run(exit: 1)
        #expect(try await job.items().allSatisfy { $0["state"] as? String == "failed" })
    }

    @Test(
        "paths of a manifest and of its lists start from its folder, those of the command line from where one is"
    )
    func paths() async throws {
        try job.folder.write("a.png\n", to: "jobs/lists/urls.txt")
        try job.folder.write(try TestImages.tiny(2), to: "jobs/a.png")
        try job.folder.write(
            #"{"sources": [{"list": "lists/urls.txt"}], "cache": {"directory": "kept"}, "outputs": [{"path": "{stem}.{ext}"}]}"#,
            to: "jobs/job.json"
        )
        #expect(try await job.nukeBatch("run", "jobs/job.json").exit == 0)
        #expect(job.files(in: "jobs/out") == ["a.png"])
        #expect(try job.image("jobs/out/a.png").rgba() == job.image("jobs/a.png").rgba())
        #expect(
            !job.files(in: "jobs/kept").isEmpty && job.files(in: "jobs/.nuke-batch").contains("job.sqlite")
        )
        let words = ["--destination", "made", "--cache", "originals", "--state-file", "states/one.sqlite"]
        let there = try await Program.run(
            "nuke-batch",
            ["run", "jobs/job.json"] + words,
            in: job.folder.path
        )
        #expect(there.exit == 0, "\(there.errors)")
        #expect(job.files(in: "made") == ["a.png"] && !job.files(in: "originals").isEmpty)
        #expect(job.files(in: "states").contains("one.sqlite"))
    }

    @Test("${NAME} is an environment variable in the manifest's own text, and text in the rows of lists")
    func variables() async throws {
        let server = try LoopbackServer.tinyPictures()
        try job.folder.write("\(server.address)/list/${NAME}/3.png\n", to: "urls.txt")
        try job.write(
            """
            "sources": [{"urls": ["\(server.address)/${NAME}/1.png"]}, {"list": "urls.txt"}],
            "destination": "out-${NAME}", "outputs": [{"path": "{stem}.{ext}", "format": "original"}],
            "loading": {"headers": {"X-Literal": "$${NAME}"}, "auth": {"bearer": "${TOKEN}"}}
            """
        )
        let unset = try await job.nukeBatch("run", "job.json", environment: ["NAME": "x"])
        #expect(unset.exit == 2 && unset.errors.contains("TOKEN") && !unset.errors.contains("NAME"))
        try await job.run(environment: ["NAME": "red", "TOKEN": "t0"])
        #expect(server.requests.map(\.path).sorted() == ["/list/$%7BNAME%7D/3.png", "/red/1.png"])
        #expect(server.requests.allSatisfy { $0.headers["x-literal"] == "${NAME}" })
        #expect(server.requests.allSatisfy { $0.headers["authorization"] == "Bearer t0" })
        #expect(job.files(in: "out-red") == ["1.png", "3.png"])
    }
}
