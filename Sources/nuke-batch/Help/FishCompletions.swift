/// The completion script of fish, for `~/.config/fish/completions/nuke-batch.fish`.
struct FishCompletions {
    private let program: ProgramDescription

    init(_ program: ProgramDescription) {
        self.program = program
    }

    var script: String {
        let words = program.words.map { word, summary in
            "complete -c nuke-batch -f -n __fish_use_subcommand -a \(word) -d \(quoted(summary))"
        }
        let actions = CommandGroup.all.flatMap { group in
            let isMissing =
                "__fish_seen_subcommand_from \(group.word); "
                + "and not __fish_seen_subcommand_from \(group.actions.joined(separator: " "))"
            return program.commands(of: group).map { command in
                "complete -c nuke-batch -f -n '\(isMissing)' -a \(command.action) "
                    + "-d \(quoted(command.summary))"
            }
        }
        let options = program.commands.flatMap { command in
            command.options.map { option in
                "\(condition(command)) -l \(option.name.dropFirst(2))\(short(option))\(action(for: option.value)) "
                    + "-d \(quoted(option.help))"
            }
        }
        let operands = program.commands.compactMap { command -> String? in
            let choices = command.operands.first?.value.choices ?? []
            let words = choices.joined(separator: " ")
            let condition = seen(command)
            // Once the word is there, fish offers files: for the operands that follow.
            let isMissing =
                "\(condition); and not __fish_seen_subcommand_from \(words)"
            return choices.isEmpty ? nil : "complete -c nuke-batch -n '\(isMissing)' -f -a '\(words)'"
        }
        let title = "# fish completion for nuke-batch: nuke-batch completions fish | source"
        return ([title] + words + actions + options + operands).joined(separator: "\n")
    }

    private func condition(_ command: CommandDescription) -> String {
        "complete -c nuke-batch -n '\(seen(command))'"
    }

    /// Returns the condition that the words of a command are there; `plan` is not `fleet plan`.
    private func seen(_ command: CommandDescription) -> String {
        let words = command.name.split(separator: " ").map { "__fish_seen_subcommand_from \($0)" }
        let others = command.group == nil ? CommandGroup.all.filter { $0.actions.contains(command.name) } : []
        return (words + others.map { "not __fish_seen_subcommand_from \($0.word)" }).joined(
            separator: "; and "
        )
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
