import JobManifest
import JobPlanning

/// The message and the exit code of an error that ends a command.
struct ErrorMessage {
    let text: String
    let exit: ExitCode

    init(_ error: any Error) {
        switch error {
        case let error as ManifestErrors:
            text = Output.printableLines(error.description)
            exit = .wrongInput
        case let error as UsageError:
            text = "nuke-batch: \(Output.printable(error.message))"
            exit = .wrongInput
        case let error as RunError:
            text = "nuke-batch: \(Output.printableLines(error.description))"
            exit = error.exit
        default:
            text = "nuke-batch: \(Output.printable("\(error)"))"
            exit = .machine
        }
    }
}
