import Foundation
import JobManifest
import JobPlanning

/// The request of a command line: a command with its options, or a help text.
enum Invocation {
    case help(String)
    case perform(any Command, warnings: [String])

    /// Reads the words after the program's name, and the options that `environment` sets.
    /// - Throws: `UsageError` for anything that the help does not allow.
    init(_ words: [String], environment: [String: String]) throws(UsageError) {
        guard let first = words.first else {
            self = .help(Help.program(.nukeBatch))
            return
        }
        var rest = words.dropFirst()
        if ["--help", "-h", "help"].contains(first) {
            guard let word = rest.popFirst() else {
                self = .help(Help.program(.nukeBatch))
                return
            }
            self = .help(try Self.help(word, &rest))
            return
        }
        if let group = CommandGroup.named(first),
            rest.first.flatMap({ CommandName(rawValue: "\(first) \($0)") }) == nil,
            !Self.helpOptions.isDisjoint(with: rest)
        {
            self = .help(Help.group(group, of: .nukeBatch))
            return
        }
        let command = try Self.command(["--version", "-V"].contains(first) ? "version" : first, &rest)
        let description = command.description
        var arguments = try Arguments(rest, of: description, in: .nukeBatch)
        guard !arguments.isHelp else {
            self = .help(Help.command(description))
            return
        }
        try arguments.add(environment, of: description)
        let isQuiet = arguments.options.contains { $0.name == "--quiet" }
        let warnings = isQuiet ? [] : description.warnings(about: environment, in: .nukeBatch)
        self = .perform(try command.init(arguments), warnings: warnings)
    }

    private static let helpOptions: Set = ["--help", "-h"]

    private static func help(_ word: String, _ rest: inout ArraySlice<String>) throws(UsageError) -> String {
        if let group = CommandGroup.named(word), rest.isEmpty { return Help.group(group, of: .nukeBatch) }
        return Help.command(try command(word, &rest).description)
    }

    /// Returns the command of a word, and of the next one if the first is that of a group.
    private static func command(
        _ word: String,
        _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> any Command.Type {
        if let name = CommandName(rawValue: word) { return name.command }
        if let group = CommandGroup.named(word) { return try group.command(rest.popFirst()).command }
        if let hint = hint(forSource: word) { throw UsageError("there is no command \(word)\(hint)") }
        let known = ProgramDescription.nukeBatch.words.map(\.word) + ["--help", "--version"]
        let hint = UsageError.hint(for: word, among: known, synonyms: synonyms)
        throw UsageError("there is no command \(word)\(hint)")
    }

    /// The end of the error of a word that is no command but a source of images, or a manifest; nil for other words.
    private static func hint(forSource word: String) -> String? {
        let isFile = FileManager.default.fileExists(atPath: word)
        guard isFile || ItemURL.isURL(word) else { return nil }
        let command =
            isFile && [".json", ".yaml", ".yml"].contains { word.lowercased().hasSuffix($0) }
            ? "run \(Shell.quoted(word))" : "resize \(Shell.quoted(word)) --width 800 -o out"
        return "; did you mean nuke-batch \(command)?"
    }

    /// Commands of similar programs, and those of this one.
    private static let synonyms = [
        "-v": "--version", "-?": "--help", "start": "run", "resume": "run",
        "continue": "run", "process": "run", "download": "warm", "fetch": "warm", "dry-run": "plan",
        "check": "validate", "lint": "validate", "format": "fmt", "prettier": "fmt", "list": "items",
        "ls": "items", "failed": "items",
        "show": "explain", "why": "explain", "clean": "prune", "gc": "prune", "csv": "export",
        "html": "report", "man": "manual", "thumbnail": "resize", "scale": "resize", "new": "init",
        "create": "init",
    ]
}
