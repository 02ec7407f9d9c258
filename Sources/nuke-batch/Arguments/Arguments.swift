import Files

/// The words after a command's name, split into options and operands; their values are not read yet.
struct Arguments {
    /// The options in their order, by their long names; a flag has an empty value.
    private(set) var options: [(name: String, value: String)] = []
    private(set) var operands: [String] = []
    /// True if the help of the command is asked for; the words after that are not looked at.
    private(set) var isHelp = false

    /// Splits `words` by the options that `command` takes.
    /// - Throws: `UsageError` for an unknown option, a missing value, or too few or too many operands.
    init(_ words: some Sequence<String>, of command: CommandDescription) throws(UsageError) {
        var rest = Array(words)[...]
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            if word == "--help" || word == "-h" {
                isHelp = true
                return
            }
            let parts = word.parts(at: "=", maxSplits: 1)
            let name = String(parts[0])
            guard let option = command.option(name) else { throw UsageError(unknown: name, in: command) }
            guard let value = option.value else {
                guard parts.count == 1 else { throw UsageError("\(option.name) takes no value") }
                options.append((option.name, ""))
                continue
            }
            guard let text = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                throw UsageError("\(option.name) needs a value: \(option.name) \(value.placeholder)")
            }
            options.append((option.name, text))
        }
        guard command.operandCount.contains(operands.count) else {
            throw UsageError(operandCount: operands.count, of: command)
        }
    }
}

extension UsageError {
    fileprivate init(unknown name: String, in command: CommandDescription) {
        let problem = "\(command.name) has no option \(name)"
        if name == "--state", command.option("--state-file") != nil {
            let selecting = CommandDescription.all.filter { $0.option(name) != nil }.map(\.name)
            self.init(
                "\(problem): --state-file FILE names the state file, and --state STATE,… is an option of "
                    + selecting.joined(separator: ", ")
            )
        } else if ["--dry-run", "-n"].contains(name), command.option("--delete") != nil {
            self.init("\(problem): without --delete, \(command.name) removes nothing")
        } else if ["--dry-run", "-n"].contains(name), command.option("--limit") != nil {
            self.init("\(problem): nuke-batch plan MANIFEST shows what run would do")
        } else if ["--resume", "--continue"].contains(name), command.option("--limit") != nil {
            self.init("\(problem): \(command.name) continues where the last run ended")
        } else {
            let known = command.options.map(\.name) + ["--help"]
            self.init(problem + UsageError.hint(for: name, among: known, synonyms: Self.synonyms))
        }
    }

    /// Options of similar programs, and those of this one.
    private static let synonyms = [
        "-q": "--quiet", "--silent": "--quiet", "-v": "--verbose", "--debug": "--verbose",
        "-j": "--concurrency", "--jobs": "--concurrency", "--parallel": "--concurrency",
        "--workers": "--processing", "--threads": "--processing", "--force": "--fresh", "-f": "--fresh",
        "--reset": "--fresh", "-o": "--destination", "--output": "--destination", "--out": "--destination",
        "--timeout": "--max-duration", "--filter": "--url", "--status": "--state", "--format": "--json",
    ]

    fileprivate init(operandCount count: Int, of command: CommandDescription) {
        let problem =
            if command.operands.isEmpty {
                "takes no operands"
            } else {
                "\(count < command.operandCount.lowerBound ? "needs" : "takes only") \(command.operandUsage)"
            }
        self.init("\(command.name) \(problem); see nuke-batch \(command.name) --help")
    }
}
