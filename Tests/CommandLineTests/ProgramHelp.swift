import Foundation
import TestSupport

/// The text of `nuke-batch --help`, taken apart.
struct ProgramHelp {
    let lines: [Substring]

    /// Reads the help of the program.
    init(in directory: String) async throws {
        let help = try await Program.run("nuke-batch", ["--help"], in: directory)
        lines = help.output.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The commands that it describes, and those that it only names.
    var commands: [String] {
        let described = lines.compactMap { $0.firstMatch(of: #/^  ([a-z]+)  /#).map { String($0.1) } }
        let others = lines.drop { $0 != "other commands:" }.dropFirst().prefix { !$0.isEmpty }
        return described + others.flatMap { $0.matches(of: /[a-z]+/).map { String($0.0) } }
    }
}
