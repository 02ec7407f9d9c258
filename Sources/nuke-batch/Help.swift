import NukeBatch

/// Prints the help of the program and of each command from the command table.
enum Help {
    static let program = """
        nuke-batch: batch image jobs that can be interrupted and run again

        usage: nuke-batch COMMAND [OPTION…] MANIFEST

        \(lines(Command.all.map { ($0.name, $0.summary) }))

        nuke-batch COMMAND --help says more of each.

        exit codes:
        \(lines(ExitCode.all.map { ($0.code, $0.meaning) }))
        """

    static func command(_ command: Command) -> String {
        let usage = [
            "usage: nuke-batch \(command.name)", command.options.isEmpty ? "" : "[OPTION…]", command.operands,
        ].filter { !$0.isEmpty }.joined(separator: " ")
        let options = (command.options + [Option("--help", nil, "print this")]).map {
            let names = [$0.short, $0.name].compactMap { $0 }.joined(separator: ", ")
            return ([names, $0.value ?? ""].filter { !$0.isEmpty }.joined(separator: " "), $0.help)
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
