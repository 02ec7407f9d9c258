import JobPlanning

/// The help texts of the program and of each command, made from the commands' tables.
enum Help {
    static let program = """
        nuke-batch: batch image jobs that can be interrupted and run again

        usage: nuke-batch COMMAND [OPTION…] MANIFEST

        \(lines(CommandDescription.all.map { ($0.name, $0.summary) }))

        Run nuke-batch COMMAND --help for the options of a command.

        exit codes:
        \(lines(ExitCode.all.map { ($0.code, $0.meaning) }))
        """

    static func command(_ command: CommandDescription) -> String {
        let usage = [
            "usage: nuke-batch \(command.name)", command.options.isEmpty ? "" : "[OPTION…]",
            command.operandUsage,
        ].filter { !$0.isEmpty }.joined(separator: " ")
        let options = (command.options + [OptionDescription(name: "--help", help: "Print this help")]).map {
            let names = $0.names.joined(separator: ", ")
            return (names + ($0.value.map { " \($0.placeholder)" } ?? ""), $0.help)
        }
        return "nuke-batch \(command.name): \(command.summary)\n\n\(usage)\n\n\(lines(options))"
    }

    private static func lines(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { name, text in
            "  " + name + String(repeating: " ", count: width - name.count + 2) + text
        }.joined(separator: "\n")
    }
}
