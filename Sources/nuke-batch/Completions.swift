import NukeBatch

/// Completions for shells, made of the command table: commands, options, and what their values are.
enum Completions {
    /// The shells that there are scripts for.
    static let shells = ["bash", "zsh", "fish"]

    /// The script for a shell; nil for one that is not known.
    static func script(for shell: String) -> String? {
        switch shell {
        case "bash": bash
        case "zsh": zsh
        case "fish": fish
        default: nil
        }
    }

    /// To be read by a shell's start-up file, or put into bash-completion's folder as `nuke-batch`.
    private static var bash: String {
        let commands = Command.all.map { command in
            "    \(command.name)) options=\"\(names(of: command).joined(separator: " "))\" ;;"
        }
        let values = Command.all.flatMap { command in
            command.options.filter { !$0.choices.isEmpty }.map { option in
                let words = option.choices.joined(separator: " ")
                return """
                        "\(command.name) \(option.name)") COMPREPLY=($(compgen -W "\(words)" -- "$word")); return ;;
                    """
            }
        }
        let folders = allOptions.filter { $0.value == "DIR" }.map(pattern).joined(separator: "|")
        let free = allOptions.filter { $0.value != nil && $0.choices.isEmpty && !$0.isPath }.map(pattern)
            .joined(separator: "|")
        return """
            # bash completion for nuke-batch: source <(nuke-batch completions bash)
            _nuke_batch() {
              local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options=
              COMPREPLY=()
              if [ "$COMP_CWORD" -eq 1 ]; then
                COMPREPLY=($(compgen -W "\(Command.all.map(\.name).joined(separator: " ")) --help --version" -- "$word"))
                return
              fi
              case ${COMP_WORDS[1]} in
            \(commands.joined(separator: "\n"))
              esac
              case "${COMP_WORDS[1]} $before" in
            \(values.joined(separator: "\n"))
                \(folders)) compopt -o filenames; COMPREPLY=($(compgen -d -- "$word")); return ;;
                \(free)) return ;;
              esac
              if [ "${COMP_WORDS[1]}" = completions ]; then
                COMPREPLY=($(compgen -W "\(shells.joined(separator: " "))" -- "$word"))
              elif [[ $word == -* ]]; then
                COMPREPLY=($(compgen -W "$options" -- "$word"))
              else
                compopt -o filenames
                COMPREPLY=($(compgen -f -- "$word"))
              fi
            }
            complete -F _nuke_batch nuke-batch
            """
    }

    /// To be put into a folder of `$fpath` as `_nuke-batch`.
    private static var zsh: String {
        let commands = Command.all.map { "    '\($0.name):\(zshText($0.summary))'" }
        let options = Command.all.map { command in
            let lines = command.options.map { option -> String in
                let value =
                    switch option.value {
                    case nil: ""
                    case "DIR": ":folder:_files -/"
                    case _ where !option.choices.isEmpty: ":value:(\(option.choices.joined(separator: " ")))"
                    case _ where option.isPath: ":file:_files"
                    default: ":value: "
                    }
                return "      '\(option.name)[\(zshText(option.help))]\(value)' \\"
            }
            let operand = command.name == "completions" ? ":(\(shells.joined(separator: " ")))" : ":_files"
            return """
                  \(command.name)) _arguments \\
                \((lines + ["      '--help[print what the command takes]' \\"]).joined(separator: "\n"))
                      '*:operand\(operand)' ;;
                """
        }
        return """
            #compdef nuke-batch
            # zsh completion for nuke-batch: nuke-batch completions zsh > FOLDER-OF-FPATH/_nuke-batch
            _nuke_batch() {
              local -a commands=(
            \(commands.joined(separator: "\n"))
              )
              if ((CURRENT == 2)); then
                _describe command commands
                return
              fi
              local command=$words[2]
              shift words
              ((CURRENT--))
              case $command in
            \(options.joined(separator: "\n"))
              esac
            }
            if [ "$funcstack[1]" = _nuke-batch ]; then _nuke_batch "$@"; else compdef _nuke_batch nuke-batch; fi
            """
    }

    /// To be put into `~/.config/fish/completions/nuke-batch.fish`.
    private static var fish: String {
        let commands = Command.all.map { command in
            "complete -c nuke-batch -f -n __fish_use_subcommand -a \(command.name) -d \(fishText(command.summary))"
        }
        let options = Command.all.flatMap { command in
            command.options.map { option -> String in
                let value =
                    switch option.value {
                    case nil: ""
                    case "DIR": " -x -a '(__fish_complete_directories)'"
                    case _ where !option.choices.isEmpty: " -x -a '\(option.choices.joined(separator: " "))'"
                    case _ where option.isPath: " -r -F"
                    default: " -x"
                    }
                return "complete -c nuke-batch -n '__fish_seen_subcommand_from \(command.name)' "
                    + "-l \(option.name.dropFirst(2))\(value) -d \(fishText(option.help))"
            }
        }
        let shellNames =
            "complete -c nuke-batch -f -n '__fish_seen_subcommand_from completions' -a '\(shells.joined(separator: " "))'"
        return
            (["# fish completion for nuke-batch: nuke-batch completions fish | source"] + commands + options
            + [shellNames])
            .joined(separator: "\n")
    }

    /// The option after any command, for bash.
    private static func pattern(_ option: Option) -> String {
        "*\" \(option.name)\""
    }

    /// Every option once.
    private static var allOptions: [Option] {
        var seen: Set<String> = []
        return Command.all.flatMap(\.options).filter { seen.insert($0.name).inserted }
    }

    private static func names(of command: Command) -> [String] {
        command.options.map(\.name) + ["--help"]
    }

    /// Within single quotes, where `:` and brackets end a description.
    private static func zshText(_ text: String) -> String {
        var result = text.replacing("'", with: "'\\''")
        for mark in ["[", "]", ":"] { result = result.replacing(mark, with: "\\\(mark)") }
        return result
    }

    private static func fishText(_ text: String) -> String {
        "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
    }
}

extension Option {
    /// Whether its value is a path.
    fileprivate var isPath: Bool {
        value == "FILE" || value == "DIR"
    }

    /// The words that it takes, where they are few.
    fileprivate var choices: [String] {
        switch value {
        case "KIND": ["auto", "bar", "plain", "none"]
        case "STATE,…": ItemSelection.knownStates
        default: []
        }
    }
}
