import JobPlanning

/// A command of nuke-batch: its entry in the help, the options that it takes as its properties, and what it does.
///
/// A new command is one file in `Commands`, or in the folder of its group, one case of `CommandName`, and its
/// line in the table of `Program`. A type without a case has no `name`, and a case without a type leaves the
/// switch of that table incomplete: neither compiles.
protocol Command: Sendable {
    /// The word that selects the command.
    static var name: CommandName { get }
    /// One imperative sentence for the help, without its period.
    static var summary: String { get }
    /// The operands, in their order on the command line.
    static var operands: [Operand<Self>] { get }
    /// The options, in the order of the help: from them come the parser, the help, the manual page and the completions.
    static var table: [Option<Self>] { get }

    /// Two command lines for the help and the manual page.
    static var examples: CommandExamples { get }

    /// True for a command that passes much between few threads, so that the memory of the process is that in use
    /// (``ProcessLimits/useOneArena()``).
    static var usesOneArena: Bool { get }

    /// Makes the command whose properties have the values that hold where the command line says nothing; required operands are
    /// always set after that.
    init()

    /// Does the command's work and writes its results to standard output.
    /// - Returns: The exit code of the process.
    /// - Throws: Any error; `ErrorMessage` gives its text and exit code.
    func perform() async throws -> ExitCode
}

/// A command about one job, whose manifest is its operand.
protocol JobCommand: Command {
    var job: JobOptions { get set }
}

extension JobCommand {
    static var operands: [Operand<Self>] { [.required(.manifest, \.job.manifestPath)] }
}

extension Command {
    static var operands: [Operand<Self>] { [] }
    static var table: [Option<Self>] { [] }
    static var usesOneArena: Bool { false }

    /// The command as the help and the parser see it.
    static var description: CommandDescription {
        CommandDescription(
            name: name.rawValue,
            summary: summary,
            operands: operands.map(\.description),
            options: table.map(\.description),
            examples: examples,
            isEveryday: CommandName.everyday.contains(name)
        )
    }

    /// Makes the command from arguments that were split by its description.
    /// - Throws: `UsageError` for a value that cannot be read.
    init(_ arguments: Arguments) throws(UsageError) {
        self.init()
        for given in arguments.options {
            guard let option = Self.table.first(where: { $0.description.name == given.name }) else {
                continue
            }
            guard option.set(&self, given.value) else {
                let form = option.description.value?.form ?? "no value"
                throw UsageError("\(given.origin) takes \(form), not \(given.value)")
            }
        }
        for (position, text) in arguments.operands.enumerated() {
            // The last operand takes what is left: it may be repeated.
            let operand = Self.operands[min(position, Self.operands.count - 1)]
            guard operand.set(&self, text) else {
                throw UsageError("\(Self.name.rawValue) takes \(operand.description.value.form), not \(text)")
            }
        }
    }
}
