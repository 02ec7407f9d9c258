import Foundation

/// A time limit that is late where everything is: a child that sleeps, heard of as other children are.
///
/// On a busy machine a clock would count the time as well in which a test has no turn.
public struct Deadline: Sendable {
    private let sleep: Program

    /// Begins now.
    /// - Throws: the error of `Process` if the child cannot be started.
    public init(seconds: Int) throws {
        sleep = try Program(path: "/bin/sleep", ["\(seconds)"], in: "/")
    }

    /// Ends it, and answers whether it had not passed.
    public func isMet() async -> Bool {
        sleep.signal(SIGKILL)
        return await sleep.wait().exit == 128 + SIGKILL
    }
}
