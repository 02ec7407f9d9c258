/// The request of a command line: a command with its options, or a help text.
enum Invocation {
    case help(String)
    case perform(any Command)

    /// Reads the words after the program's name.
    /// - Throws: `UsageError` for anything that the help does not allow.
    init(_ words: [String]) throws(UsageError) {
        guard let first = words.first else {
            self = .help(Help.program)
            return
        }
        if ["--help", "-h", "help"].contains(first) {
            let command = words.dropFirst().first.flatMap(CommandName.init)?.command
            self = .help(command.map { Help.command($0.description) } ?? Help.program)
            return
        }
        guard let name = CommandName(rawValue: first == "--version" ? "version" : first) else {
            let hint = UsageError.hint(for: first, among: CommandName.allCases.map(\.rawValue))
            throw UsageError("there is no command \(first)\(hint)")
        }
        let command = name.command
        let arguments = try Arguments(words.dropFirst(), of: command.description)
        self =
            arguments.isHelp
            ? .help(Help.command(command.description)) : .perform(try command.init(arguments))
    }
}
