import Files

extension UsageError {
    /// The error of an option that `command` does not have, with the one that was probably meant, or with the
    /// command of `program` that has it.
    init(unknown word: String, of command: CommandDescription, in program: ProgramDescription) {
        let name = String(word.parts(at: "=", maxSplits: 1)[0])
        let problem = "\(command.name) has no option \(name)"
        let isDryRun = ["--dry-run", "-n"].contains(name)
        if name == "--state", command.option("--state-file") != nil {
            let selecting = program.commands.filter { $0.option(name) != nil }.map(\.name)
            self.init(
                "\(problem): --state-file FILE names the state file, and --state STATE,… is an option of "
                    + selecting.joined(separator: ", ")
            )
        } else if let group = command.group,
            let owner = program.commands(of: group).first(where: { $0.option(name) != nil })
        {
            self.init("\(problem): it is one of \(owner.name)")
        } else if isDryRun, let flag = ["--delete", "--repair"].first(where: { command.option($0) != nil }) {
            self.init("\(problem): without \(flag), \(command.name) only looks")
        } else if ["--resume", "--continue"].contains(name), command.option("--limit") != nil {
            self.init("\(problem): \(command.name) continues where the last run ended")
        } else {
            let known = command.options.map(\.name) + ["--help"]
            self.init(
                problem + UsageError.hint(for: name, among: known, synonyms: Self.synonyms, of: command.name)
            )
        }
    }

    /// Options of similar programs, and those of this one.
    private static let synonyms = [
        "--silent": "--quiet", "--debug": "--verbose", "--jobs": "--concurrency",
        "--parallel": "--concurrency", "--workers": "--processing", "--threads": "--processing",
        "--force": "--fresh", "-f": "--fresh", "--reset": "--fresh", "--output": "--destination",
        "--out": "--destination", "--timeout": "--max-duration", "--filter": "--url", "--status": "--state",
        "--format": "--json", "--size": "--fit", "--crop": "--fill", "--destination": "--output",
        "--notify": "--webhook", "--hook": "--on-finish", "--exec": "--on-finish",
    ]

    /// The error of a wrong number of operands.
    init(operandCount count: Int, of command: CommandDescription) {
        let problem =
            if command.operands.isEmpty {
                "takes no operands"
            } else {
                "\(count < command.operandCount.lowerBound ? "needs" : "takes only") \(command.operandUsage)"
            }
        self.init("\(command.name) \(problem); see nuke-batch \(command.name) --help")
    }
}
