/// The exit code of a command (`docs/command-line.md`); if several apply, the first of: signal, 4, 5, 1, 0.
public enum ExitCode: Int32, Sendable {
    /// Everything is done.
    case done = 0
    /// The run finished, but some items failed.
    case someFailed = 1
    /// The command line or the manifest is wrong; nothing was done.
    case wrongInput = 2
    /// Another run holds this job; nothing was done.
    case held = 3
    /// Local problem, such as a full disk; finished work is recorded.
    case machine = 4
    /// Stopped by a limit with work left; the next run continues.
    case workLeft = 5
    /// A worker of a fleet cannot do its partition on this machine or another; trying again does not help.
    case giveUp = 42
    /// Interrupted by SIGHUP.
    case hungUp = 129
    /// Interrupted by SIGINT.
    case interrupted = 130
    /// Interrupted by SIGTERM.
    case terminated = 143

    /// Returns the more serious of two exit codes: a signal's, then 4, 5, 1, 0 (`docs/command-line.md`).
    public static func graver(_ first: ExitCode?, _ second: ExitCode) -> ExitCode {
        guard let first else { return second }
        let order: [ExitCode] = [.hungUp, .interrupted, .terminated, .machine, .workLeft, .someFailed, .done]
        return order.first { $0 == first || $0 == second } ?? first
    }
}
