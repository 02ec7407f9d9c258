import Files
import Foundation
import JobManifest
import JobPlanning

guard !CommandLine.arguments.isEmpty else {
    Output.message("nuke-batch: cannot read its command line: mount /proc, which it needs")
    exit(ExitCode.machine.rawValue)
}
if Array(CommandLine.arguments.dropFirst()) == [RenderProcessCommand.name] {
    // On the first thread, before there is another: its limits hold for all threads that it starts.
    let child = RenderProcessCommand.begin()
    exit(await RenderProcessCommand.answer(child))
}
StandardStreams.prepare()
var code = ExitCode.done
do {
    let words = Array(CommandLine.arguments.dropFirst())
    switch try Invocation(words, environment: ProcessInfo.processInfo.environment) {
    case .help(let text): Output.result(text)
    case .perform(let command, let warnings):
        for warning in warnings { Output.warn(warning) }
        // Before the first task, which would wait forever for a thread that cannot be started.
        ProcessLimits.raise()
        ProcessLimits.returnLargeBlocks()
        if type(of: command).usesOneArena { ProcessLimits.useOneArena() }
        try ProcessLimits.check(threads: 8, bytes: 64_000_000)
        code = try await command.perform()
    }
} catch {
    let message = ErrorMessage(error)
    Output.message(message.text)
    code = message.exit
}
if let failure = Output.failure {
    Output.message(ErrorMessage(failure).text)
    code = .graver(code, failure.exit)
}
// Threads of libraries may still run, such as one that closes connections: `exit` would take their data away under them.
fflush(nil)
_exit(code.rawValue)
