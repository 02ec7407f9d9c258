import Foundation
import TestSupport
import Testing

/// The words that zsh and fish themselves offer with their completion scripts.
@Suite(
    .timeLimit(.minutes(10)),
    .enabled(
        if: CompletingShell.areInstalled,
        "zsh or fish is not installed (Debian: apt-get install zsh fish)"
    )
) struct ShellCompletionTests {
    /// A start-up file that writes what a completion finds to a file, and ends the shell after the first one.
    private static let start = #"""
        fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D
        bindkey '^I' complete-word
        compadd() {
          local -a found
          if [[ " ${@[1,(i)-(|-)]} " != *\ -[OAD]\ * ]]; then
            builtin compadd -O found "$@"; print -rl -- $found >>offered
          fi
          builtin compadd "$@"
        }
        comppostfuncs=(exit)
        """#

    /// Types a line and a tab in an interactive zsh, which completes nothing without a terminal.
    private static let typing = #"""
        zmodload zsh/zpty; zpty shell zsh -f -i
        zpty -w shell 'source ./start'
        zpty -n -w shell "$1"$'\t'
        while zpty -r shell; do :; done >typed
        """#

    /// Returns the words that the shell offers for the end of a line, in their order.
    private func offered(_ line: String, by shell: CompletingShell) async throws -> [String] {
        let folder = try TemporaryFolder()
        let script = try await Program.run("nuke-batch", ["completions", shell.rawValue], in: folder.path)
        try folder.write(script.output, to: shell.file)
        try folder.write("{}", to: "job.json")
        let jobs = folder.path("jobs")
        try FileManager.default.createDirectory(atPath: jobs, withIntermediateDirectories: true)
        let words: [String]
        switch shell {
        case .zsh:
            try folder.write(Self.start, to: "start")
            try folder.write("", to: "offered")
            words = ["-f", "-c", Self.typing, "zsh", line]
        case .fish:
            words = ["--no-config", "-c", "source script; complete -C $argv[1]", line]
        }
        let outcome = try await Program(path: shell.path, words, in: folder.path).wait()
        #expect(outcome.exit == 0 && outcome.errors.isEmpty, "\(line): \(outcome.errors)")
        let text =
            try shell == .zsh
            ? String(contentsOfFile: folder.path("offered"), encoding: .utf8) : outcome.output
        // fish repeats what stands before a value, marks folders, and adds descriptions.
        let found = text.split(separator: "\n").compactMap { line in
            line.prefix { $0 != "\t" }.split { "=,/".contains($0) }.last.map(String.init)
        }
        return Set(found).sorted()
    }

    @Test("offers commands, actions, options, and the words of values", arguments: CompletingShell.allCases)
    func offers(shell: CompletingShell) async throws {
        for (line, words) in [
            ("fl", "fleet"), ("fleet ", "collect key plan status template work"), ("fleet w", "work"),
            ("fleet plan --s", "--scratch --step --store"), ("fleet status --w", "--watch"),
            ("plan --st", "--state-file"), ("run --conc", "--concurrency"),
            ("fleet plan --step ", "claim pack seal write"), ("fleet plan --step=", "claim pack seal write"),
            ("fleet template ", "aws-batch kubernetes parallel slurm spark"),
            ("items --state failed,r", "retry running"), ("run -o j", "jobs"), ("run j", "job.json jobs"),
        ] {
            let expected = words.split(separator: " ").map(String.init)
            #expect(try await offered("nuke-batch \(line)", by: shell) == expected, "\(line)")
        }
    }

    @Test(
        "offers no options of another command, and no files where none is taken",
        arguments: CompletingShell.allCases
    )
    func offersNothingElse(shell: CompletingShell) async throws {
        for line in [
            "fleet work --w", "plan --step", "cache verify --re", "items --state retry --pr",
            "fleet work --store plan --ch", "fleet status j", "fleet template slurm j", "version j",
        ] {
            #expect(try await offered("nuke-batch \(line)", by: shell) == [], "\(line)")
        }
    }
}

/// A shell that is asked for the words that it offers.
enum CompletingShell: String, CaseIterable {
    case zsh, fish

    var path: String { "/usr/bin/\(rawValue)" }
    /// The name of its script; zsh finds a function by the name of its file.
    var file: String { self == .zsh ? "_nuke-batch" : "script" }

    /// True if all are there: Debian and Fedora have them at this place.
    static var areInstalled: Bool {
        allCases.allSatisfy { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}
