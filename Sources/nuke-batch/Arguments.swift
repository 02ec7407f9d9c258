/// The words of the command line, taken apart by the command table and not interpreted further.
struct Arguments {
    /// What is wrong with the command line, with what to type instead.
    struct Failure: Error {
        let message: String
    }

    /// What the command line asks for.
    enum Request {
        case help(String)
        case run(Command, Arguments)
    }

    let operands: [String]
    private let values: [String: String]

    /// Whether the option was given.
    func has(_ option: String) -> Bool {
        values[option] != nil
    }

    /// The option's value, if it was given.
    subscript(_ option: String) -> String? {
        values[option]
    }

    /// Takes the words after the program's name apart.
    static func parse(_ words: [String]) throws(Failure) -> Request {
        guard let first = words.first else { return .help(Help.program) }
        if ["--help", "-h", "help"].contains(first) {
            guard
                let named = words.dropFirst().first.flatMap({ name in Command.all.first { $0.name == name } })
            else {
                return .help(Help.program)
            }
            return .help(Help.command(named))
        }
        let name = first == "--version" ? "version" : first
        guard let command = Command.all.first(where: { $0.name == name }) else {
            throw Failure(message: "there is no command \(name)\(near(name, Command.all.map(\.name)))")
        }
        return try parse(Array(words.dropFirst()), of: command)
    }

    private static func parse(_ words: [String], of command: Command) throws(Failure) -> Request {
        var values: [String: String] = [:]
        var operands: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            if word == "--help" || word == "-h" { return .help(Help.command(command)) }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init
            )
            guard let option = command.options.first(where: { $0.name == parts[0] || $0.short == parts[0] })
            else {
                throw unknown(parts[0], in: command)
            }
            guard let placeholder = option.value else {
                guard parts.count == 1 else { throw Failure(message: "\(option.name) takes no value") }
                values[option.name] = ""
                continue
            }
            guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                throw Failure(message: "\(option.name) needs a value: \(option.name) \(placeholder)")
            }
            values[option.name] = value
            if option.name == "--state", !command.selectsByState { values["--state-file"] = value }
        }
        guard command.operandCount.contains(operands.count) else {
            let problem = operands.count < command.operandCount.lowerBound ? "needs" : "takes only"
            let what = command.operands.isEmpty ? "no operand" : command.operands
            throw Failure(
                message: "\(command.name) \(problem) \(what); see nuke-batch \(command.name) --help"
            )
        }
        return .run(command, Arguments(operands: operands, values: values))
    }

    private static func unknown(_ name: String, in command: Command) -> Failure {
        let suggestion = near(name, command.options.map(\.name) + ["--help"])
        return Failure(message: "\(command.name) has no option \(name)\(suggestion)")
    }

    private static func near(_ word: String, _ known: [String]) -> String {
        let best = known.map { ($0, distance(word, $0)) }.min { $0.1 < $1.1 }
        guard let best, best.1 <= max(2, word.count / 3) else { return "; see nuke-batch --help" }
        return "; did you mean \(best.0)?"
    }

    /// The number of insertions, removals and replacements between two words (Levenshtein).
    private static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (number, character) in left.enumerated() {
            var diagonal = row[0]
            row[0] = number + 1
            for column in right.indices {
                let above = row[column + 1]
                row[column + 1] = min(
                    above + 1,
                    row[column] + 1,
                    diagonal + (character == right[column] ? 0 : 1)
                )
                diagonal = above
            }
        }
        return row[right.count]
    }
}
