import Foundation
import JobPlanning
import NukeBatch

/// The child process in which a run tries suspect images; the help does not name it.
enum RenderProcessCommand {
    /// The only word on its command line.
    static let name = "__pixels"
    /// The command that starts it: this same program, even if its file was replaced meanwhile.
    static let program = ["/proc/self/exe", name]

    /// Returns the child that this process becomes; ends the process if no run started it.
    static func begin() -> RenderProcess {
        do {
            return try RenderProcess(environment: ProcessInfo.processInfo.environment)
        } catch {
            Output.message(
                "nuke-batch: only a run starts \(name), to try images in: \(Output.printable("\(error)"))"
            )
            exit(ExitCode.wrongInput.rawValue)
        }
    }

    /// Does the work that the run asks for and returns the exit code.
    static func answer(_ child: RenderProcess) async -> Int32 {
        do {
            try await child.answer()
            return ExitCode.done.rawValue
        } catch {
            return ExitCode.machine.rawValue
        }
    }
}
