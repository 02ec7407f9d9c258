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
            guard let word = words.dropFirst().first else {
                self = .help(Help.program)
                return
            }
            self = .help(Help.command(try Self.command(word).description))
            return
        }
        let command = try Self.command(first == "--version" ? "version" : first)
        let arguments = try Arguments(words.dropFirst(), of: command.description)
        self =
            arguments.isHelp
            ? .help(Help.command(command.description)) : .perform(try command.init(arguments))
    }

    private static func command(_ word: String) throws(UsageError) -> any Command.Type {
        if let name = CommandName(rawValue: word) { return name.command }
        let known = CommandName.allCases.map(\.rawValue) + ["--help", "--version"]
        let hint = UsageError.hint(for: word, among: known, synonyms: synonyms)
        throw UsageError("there is no command \(word)\(hint)")
    }

    /// Commands of similar programs, and those of this one.
    private static let synonyms = [
        "-v": "--version", "-V": "--version", "-?": "--help", "start": "run", "resume": "run",
        "continue": "run", "process": "run", "download": "warm", "fetch": "warm", "dry-run": "plan",
        "check": "validate", "lint": "validate", "list": "items", "ls": "items", "failed": "items",
        "show": "explain", "why": "explain", "clean": "prune", "gc": "prune", "csv": "export",
        "html": "report", "man": "manual",
    ]
}
