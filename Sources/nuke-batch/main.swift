import Foundation
import NukeBatch

do {
    switch try Arguments.parse(Array(CommandLine.arguments.dropFirst())) {
    case .help(let text):
        Output.result(text)
    case .run(let command, let arguments):
        exit(await command.perform(arguments).rawValue)
    }
} catch {
    Output.message("nuke-batch: \(error.message)")
    exit(ExitCode.wrongInput.rawValue)
}
