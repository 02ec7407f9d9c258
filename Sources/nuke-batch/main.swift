import JobPlanning
import Foundation
import JobManifest

if Array(CommandLine.arguments.dropFirst()) == [RenderProcessCommand.name] {
    // On the first thread, before there is another: its limits hold for all threads that it starts.
    let child = RenderProcessCommand.begin()
    exit(await RenderProcessCommand.answer(child))
}
// The write that fails handles a reader that has gone away (`Output`).
signal(SIGPIPE, SIG_IGN)
do {
    switch try Invocation(Array(CommandLine.arguments.dropFirst())) {
    case .help(let text): Output.result(text)
    case .perform(let command): exit(try await command.perform().rawValue)
    }
} catch {
    let message = ErrorMessage(error)
    Output.message(message.text)
    exit(message.exit.rawValue)
}
