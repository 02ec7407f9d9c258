import NukeBatch

/// The manual page, made of the command table, for `man` (the macros of man(7)).
enum Manual {
    static var page: String {
        let commands = Command.all.map { command in
            let operands = command.operands.isEmpty ? "" : " \(roff(command.operands))"
            let lines = [
                ".SS \"nuke\\-batch \(roff(command.name))\(operands)\"", roff(sentence(command.summary)),
            ]
            return (lines + command.options.map(entry)).joined(separator: "\n")
        }
        let exits = ExitCode.all.map { code, meaning in ".TP\n\(code)\n\(roff(sentence(meaning)))" }
        return """
            .TH NUKE\\-BATCH 1 "" "nuke\\-batch \(roff(Version.current))" "User Commands"
            .SH NAME
            nuke\\-batch \\- batch image jobs that can be interrupted and run again
            .SH SYNOPSIS
            .B nuke\\-batch
            .I COMMAND
            [\\fIOPTION\\fR ...]
            .I MANIFEST
            .SH DESCRIPTION
            A manifest says which images, where from, what to make of them and within which limits.
            .B nuke\\-batch run
            loads them politely, keeps the originals in a cache, makes every output, writes it durably and records it.
            Running it again does what is not done yet.
            .PP
            Options may be given as \\fB\\-\\-name value\\fR or \\fB\\-\\-name=value\\fR; \\fB\\-\\-\\fR ends them.
            .SH COMMANDS
            \(commands.joined(separator: "\n"))
            .SH "EXIT STATUS"
            Of those that apply the first of: 129, 130, 143, 4, 5, 1, 0.
            \(exits.joined(separator: "\n"))
            .SH ENVIRONMENT
            .TP
            .B NO_COLOR
            Set to anything, no colours are used.
            .TP
            .B TERM
            With \\fBdumb\\fR, progress is told in lines that stay.
            .TP
            .B LC_ALL, LC_CTYPE, LANG
            Where they name UTF\\-8, the progress bar is drawn with more than ASCII.
            .TP
            .B XDG_CACHE_HOME
            The folder of the cache of originals, where the manifest names none.
            .SH FILES
            .TP
            .I .nuke\\-batch/NAME.sqlite
            The state of the job of NAME.json, beside the manifest. Its tables are documented in it and may be read with sqlite3
            while a run is going on.
            """
    }

    private static func entry(_ option: Option) -> String {
        let names = [option.short, option.name].compactMap { $0 }.map { "\\fB\(roff($0))\\fR" }.joined(
            separator: ", "
        )
        let value = option.value.map { " \\fI\(roff($0))\\fR" } ?? ""
        return ".TP\n\(names)\(value)\n\(roff(sentence(option.help)))"
    }

    private static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
    }

    /// Text as roff prints it: hyphens that stay hyphens, no command at a line's start, no character beyond ASCII.
    private static func roff(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "\"": result += "\\(dq"
            case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
            default: result += "\\[u\(String(scalar.value, radix: 16, uppercase: true).leftPadded(to: 4))]"
            }
        }
        return result.hasPrefix(".") || result.hasPrefix("'") ? "\\&" + result : result
    }
}

extension String {
    fileprivate func leftPadded(to width: Int) -> String {
        String(repeating: "0", count: max(0, width - count)) + self
    }
}

/// `completions` and `manual`: what belongs to an installation, printed by the program itself.
enum InstallationCommand {
    static func completions(_ arguments: Arguments) -> ExitCode {
        let shell = arguments.operands[0]
        guard let script = Completions.script(for: shell) else {
            let known = Completions.shells.joined(separator: ", ")
            return Failure.report(Arguments.Failure(message: "completions are for \(known), not \(shell)"))
        }
        Output.result(script)
        return .done
    }

    static func manual() -> ExitCode {
        Output.result(Manual.page)
        return .done
    }
}
