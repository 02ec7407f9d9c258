import Foundation
import TestSupport
import Testing

/// A job whose list, database and folder are gone: what is recorded of it can be looked at, and no run takes the missing
/// rows for rows that have left.
@Suite(.timeLimit(.minutes(10))) struct GoneSourceTests {
    private let job: JobFolder

    init() async throws {
        job = try JobFolder()
        try job.folder.write(try Repository.photo("rocket.jpg"), to: "photos/a.jpg")
        try job.folder.write(try Repository.photo("rocket.jpg"), to: "others/b.jpg")
        try job.folder.write("url,colour\nothers/b.jpg,red\n", to: "list.csv")
        try job.write(
            """
            "sources": [{"files": "photos/*"}, {"list": "list.csv"}],
            "outputs": [{"format": "original", "path": "{index}.{ext}"}]
            """
        )
        try await job.run(exit: 0)
        for name in ["photos", "list.csv"] {
            try FileManager.default.removeItem(atPath: job.folder.path(name))
        }
    }

    @Test(
        "what reads the recorded state does not need the sources",
        arguments: [
            "status job.json", "items job.json --json", "report job.json -o report.html", "verify job.json",
            "export job.json", "log job.json", "prune job.json", "cache list job.json",
            "explain job.json others/b.jpg",
        ]
    )
    func recorded(command: String) async throws {
        let words = command.split(separator: " ").map(String.init)
        let outcome = try await Program.run("nuke-batch", words, in: job.folder.path)
        #expect(outcome.exit == 0, "\(outcome.errors)")
        if command.hasPrefix("items") { #expect(outcome.lines.count == 2) }
        if command.hasPrefix("verify") { #expect(outcome.output.contains("2 outputs checked")) }
    }

    @Test("what plans is refused", arguments: ["run", "plan", "warm", "retry", "validate"])
    func planned(command: String) async throws {
        let outcome = try await job.nukeBatch(command, "job.json")
        let told = outcome.output + outcome.errors
        #expect(outcome.exit == 2 && told.contains("list.csv") && told.contains("photos"), "\(told)")
        let items = try await job.items()
        #expect(items.allSatisfy { $0["state"] as? String == "done" })
    }
}
