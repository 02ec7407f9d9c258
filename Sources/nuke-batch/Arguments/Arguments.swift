import Files

/// The words after a command's name, split into options and operands; their values are not read yet.
struct Arguments {
    /// An option that was given.
    struct Given: Sendable {
        /// Its long name.
        let name: String
        /// Its value; empty for a flag.
        let value: String
        /// The name in an error about the value: the option's, or that of the environment variable.
        let origin: String
    }

    /// The options in their order.
    private(set) var options: [Given] = []
    private(set) var operands: [String] = []
    /// True if the help of the command is asked for; the words after that are not looked at.
    private(set) var isHelp = false

    /// Splits `words` by the options that `command` takes.
    ///
    /// The error about another option may name a command of `program` that has it.
    /// - Throws: `UsageError` for an unknown option, a missing value, or too few or too many operands.
    init(
        _ words: some Sequence<String>,
        of command: CommandDescription,
        in program: ProgramDescription
    ) throws(UsageError) {
        var rest = Array(words)[...]
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                break
            }
            if word.hasPrefix("--") {
                try addLong(word, &rest, of: command, in: program)
            } else if word.hasPrefix("-"), word != "-" {
                try addGroup(word, &rest, of: command, in: program)
            } else {
                operands.append(word)
            }
            if isHelp { return }
        }
        guard operands.count(where: { $0 == "-" }) <= 1 else {
            throw UsageError("- is given twice: give it once, since standard input can be read once")
        }
        guard command.operandCount.contains(operands.count) else {
            throw UsageError(operandCount: operands.count, of: command)
        }
    }

    /// Adds an option that another place than the command line gives.
    mutating func add(_ option: Given) {
        options.append(option)
    }

    private mutating func addLong(
        _ word: String,
        _ rest: inout ArraySlice<String>,
        of command: CommandDescription,
        in program: ProgramDescription
    ) throws(UsageError) {
        if word == "--help" {
            isHelp = true
            return
        }
        let parts = word.parts(at: "=", maxSplits: 1)
        let name = String(parts[0])
        guard let option = command.option(name) else {
            throw UsageError(unknown: name, of: command, in: program)
        }
        guard let value = option.value else {
            guard parts.count == 1 else { throw UsageError("\(option.name) takes no value") }
            return add(option, "")
        }
        add(option, try parts.count == 2 ? String(parts[1]) : Self.next(&rest, of: option, as: value))
    }

    /// Adds a group of short options as getopt(3) does: flags, and an option with its value as the last.
    private mutating func addGroup(
        _ word: String,
        _ rest: inout ArraySlice<String>,
        of command: CommandDescription,
        in program: ProgramDescription
    ) throws(UsageError) {
        var letters = word.unicodeScalars.dropFirst()
        var isFirst = true
        while let letter = letters.popFirst() {
            if letter == "h" {
                isHelp = true
                return
            }
            guard let option = command.option("-\(letter)") else {
                // `-state` and `-quiet` are long options with a dash too few.
                let isLong = isFirst || command.option("-\(word)") != nil
                throw UsageError(unknown: isLong ? word : "-\(letter)", of: command, in: program)
            }
            isFirst = false
            guard let value = option.value else {
                guard letters.first != "=" else { throw UsageError("\(option.name) takes no value") }
                add(option, "")
                continue
            }
            let text = letters.first == "=" ? letters.dropFirst() : letters
            return add(option, try letters.isEmpty ? Self.next(&rest, of: option, as: value) : String(text))
        }
    }

    private mutating func add(_ option: OptionDescription, _ value: String) {
        options.append(Given(name: option.name, value: value, origin: option.name))
    }

    private static func next(
        _ rest: inout ArraySlice<String>,
        of option: OptionDescription,
        as value: ValueDescription
    ) throws(UsageError) -> String {
        guard let text = rest.popFirst() else {
            throw UsageError("\(option.name) needs a value: \(option.name) \(value.placeholder)")
        }
        return text
    }
}
