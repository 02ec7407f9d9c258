/// The completion script of fish, for `~/.config/fish/completions/nuke-batch.fish`.
struct FishCompletions {
    let program: ProgramDescription

    var script: String {
        let words = program.words.map { word, summary in
            "complete -c nuke-batch -f -n __nuke_batch_is -a \(word) -d \(quoted(summary))"
        }
        let actions = CommandGroup.all.flatMap { group in
            program.commands(of: group).map { command in
                "complete -c nuke-batch -f -n '__nuke_batch_is \(group.word)' -a \(command.action) "
                    + "-d \(quoted(command.summary))"
            }
        }
        let options = program.commands.flatMap { command in
            command.options.map { option in
                "\(condition(command)) -l \(option.name.dropFirst(2))\(short(option))"
                    + "\(action(for: option.value)) -d \(quoted(option.help))"
            }
        }
        let help = "complete -c nuke-batch -l help -d 'Print this help'"
        return ([Self.functions] + words + actions + options + [help] + program.commands.flatMap(operands))
            .joined(separator: "\n")
    }

    /// Commands are found by the places of their words: `verify` may be an operand too, and `retry` a value.
    private static let functions = """
        # fish completion for nuke-batch: nuke-batch completions fish | source
        # True if the words between the program and the next one are these.
        function __nuke_batch_is
            set -l words (commandline -opc)
            set -e words[1]
            test "$words" = "$argv"
        end
        # True if these are the first of them.
        function __nuke_batch_begins
            set -l words (commandline -opc)
            set -e words[1]
            set -l last (count $argv)
            test "$words[1..$last]" = "$argv"
        end
        """

    private func condition(_ command: CommandDescription) -> String {
        "complete -c nuke-batch -n '__nuke_batch_begins \(command.name)'"
    }

    /// Returns the lines that offer the words of the first operand, and no files to a command that takes none.
    private func operands(of command: CommandDescription) -> [String] {
        let choices = command.operands.first?.value.choices ?? []
        let words = choices.joined(separator: " ")
        // Only operands that are not words of a list are files.
        let noFiles = command.operands.count > (choices.isEmpty ? 0 : 1) ? [] : ["\(condition(command)) -f"]
        guard !choices.isEmpty else { return noFiles }
        let isMissing = "__nuke_batch_begins \(command.name); and not __fish_seen_subcommand_from \(words)"
        return noFiles + ["complete -c nuke-batch -n '\(isMissing)' -f -a '\(words)'"]
    }

    private func short(_ option: OptionDescription) -> String {
        option.short.map { " -s \($0.dropFirst())" } ?? ""
    }

    private func action(for value: ValueDescription?) -> String {
        switch value?.completion {
        case nil: ""
        case .folder: " -x -a '(__fish_complete_directories)'"
        case .words(let words): " -x -a '\(words.joined(separator: " "))'"
        case .list(let words):
            " -x -a '(__fish_complete_list , \\'printf \"%s\\\\n\" \(words.joined(separator: " "))\\')'"
        case .file: " -r -F"
        case .some(.none): " -x"
        }
    }

    private func quoted(_ text: String) -> String {
        "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
    }
}
