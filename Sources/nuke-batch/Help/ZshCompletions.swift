/// The completion script of zsh, for a folder of `$fpath` as `_nuke-batch`.
struct ZshCompletions {
    let program: ProgramDescription

    var script: String {
        let commands = program.words.map { entry($0.word, $0.summary) }
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
            \(CommandGroup.all.map(actions).joined(separator: "\n"))
              esac
              case $command in
            \(program.commands.map(arguments).joined(separator: "\n"))
              esac
            }
            if [ "$funcstack[1]" = _nuke-batch ]; then _nuke_batch "$@"; else compdef _nuke_batch nuke-batch; fi
            """
    }

    private func entry(_ word: String, _ summary: String) -> String {
        "    '\(word):\(quoted(summary))'"
    }

    /// Returns the case that offers the second words of a group, or goes on with the command of two words.
    private func actions(of group: CommandGroup) -> String {
        let entries = program.commands(of: group).map { entry($0.action, $0.summary) }
        return """
              \(group.word))
                local -a actions=(
            \(entries.joined(separator: "\n"))
                )
                if ((CURRENT == 2)); then
                  _describe action actions
                  return
                fi
                command="\(group.word) $words[2]"
                shift words
                ((CURRENT--)) ;;
            """
    }

    private func arguments(of command: CommandDescription) -> String {
        let options = command.options.map { option in
            "      \(names(of: option))[\(quoted(option.help))]\(action(for: option.value))' \\"
        }
        let choices = command.operands.first?.value.choices ?? []
        let first = choices.isEmpty ? [] : ["      '1:operand:(\(choices.joined(separator: " ")))' \\"]
        // Only operands that are not words of a list are files.
        let rest = command.operands.count > first.count ? "      '*:operand:_files' \\\n" : ""
        return """
              "\(command.name)") _arguments \\
            \((options + first).map { $0 + "\n" }.joined())\(rest)      '--help[Print this help]' ;;
            """
    }

    /// Returns the beginning of a specification, up to its description: a short name excludes the long one.
    ///
    /// A value may stand in the word of its option, as in `--step=pack` and `-j8`.
    private func names(of option: OptionDescription) -> String {
        let (plus, equals) = option.value == nil ? ("", "") : ("+", "=")
        guard let short = option.short else { return "'\(option.name)\(equals)" }
        return "'(\(short) \(option.name))'{\(short)\(plus),\(option.name)\(equals)}'"
    }

    private func action(for value: ValueDescription?) -> String {
        switch value?.completion {
        case nil: ""
        case .folder: ":folder:_files -/"
        case .words(let words): ":value:(\(words.joined(separator: " ")))"
        // The space keeps _arguments from adding words of its own.
        case .list(let words): ":value: _values -s , value \(words.joined(separator: " "))"
        case .file: ":file:_files"
        case .some(.none): ":value: "
        }
    }

    /// Returns text for single quotes, with the marks escaped that end a description.
    private func quoted(_ text: String) -> String {
        var result = text.replacing("'", with: "'\\''")
        for mark in ["[", "]", ":"] { result = result.replacing(mark, with: "\\\(mark)") }
        return result
    }
}
