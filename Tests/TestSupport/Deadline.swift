import Foundation

/// A time limit that is late where everything is: a child that starts one short sleep after another.
///
/// On a busy machine a clock, or one long sleep, would count the time as well in which a test has no turn.
public struct Deadline: Sendable {
    private let sleeps: Program

    /// Begins now.
    /// - Throws: the error of `Process` if the child cannot be started.
    public init(seconds: Int) throws {
        let script = "for i in $(seq \(20 * seconds)); do sleep 0.05; done"
        sleeps = try Program(path: "/bin/sh", ["-c", script], in: "/")
    }

    /// Ends it, and answers whether it had not passed.
    public func isMet() async -> Bool {
        sleeps.signal(SIGKILL)
        return await sleeps.wait().exit == 128 + SIGKILL
    }
}
