import Foundation
import JobFixtures
import JobPlanning
import TestSupport
import Testing

@testable import NukeBatch

@Suite(.timeLimit(.minutes(10))) struct FinishCommandTests {
    private let folder: TemporaryFolder
    private let summary: FinishSummary

    init() throws {
        folder = try TemporaryFolder()
        let manifest = try ManifestFolder().read(#"{"sources": [{"urls": ["a.jpg"]}]}"#)
        summary = FinishSummary(RunReport(stoppedBy: RunError.machine("full")), of: manifest)
    }

    @Test("a command that takes too long is stopped with what it started")
    func limit() async throws {
        // The shell waits for a process that would outlive it.
        let path = folder.path("pid")
        let command = FinishCommand("sleep 600 & echo $! > \(path); wait", limit: .milliseconds(500))
        let warning = await command.run(summary, environment: ["PATH": "/usr/bin:/bin"])
        #expect(warning?.contains("was stopped after") == true, "\(warning ?? "none")")
        // A slow machine may not have got as far as to start it.
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        guard let process = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)) else { return }
        try await eventually {
            let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            return status?.contains(") Z ") ?? true
        }
    }

    @Test(
        "a command within its time has no warning, whether it reads or not",
        arguments: ["true", "cat >/dev/null"]
    )
    func success(text: String) async {
        let command = FinishCommand(text)
        #expect(await command.run(summary, environment: ["PATH": "/usr/bin:/bin"]) == nil)
    }

    @Test("the summary is one line of JSON")
    func line() throws {
        #expect(summary.line.count { $0 == 10 } == 1 && summary.line.last == 10)
        let object = try JSONSerialization.jsonObject(with: summary.line) as? [String: Any]
        #expect(object?["stopped"] as? String == "full" && object?["exit"] as? Int == 4)
    }
}
