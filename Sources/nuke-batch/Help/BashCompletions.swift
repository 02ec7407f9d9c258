/// The completion script of bash, for a start-up file or, as `nuke-batch`, for the folder of bash-completion.
enum BashCompletions {
    static var script: String {
        let commands = CommandDescription.all
        let options = commands.map { command in
            let names = command.options.map(\.name) + ["--help"]
            return "    \(command.name)) options=\"\(names.joined(separator: " "))\" ;;"
        }
        let optionValues = commands.flatMap { command in
            command.options.compactMap { option in
                reply(to: "\"\(command.name) \(option.name)\"", with: option.value?.choices ?? [])
            }
        }
        let operands = commands.compactMap { command in
            reply(to: "\"\(command.name) 2\"", with: command.operands.first?.value.choices ?? [])
        }
        return """
            # bash completion for nuke-batch: source <(nuke-batch completions bash)
            _nuke_batch() {
              local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options=
              COMPREPLY=()
              if [ "$COMP_CWORD" -eq 1 ]; then
                COMPREPLY=($(compgen -W "\(commands.map(\.name).joined(separator: " ")) --help --version" -- "$word"))
                return
              fi
              case ${COMP_WORDS[1]} in
            \(options.joined(separator: "\n"))
              esac
              case "${COMP_WORDS[1]} $before" in
            \(optionValues.joined(separator: "\n"))
                \(patterns(isFolder))) compopt -o filenames; COMPREPLY=($(compgen -d -- "$word")); return ;;
                \(patterns(isFree))) return ;;
              esac
              if [[ $word == -* ]]; then
                COMPREPLY=($(compgen -W "$options" -- "$word"))
                return
              fi
              case "${COMP_WORDS[1]} $COMP_CWORD" in
            \(operands.joined(separator: "\n"))
              esac
              compopt -o filenames
              COMPREPLY=($(compgen -f -- "$word"))
            }
            complete -F _nuke_batch nuke-batch
            """
    }

    /// Returns the case that offers `words` and ends; nil if there are none.
    private static func reply(to pattern: String, with words: [String]) -> String? {
        guard !words.isEmpty else { return nil }
        return """
                \(pattern)) COMPREPLY=($(compgen -W "\(words.joined(separator: " "))" -- "$word")); return ;;
            """
    }

    /// Returns the pattern of any command followed by one of the options whose values fit.
    private static func patterns(_ fits: (ValueDescription.Completion) -> Bool) -> String {
        var seen: Set<String> = []
        return CommandDescription.all.flatMap(\.options)
            .filter { option in
                guard let value = option.value, fits(value.completion) else { return false }
                return seen.insert(option.name).inserted
            }
            .map { "*\" \($0.name)\"" }.joined(separator: "|")
    }

    private static func isFolder(_ completion: ValueDescription.Completion) -> Bool {
        if case .folder = completion { true } else { false }
    }

    private static func isFree(_ completion: ValueDescription.Completion) -> Bool {
        if case .none = completion { true } else { false }
    }
}
