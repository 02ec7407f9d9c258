import Fleet
import JobManifest
import NukeBatch

/// The prefix of the environment variables that set options.
private let prefix = "NUKE_BATCH_"

extension Option {
    /// Returns the same option, which the environment can set too: by the variable after its name, and by `others`.
    func inEnvironment(_ others: String...) -> Self {
        var description = description
        let words = description.name.dropFirst(2).uppercased().replacing("-", with: "_")
        description.variables = [prefix + words] + others
        return Option(description: description, set: set)
    }
}

extension Array {
    /// Returns the same options, which the environment can set too.
    func inEnvironment<Options>() -> Self where Element == Option<Options> {
        map { $0.description.variables.isEmpty ? $0.inEnvironment() : $0 }
    }
}

extension Arguments {
    /// Adds the options of `command` that the environment sets and the command line does not.
    ///
    /// An empty variable sets nothing.
    /// - Throws: `UsageError` for a flag's variable that is neither true nor false, and for two that contradict each other.
    mutating func add(_ environment: [String: String], of command: CommandDescription) throws(UsageError) {
        let given = Set(options.map(\.name))
        for option in command.options where !given.contains(option.name) {
            let found = option.variables.filter { environment[$0]?.isEmpty == false }
            guard let variable = found.first, let text = environment[variable] else { continue }
            if let other = found.first(where: { environment[$0] != text }) {
                throw UsageError(
                    "\(variable) and \(other) both set \(option.name), to different values: unset one"
                )
            }
            if option.value != nil {
                add(Given(name: option.name, value: text, origin: variable))
            } else if try Self.isTrue(text, variable) {
                add(Given(name: option.name, value: "", origin: variable))
            }
        }
    }

    private static func isTrue(_ text: String, _ variable: String) throws(UsageError) -> Bool {
        switch text.lowercased() {
        case "1", "true", "yes": return true
        case "0", "false", "no": return false
        default: throw UsageError("\(variable) takes 1, true or yes, or 0, false or no, not \(text)")
        }
    }
}

extension CommandDescription {
    /// Returns a warning for each variable with the prefix that sets no option of any command of `program`.
    ///
    /// There is none if no option of this command has a variable.
    func warnings(about environment: [String: String], in program: ProgramDescription) -> [String] {
        // First, since the descriptions of all commands take their time to make.
        let ours = environment.keys.filter { $0.hasPrefix(prefix) }
        guard !ours.isEmpty, options.contains(where: { !$0.variables.isEmpty }) else { return [] }
        // A run sets one for the command of `--on-finish`; the others name a program, and have a secret.
        let variables = Set(program.commands.flatMap(\.options).flatMap(\.variables))
        let known = variables.union([
            FinishCommand.exitVariable, ParquetProgram.variable, CollectSecret.variable,
        ])
        let unknown = ours.filter { !known.contains($0) }
        return unknown.sorted().map { name in
            let words = variables.map { String($0.dropFirst(prefix.count)) }
            let nearest = NearestName.nearest(to: String(name.dropFirst(prefix.count)), among: words)
            let hint =
                nearest.map { "did you mean \(prefix)\($0)?" }
                ?? "nuke-batch \(self.name) --help lists those that do"
            return "the environment variable \(name) sets no option; \(hint)"
        }
    }
}
