import Foundation
import TestSupport
import Testing

/// Checks README.md and docs/*.md: every manifest is valid, and every command prints the output shown.
///
/// A document is one session in a folder of its own, its fenced blocks in their order:
/// - ```` ```json manifest=NAME ```` is written to NAME and validated,
/// - ```` ```csv file=NAME ```` (of any language) is written to NAME,
/// - ```` ```console ```` holds lines `$ nuke-batch …`, which are run; the lines after each must be its output, in which
///   durations and times do not count and a line `…` stands for any lines; `exit=N` is the exit code of the last one,
/// - `untested="why"` leaves a block out; `.ci/check-docs` lists these.
///
/// With `UPDATE_DOCUMENTS=1` in the environment the outputs are written into the documents instead, but for those with `…`.
@Suite(.timeLimit(.minutes(10))) struct DocumentedCommandTests {
    /// README.md and all documents, by their paths below the repository.
    private static let names: [String] = {
        let root = Repository.root
        let documents = (try? FileManager.default.contentsOfDirectory(atPath: root.path + "/docs")) ?? []
        return ["README.md"] + documents.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
    }()

    private static let isUpdating = ProcessInfo.processInfo.environment["UPDATE_DOCUMENTS"] == "1"

    @Test("every manifest is valid and every command prints what is shown", arguments: names)
    func session(name: String) async throws {
        let path = Repository.root.path + "/" + name
        var document = try MarkdownDocument(path: path, name: name)
        let session = try DocumentedSession()
        var made: [(MarkdownDocument.Command, [String])] = []
        for block in document.blocks where block.attributes["untested"] == nil {
            if let file = block.attributes["manifest"] {
                try session.write(block, to: file)
                let outcome = try await session.run("nuke-batch validate \(file)")
                #expect(outcome.exit == 0, "\(name):\(block.start): \(outcome.output)\(outcome.errors)")
            } else if let file = block.attributes["file"] {
                try session.write(block, to: file)
            } else if block.language == "console" {
                made += try await run(block, session, name)
            }
        }
        guard Self.isUpdating else { return }
        for (command, output) in made.reversed()
        where !command.output.contains("…") && !command.output.isEmpty {
            document.replace(command, by: output)
        }
        try document.lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// The commands of a block, each with what it printed.
    private func run(_ block: MarkdownDocument.Block, _ session: DocumentedSession, _ name: String)
        async throws
        -> [(MarkdownDocument.Command, [String])]
    {
        var made: [(MarkdownDocument.Command, [String])] = []
        let commands = MarkdownDocument.commands(of: block)
        for (number, command) in commands.enumerated() where command.text.contains("nuke-batch") {
            let outcome = try await session.run(command.text)
            let exit = number == commands.count - 1 ? block.attributes["exit"].flatMap { Int32($0) } ?? 0 : 0
            let place = "\(name):\(command.outputStart): \(command.text)"
            #expect(outcome.exit == exit, "\(place)\n\(outcome.output)\(outcome.errors)")
            let output = session.shown(outcome)
            made.append((command, output))
            if !Self.isUpdating, !command.output.isEmpty {
                #expect(Self.matches(command.output, output), "\(place)\n\(output.joined(separator: "\n"))")
            }
        }
        return made
    }

    /// True if `output` is what is shown; `…` is any number of lines.
    private static func matches(_ shown: [String], _ output: [String]) -> Bool {
        let parts = shown.map(DocumentedSession.comparable).split(
            separator: "…",
            omittingEmptySubsequences: false
        )
        var rest = output.map(DocumentedSession.comparable)[...]
        for (number, part) in parts.enumerated() {
            let isFirst = number == 0
            let isLast = number == parts.count - 1
            if isFirst && isLast { return Array(part) == Array(rest) }
            guard part.count <= rest.count else { return false }
            let last = rest.count - part.count
            let starts = isFirst ? 0...0 : (isLast ? last : 0)...last
            guard
                let start = starts.first(where: {
                    Array(rest.dropFirst($0).prefix(part.count)) == Array(part)
                })
            else { return false }
            rest = rest.dropFirst(start + part.count)
        }
        return true
    }

    @Test("a control: what is not so is noticed")
    func control() {
        #expect(Self.matches(["a", "…", "c"], ["a", "b", "b", "c"]))
        #expect(Self.matches(["took 0.3 s"], ["took 12 s"]))
        #expect(!Self.matches(["5 made"], ["6 made"]))
        #expect(!Self.matches(["a", "…", "c"], ["a", "b"]))
        #expect(!Self.matches(["a"], ["a", "b"]))
    }
}
