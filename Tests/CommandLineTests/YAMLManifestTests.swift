import Foundation
import TestSupport
import Testing

/// Manifests in YAML, through the program.
@Suite(.timeLimit(.minutes(10))) struct YAMLManifestTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
        for number in 1...2 { try job.folder.write(try TestImages.tiny(number), to: "\(number).png") }
    }

    @Test("a job in YAML is run, named after its file, and the same job in JSON goes on with its state")
    func run() async throws {
        let yaml = """
            # The smallest job.
            sources:
              - files: "*.png"
            outputs:
              - {path: "{stem}.{ext}", format: original}
            cache: {directory: cache}
            """
        try job.folder.write(yaml, to: "job.yaml")
        let run = try await job.nukeBatch("run", "job.yaml", "--json")
        #expect(run.exit == 0 && run.lines.first?.contains("\"job\":\"job\"") == true, "\(run.errors)")
        #expect(job.files() == ["1.png", "2.png"] && job.files(in: ".nuke-batch").contains("job.sqlite"))
        #expect(try await job.nukeBatch("run", "job.yaml").output.hasPrefix("nothing to do"))
        let json =
            #"{"sources": [{"files": "*.png"}], "outputs": [{"path": "{stem}.{ext}", "format": "original"}], "cache": {"directory": "cache"}}"#
        try job.folder.write(json, to: "job.json")
        #expect(try await job.nukeBatch("run", "job.json").output.hasPrefix("nothing to do"))
        let named = try await job.nukeBatch("validate", "job")
        #expect(named.exit == 2 && named.output.contains("did you mean job.json?"))
    }

    @Test(
        "every error has its line and column",
        arguments: [
            ("sources:\n  - urls: [1.png]\n    prio: low\n", "job.yml:3:5: sources[0].prio: unknown key"),
            ("sources:\n  - files: *.png\n", "job.yml:2:13: not YAML: "),
            ("sources:\n  - files: \"*.png\n", "job.yml:3:1: not YAML: "),
            ("é: 1\nsources: &a []\n", "job.yml:2:10: anchors are not supported"),
            ("limits: {memory: 0777}\n", "job.yml:1:18: \"0777\" is a number to some readers"),
            ("limits: {maxDuration: 10:30}\n", "job.yml:1:23: \"10:30\" is a number to some readers"),
            ("a: 1\n---\nb: 2\n", "job.yml:2:1: the text should end after its document"),
            ("name: a\nsources: []\nname: b\n", "job.yml:3:1: name: duplicate key, also in line 1, column 1"),
            ("", "job.yml:1:1: the document is empty"),
            ("- a\n", "job.yml:1:1: should be an object, not an array"),
        ]
    )
    func errors(text: String, beginning: String) async throws {
        try job.folder.write(text, to: "job.yml")
        let wrong = try await job.nukeBatch("validate", "job.yml")
        #expect(wrong.exit == 2 && wrong.lines.contains { $0.hasPrefix(beginning) }, "\(wrong.output)")
    }

    @Test("a billion aliases are one error")
    func aliases() async throws {
        var lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
        for number in 1..<10 {
            let list = Array(repeating: "*a\(number - 1)", count: 10).joined(separator: ", ")
            lines.append("a\(number): &a\(number) [\(list)]")
        }
        try job.folder.write(lines.joined(separator: "\n") + "\nsources: *a9\n", to: "job.yaml")
        let wrong = try await job.nukeBatch("validate", "job.yaml")
        #expect(wrong.exit == 2 && wrong.lines.count == 1, "\(wrong.output)")
        #expect(wrong.output.hasPrefix("job.yaml:1:5: anchors are not supported: remove it"))
    }
}
