/// Prints the help of the program and of each command from the command table.
enum Help {
    static let program = """
        nuke-batch: batch image jobs that can be interrupted and run again

        usage: nuke-batch COMMAND [OPTION…] MANIFEST

        \(lines(Command.all.map { ($0.name, $0.summary) }))

        nuke-batch COMMAND --help says more of each.

        exit codes: 0 all done, 1 some items failed, 2 wrong command line or manifest, 3 another run holds the job,
        4 the machine is in the way, 5 stopped by --limit or --max-duration; 129, 130, 143 interrupted
        """

    static func command(_ command: Command) -> String {
        let usage = [
            "usage: nuke-batch \(command.name)", command.options.isEmpty ? "" : "[OPTION…]", command.operands,
        ].filter { !$0.isEmpty }.joined(separator: " ")
        let options = (command.options + [Option("--help", nil, "print this")]).map {
            ([$0.name, $0.value ?? ""].filter { !$0.isEmpty }.joined(separator: " "), $0.help)
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
