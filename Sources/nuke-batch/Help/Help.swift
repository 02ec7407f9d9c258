import Files
import JobPlanning

/// The help texts of the program and of each command, made from the commands' tables.
enum Help {
    /// Returns the text of `nuke-batch --help`: at most 24 lines of 80 columns, as a terminal shows at once.
    static func program(_ program: ProgramDescription) -> String {
        let everyday = program.commands.filter(\.isEveryday)
        let others = program.words.map(\.word).filter { word in !everyday.contains { $0.name == word } }
        return """
            nuke-batch: batch image jobs that can be interrupted and run again

            usage: nuke-batch COMMAND [OPTION…] MANIFEST|SOURCE…

            \(lines(everyday.map { ($0.name, $0.summary) }))

            other commands:
            \(wrapped(others))

            nuke-batch COMMAND --help shows the options of a command, with examples.

            exit codes:
            \(wrapped(ExitCode.all.map { "\($0.code.replacing(", ", with: "/")) \($0.brief)" }))
            """
    }

    /// Returns the text of a group's help: its commands, whose own help has their options.
    static func group(_ group: CommandGroup, of program: ProgramDescription) -> String {
        let commands = program.commands(of: group)
        let examples = commands.prefix(2).compactMap(\.examples.first)
        return """
            nuke-batch \(group.word): \(group.summary)

            usage: nuke-batch \(group.word) ACTION [OPTION…]

            \(lines(commands.map { ($0.action, $0.summary) }))

            nuke-batch \(group.word) ACTION --help shows the options of an action.

            examples:
            \(examples.map(example).joined(separator: "\n"))
            """
    }

    /// Returns the text of a command's help: its options, and examples.
    static func command(_ command: CommandDescription) -> String {
        let usage = [
            "usage: nuke-batch \(command.name)", command.options.isEmpty ? "" : "[OPTION…]",
            command.operandUsage,
        ].filter { !$0.isEmpty }.joined(separator: " ")
        let options = (command.options + [OptionDescription(name: "--help", help: "Print this help")]).map {
            let names = $0.names.joined(separator: ", ")
            return (names + ($0.value.map { " \($0.placeholder)" } ?? ""), $0.help)
        }
        let variables = command.options.flatMap(\.variables)
        let parts =
            ["nuke-batch \(command.name): \(command.summary)", usage, lines(options)]
            + (variables.isEmpty ? [] : ["environment:\n\(wrapped(variables))"])
            + ["examples:\n\(command.examples.map(example).joined(separator: "\n"))"]
        return parts.joined(separator: "\n\n")
    }

    private static func example(_ example: CommandExamples.Element) -> String {
        "  \(example.key)\n      \(example.value)"
    }

    /// Returns the words in indented lines of at most 80 columns, with commas between them.
    private static func wrapped(_ words: [String]) -> String {
        var lines: [String] = []
        for (index, word) in words.enumerated() {
            let text = index < words.count - 1 ? word + "," : word
            if let last = lines.last, last.count + text.count < 80 {
                lines[lines.count - 1] = "\(last) \(text)"
            } else {
                lines.append("  \(text)")
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func lines(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { name, text in "  \(name.rightPadded(to: width + 2))\(text)" }
            .joined(separator: "\n")
    }
}
