import Files
import Foundation

/// A command of the user's that runs after a run and reads its summary (`--on-finish`).
public struct FinishCommand: Sendable {
    /// The environment variable with the exit code of the run.
    public static let exitVariable = "NUKE_BATCH_EXIT"
    /// The time after which the command is stopped.
    public static let standardLimit = Duration.seconds(300)

    private let command: String
    private let limit: Duration

    /// Creates a command for `/bin/sh -c`, which is stopped with all its processes after `limit`.
    public init(_ command: String, limit: Duration = standardLimit) {
        self.command = command
        self.limit = limit
    }

    /// Runs the command and waits for its end.
    ///
    /// Its standard input is a file in memory with the summary, which it need not read; what it prints goes to standard
    /// error. Its environment is `environment` and `exitVariable`.
    /// - Returns: A warning if it failed; nil if it exited with 0.
    public func run(_ summary: FinishSummary, environment: [String: String]) async -> String? {
        var environment = environment
        environment[Self.exitVariable] = String(summary.exit.rawValue)
        let child: ChildProcess
        do throws(FileError) {
            let input = try MemoryFile()
            try input.write(summary.line)
            let output = try MemoryFile(duplicating: STDERR_FILENO)
            child = try ChildProcess(
                ["/bin/sh", "-c", command],
                environment: environment,
                input: input,
                output: output,
                errors: output
            )
        } catch {
            return "the command of --on-finish was not run: \(error)"
        }
        let timer = Task {
            guard (try? await Task.sleep(for: limit)) != nil else { return false }
            child.kill()
            return true
        }
        let end = try? await WorkQueue(name: "finish", width: 1).run { child.wait() }
        timer.cancel()
        let isLate = await timer.value
        switch end {
        case .exit(0), nil: return nil
        case .exit(let code): return "the command of --on-finish exited with code \(code)"
        case .signal(SIGKILL) where isLate:
            return "the command of --on-finish was stopped after \(Quantity.duration(limit / .seconds(1)))"
        case .signal(let number): return "the command of --on-finish was ended by signal \(number)"
        // Only for children in a sandbox.
        case .silent, .stopped: return "the command of --on-finish was ended"
        }
    }
}
