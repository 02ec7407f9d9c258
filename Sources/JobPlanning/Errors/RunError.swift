/// The error of a run that could not begin.
public enum RunError: Error, Sendable, CustomStringConvertible {
    /// The command line or the manifest is wrong, in sentences with the remedy.
    case wrongInput(String)
    /// Another run holds the job, in a sentence that names its process.
    case held(String)
    /// A sitemap, list or listing in another place cannot be had, in a sentence that names it.
    ///
    /// A run works on its last plan then, if it has one.
    case lostSource(String, isTemporary: Bool)
    /// Local problem, such as a full disk: the problem, its place and the remedy.
    case machine(String)
    /// Something of a fleet's store is not what the plan says, or nothing says that it is: the place, the field and the remedy.
    case forged(String)

    /// The message.
    public var description: String {
        switch self {
        case .wrongInput(let message), .held(let message), .machine(let message), .forged(let message):
            message
        case .lostSource(let message, let isTemporary):
            isTemporary ? "\(message); run again to continue" : message
        }
    }

    /// The exit code for it.
    public var exit: ExitCode {
        switch self {
        case .wrongInput: .wrongInput
        case .held: .held
        case .machine: .machine
        case .forged: .giveUp
        case .lostSource(_, let isTemporary): isTemporary ? .machine : .wrongInput
        }
    }
}
