/// The completion script of bash, for a start-up file or, as `nuke-batch`, for the folder of bash-completion.
struct BashCompletions {
    private let commands: [CommandDescription]
    private let words: [String]

    init(_ program: ProgramDescription) {
        commands = program.commands
        words = program.words.map(\.word)
    }

    var script: String {
        let names = words.joined(separator: " ")
        let options = commands.map { command in
            let names = command.options.map(\.name) + ["--help"]
            return "    \"\(command.name)\") options=\"\(names.joined(separator: " "))\" ;;"
        }
        let values = commands.flatMap { command in
            command.options.compactMap { option in
                option.value.flatMap { reply(to: "\(command.name) \(option.name)", with: $0) }
            }
        }
        let operands = commands.flatMap { command in
            let last = command.operands.last?.arity == .repeated ? [] : [command.operands.count]
            return command.operands.enumerated().compactMap {
                reply(to: "\(command.name) \($0)", with: $1.value)
            }
                + last.map { "    \"\(command.name) \($0)\") return ;;" }
        }
        return """
            # bash completion for nuke-batch: source <(nuke-batch completions bash)
            _nuke_batch() {
              local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options= list= index operands=0
              local command=${COMP_WORDS[1]} first=2
              COMPREPLY=()
              [[ $word == *,* ]] && list=${word%,*},
              if [ "$COMP_CWORD" -eq 1 ]; then
                COMPREPLY=($(compgen -W "\(names) help --help --version" -- "$word"))
                return
              fi
              case $command in
            \(CommandGroup.all.map(actions).joined(separator: "\n"))
              esac
              case $command in
                help) COMPREPLY=($(compgen -W "\(names)" -- "$word")); return ;;
            \(options.joined(separator: "\n"))
              esac
              case "$command $before" in
            \(values.joined(separator: "\n"))
                \(patterns { $0.isFolder })) compopt -o filenames; COMPREPLY=($(compgen -d -- "$word")); return ;;
                \(patterns { $0.isFile })) compopt -o filenames; COMPREPLY=($(compgen -f -- "$word")); return ;;
                \(patterns { $0.isFree })) return ;;
              esac
              if [[ $word == -* ]]; then
                COMPREPLY=($(compgen -W "$options" -- "$word"))
                return
              fi
              for ((index = first; index < COMP_CWORD; index++)); do
                case " ${COMP_WORDS[index]}" in
                  \(valued)) ((index++)) ;;
                  " -"*) ;;
                  *) ((operands++)) ;;
                esac
              done
              case "$command $operands" in
            \(operands.joined(separator: "\n"))
              esac
              compopt -o filenames
              COMPREPLY=($(compgen -f -- "$word"))
            }
            complete -F _nuke_batch nuke-batch
            """
    }

    /// Returns the case that offers the second words of a group, or goes on with the command of two words.
    private func actions(of group: CommandGroup) -> String {
        """
            \(group.word))
              if [ "$COMP_CWORD" -eq 2 ]; then
                COMPREPLY=($(compgen -W "\(group.actions.joined(separator: " ")) --help" -- "$word"))
                return
              fi
              command="\(group.word) ${COMP_WORDS[2]}" first=3 ;;
        """
    }

    /// Returns the case that offers the words of a value and ends; nil if there are none.
    private func reply(to pattern: String, with value: ValueDescription) -> String? {
        guard !value.choices.isEmpty else { return nil }
        let words = "-W \"\(value.choices.joined(separator: " "))\""
        // After a comma the next word of a list is completed.
        let found = value.isList ? "-P \"$list\" \(words) -- \"${word##*,}\"" : "\(words) -- \"$word\""
        return "    \"\(pattern)\") COMPREPLY=($(compgen \(found))); return ;;"
    }

    /// Returns the pattern of the options whose values fit, after a command: a short name has another meaning in each.
    private func patterns(_ fits: (ValueDescription.Completion) -> Bool) -> String {
        pattern { command, option in
            guard let value = option.value, fits(value.completion) else { return [] }
            return ["*\" \(option.name)\""] + (option.short.map { ["\"\(command.name) \($0)\""] } ?? [])
        }
    }

    /// The pattern of all options with values, after a space.
    private var valued: String {
        pattern { _, option in option.value == nil ? [] : option.names.map { "\" \($0)\"" } }
    }

    private func pattern(_ parts: (CommandDescription, OptionDescription) -> [String]) -> String {
        var seen: Set<String> = []
        return commands.flatMap { command in command.options.flatMap { parts(command, $0) } }
            .filter { seen.insert($0).inserted }.joined(separator: "|")
    }
}

extension ValueDescription.Completion {
    fileprivate var isFile: Bool { if case .file = self { true } else { false } }

    fileprivate var isFolder: Bool { if case .folder = self { true } else { false } }

    fileprivate var isFree: Bool { if case .none = self { true } else { false } }
}
