/// A command without its types: what the help, the manual page, the completions and the word splitter read.
struct CommandDescription: Sendable {
    let name: String
    let summary: String
    let operands: [OperandDescription]
    let options: [OptionDescription]
    let examples: CommandExamples
    /// True if the program's help describes it; it only names the others.
    let isEveryday: Bool

    /// The group that it belongs to; nil for most.
    var group: CommandGroup? { CommandGroup.all.first { name.hasPrefix($0.word + " ") } }

    /// The word that selects it in its group, or in the program.
    var action: String { group.map { String(name.dropFirst($0.word.count + 1)) } ?? name }

    /// The operands in a usage line, such as `MANIFEST` or `[MANIFEST]`; empty if there are none.
    var operandUsage: String { operands.map(\.usage).joined(separator: " ") }

    /// The least and the greatest number of operands.
    var operandCount: ClosedRange<Int> {
        let least = operands.count { $0.arity == .required }
        return least...(operands.last?.arity == .repeated ? Int.max : operands.count)
    }

    /// The option of this name or short name.
    func option(_ name: String) -> OptionDescription? {
        options.first { $0.name == name || $0.short == name }
    }
}

/// Command lines that show the use of a command, as they are typed, each with its effect: one imperative sentence without its
/// period.
typealias CommandExamples = KeyValuePairs<String, String>

/// An option as its user sees it.
struct OptionDescription: Sendable {
    /// The name with its two dashes.
    let name: String
    /// Another name, of a dash and a letter.
    var short: String?
    /// The value that it takes; nil for a flag.
    var value: ValueDescription?
    /// One imperative sentence for the help, without its period.
    let help: String
    /// The environment variables that set it, the first of which is named after it; empty for none.
    var variables: [String] = []

    /// The names in the help, the short one first.
    var names: [String] { [short, name].compactMap { $0 } }
}

/// An operand as its user sees it.
struct OperandDescription: Sendable {
    /// The number of words that an operand takes.
    enum Arity {
        case required, optional, repeated
    }

    let value: ValueDescription
    let arity: Arity

    var usage: String {
        switch arity {
        case .required: value.placeholder
        case .optional: "[\(value.placeholder)]"
        case .repeated: "\(value.placeholder)…"
        }
    }
}

/// The value of an option or an operand as its user sees it.
struct ValueDescription: Sendable {
    /// The words that a shell offers for a value.
    enum Completion: Sendable {
        case none, file, folder
        case words([String])
        /// Several of the words, with commas between them.
        case list([String])
    }

    /// The word that stands for the value in the help, such as `FILE`.
    let placeholder: String
    /// The form that an error names, such as "a rate such as 80/s".
    let form: String
    let completion: Completion

    /// The words that the value is one of, or a list of; empty if it is free.
    var choices: [String] {
        switch completion {
        case .words(let words), .list(let words): words
        case .none, .file, .folder: []
        }
    }

    /// True if several words may be given, with commas between them.
    var isList: Bool { if case .list = completion { true } else { false } }
}
