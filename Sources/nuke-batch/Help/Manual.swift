import Files
import JobManifest
import JobPlanning

/// The manual page of the program (section 1), made from the commands' tables, in the macros of man(7).
enum Manual {
    static func page(of program: ProgramDescription) -> String {
        let commands = program.commands.map { command in
            let operands = command.operandUsage.isEmpty ? "" : " \(roff(command.operandUsage))"
            let lines = [
                ".SS \"nuke\\-batch \(roff(command.name))\(operands)\"", roff(sentence(command.summary)),
            ]
            let examples = command.examples.map { line, effect in
                ".TP\n\\fB\(roff(line))\\fR\n\(roff(sentence(effect)))"
            }
            return (lines + command.options.map(entry) + [".PP", "Examples:"] + examples)
                .joined(separator: "\n")
        }
        let exits = ExitCode.all.map { ".TP\n\($0.code)\n\(roff(sentence($0.meaning)))" }
        var seen: Set<String> = []
        let variables = program.commands.flatMap(\.options).flatMap { option in
            option.variables.filter { seen.insert($0).inserted }.map {
                ".TP\n.B \(roff($0))\nSets \\fB\(roff(option.name))\\fR, unless the command line does."
            }
        }
        let errors = ErrorCode.listed.map { code in
            let entry = code.entry
            let recovery = sentence(entry.recovery.summary.replacing("`", with: ""))
            return ".TP\n\(roff(entry.name))\n\(roff("\(entry.meaning) \(entry.remedy) \(recovery)"))"
        }
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
            A manifest lists the images, their sources, the outputs to make and the limits to respect.
            .B nuke\\-batch run
            loads the images within each host's limits, caches the originals, writes every output durably and records it.
            Run it again to finish what is left.
            .PP
            Manifests are JSON, or YAML in files called NAME.yaml or NAME.yml; \\fB\\-\\fR is standard input.
            .PP
            Write options as \\fB\\-\\-name value\\fR or \\fB\\-\\-name=value\\fR; \\fB\\-\\-\\fR ends them. Short options can be
            grouped: \\fB\\-qv\\fR, \\fB\\-j8\\fR.
            .SH COMMANDS
            \(commands.joined(separator: "\n"))
            .SH "EXIT STATUS"
            If several apply, the first of 129, 130, 143, 4, 5, 1, 0.
            \(exits.joined(separator: "\n"))
            .SH ERRORS
            Failed items have one of these codes. Statuses that are not listed have codes of the same form, http_\\fISTATUS\\fR.
            \(errors.joined(separator: "\n"))
            .SH ENVIRONMENT
            The variables of options apply to every command that has the option and override the manifest. An empty one sets
            nothing. Those of flags take 1, true or yes, and 0, false or no.
            \(variables.joined(separator: "\n"))
            .TP
            .B NO_COLOR
            If set to any value, disables colours.
            .TP
            .B TERM
            If \\fBdumb\\fR, prints progress as plain lines.
            .TP
            .B LC_ALL, LC_CTYPE, LANG
            If they name UTF\\-8, the progress bar uses Unicode characters.
            .TP
            .B XDG_CACHE_HOME
            The parent folder of the cache of originals, unless the manifest names a cache folder.
            .SH FILES
            .TP
            .I .nuke\\-batch/NAME.sqlite
            The state of the job of NAME.json or NAME.yaml, beside the manifest, unless its key state or \\-\\-state\\-file
            names another file. Its tables are documented in it. sqlite3 can read them during a run.
            .SH "SEE ALSO"
            .BR nuke\\-batch (5),
            the keys of manifests
            """
    }

    private static func entry(_ option: OptionDescription) -> String {
        let names = option.names.map { "\\fB\(roff($0))\\fR" }.joined(separator: ", ")
        let value = option.value.map { " \\fI\(roff($0.placeholder))\\fR" } ?? ""
        return ".TP\n\(names)\(value)\n\(roff(sentence(option.help)))"
    }

    static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
    }

    /// Returns text as roff prints it: literal hyphens, no command at the start of a line, ASCII only.
    static func roff(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "\"": result += "\\(dq"
            case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
            default:
                result +=
                    "\\[u\(String(scalar.value, radix: 16, uppercase: true).leftPadded(to: 4, with: "0"))]"
            }
        }
        return result.hasPrefix(".") || result.hasPrefix("'") ? "\\&" + result : result
    }
}
