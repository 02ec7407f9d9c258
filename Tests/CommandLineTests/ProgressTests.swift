import Foundation
import LoopbackServer
import TestSupport
import Testing

/// The progress line of a run on a real terminal: `script` (util-linux) gives the program one of a chosen width.
@Suite(.timeLimit(.minutes(10))) struct ProgressTests {
    /// Returns the progress lines sent to the terminal, split where a line is redrawn, and the whole output.
    private func run(
        columns: Int,
        environment: [String: String],
        options: String = ""
    ) async throws -> (lines: [String], all: String) {
        // Each answer takes a while, so that there is something to show: 60 items at 25 a second.
        let server = try LoopbackServer { request in
            let number = Int(request.path.dropFirst().prefix { $0 != "." }) ?? 0
            return number % 10 == 3 ? .status(404) : .data((try? TestImages.tiny(number)) ?? Data())
        }
        let folder = try TemporaryFolder()
        let urls = (0..<60).map { "\"\(server.address)/\($0).png\"" }.joined(separator: ",")
        try folder.write(
            """
            {"sources": [{"urls": [\(urls)]}], "cache": {"directory": "cache"}, "network": {"allow": ["127.0.0.1"]},
             "loading": {"rate": "25/s", "burst": 1}}
            """,
            to: "job.json"
        )
        let program = Program.folder.appendingPathComponent("nuke-batch").path
        let command = "stty cols \(columns) rows 24; \(program) run job.json \(options)"
        let outcome = try await Program(
            path: "/usr/bin/script",
            ["-qec", command, "/dev/null"],
            in: folder.path,
            environment: ["TERM": "xterm", "NO_COLOR": "", "LC_ALL": "C.UTF-8"].merging(environment) { $1 }
        ).wait()
        #expect(outcome.exit == 1, "\(outcome.output)")
        let parts = outcome.output.components(separatedBy: "\r\u{1B}[2K").dropFirst().filter { !$0.isEmpty }
        // The last one is followed by the summary.
        return (Array(parts.dropLast()), outcome.output)
    }

    private func shown(_ line: String) -> String {
        line.replacing(/\u{1B}\[[0-9]+m/, with: "")
    }

    @Test("is one line that fits the terminal", arguments: [40, 60, 100, 160])
    func fits(columns: Int) async throws {
        let (lines, all) = try await run(columns: columns, environment: [:])
        #expect(lines.count > 3, "\(all)")
        #expect(lines.allSatisfy { shown($0).count < columns && !$0.contains("\n") }, "\(all)")
        let counts = lines.filter { shown($0).contains("/60") }
        #expect(counts.count > 3)
        #expect(lines.contains { shown($0).contains("failed") && $0.contains("\u{1B}[31m") })
        if columns >= 100 { #expect(lines.contains { $0.contains("━") && shown($0).contains("ETA") }) }
        if columns == 160 { #expect(lines.contains { shown($0).contains("(http_404 ") }) }
        #expect(all.contains("60 items done"))
    }

    @Test func keepsToASCIIAndToNoColors() async throws {
        let plain = try await run(columns: 80, environment: ["LC_ALL": "C", "NO_COLOR": "1"])
        #expect(plain.lines.contains { $0.hasPrefix("[#") })
        #expect(!plain.all.contains("\u{1B}[3") && plain.all.allSatisfy { $0.isASCII })
    }

    @Test func writesNoLineOverOnADumbTerminal() async throws {
        let dumb = try await run(columns: 80, environment: ["TERM": "dumb"])
        #expect(!dumb.all.contains("\u{1B}"), "\(dumb.all)")
    }

    @Test func messagesStandOnLinesOfTheirOwn() async throws {
        let (_, all) = try await run(columns: 80, environment: [:], options: "--verbose")
        let messages = all.components(separatedBy: "\r\n").filter { $0.contains(": http_404: ") }
        #expect(messages.count == 6)
        #expect(
            messages.allSatisfy { message in
                let text = message.components(separatedBy: "\u{1B}[2K").last ?? message
                return text.hasPrefix("http://127.0.0.1")
            },
            "\(messages)"
        )
    }
}
