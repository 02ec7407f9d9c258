import Foundation
import NukeBatch

/// The child process that a run tries suspect images in; not for people, so no help names it.
enum PixelsCommand {
    /// What it is called by, alone on the command line.
    static let name = "__pixels"
    /// How a run starts it: this very program, also where its file was replaced meanwhile.
    static let program = ["/proc/self/exe", name]

    /// The child that this process is to be; where nobody asks it for anything the process ends.
    static func begin() -> PixelsChild {
        do {
            return try PixelsChild(environment: ProcessInfo.processInfo.environment)
        } catch {
            Output.message(
                "nuke-batch: \(name) is for runs, to try images in: \(Output.printable("\(error)"))"
            )
            exit(ExitCode.wrongInput.rawValue)
        }
    }

    /// Makes the pictures and gives the exit code.
    static func answer(_ child: PixelsChild) async -> Int32 {
        do {
            try await child.answer()
            return ExitCode.done.rawValue
        } catch {
            return ExitCode.machine.rawValue
        }
    }
}
