import Foundation
import NukeBatch

if Array(CommandLine.arguments.dropFirst()) == [PixelsCommand.name] {
    // On the first thread, before there is another: what it takes from itself holds for the threads that it makes.
    let child = PixelsCommand.begin()
    exit(await PixelsCommand.answer(child))
}
// A reader that has gone away is answered by the failing write itself (`Output`).
signal(SIGPIPE, SIG_IGN)
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
