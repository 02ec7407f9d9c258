import CFiles

/// The parts of the sandbox of a child process that this machine has.
public struct SandboxSupport: Sendable, Equatable {
    /// A part of the sandbox.
    public enum Part: Sendable, Equatable {
        /// The kernel has it.
        case available
        /// The kernel does not have it.
        case missing
        /// A filter of system calls, as of a container or systemd, forbids it.
        case forbidden

        /// Reads the answer of the C part: a positive number, 0, or -1.
        init(_ found: Int32) {
            self = found > 0 ? .available : found == 0 ? .missing : .forbidden
        }
    }

    /// Landlock, which takes files away.
    public let landlock: Part
    /// The version of Landlock; 0 if it is not available.
    public let landlockVersion: Int
    /// Filters of system calls, which leave nothing to change and nowhere to send.
    public let filters: Part

    /// Describes a machine.
    init(landlock: Int32, filters: Int32) {
        self.landlock = Part(landlock)
        landlockVersion = Int(max(landlock, 0))
        self.filters = Part(filters)
    }

    /// This machine's, for a child of this process.
    public static var ofMachine: SandboxSupport {
        SandboxSupport(landlock: nb_landlock_version(), filters: nb_has_filters())
    }

    /// One sentence: what confines child processes, and what does not.
    public var description: String {
        let reading = "child processes can read what you can"
        let changing = "and can change and send what you can"
        return switch (landlock, filters) {
        case (.available, .available):
            "Landlock \(landlockVersion) and a filter of system calls confine child processes"
        case (.available, _):
            "\(Self.absence("filters of system calls", filters)): Landlock \(landlockVersion) alone confines child processes"
        case (_, .available):
            "\(Self.absence("Landlock", landlock)): \(reading), but a filter of system calls leaves them nothing to change and "
                + "nowhere to send"
        case (_, _):
            "\(Self.absence("Landlock and filters of system calls", landlock)): \(reading), \(changing)"
        }
    }

    /// The calls to allow for the parts that are forbidden; nil if none is.
    public var remedy: String? {
        var calls: [String] = []
        if landlock == .forbidden {
            calls += ["landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"]
        }
        if filters == .forbidden { calls.append("prctl") }
        guard !calls.isEmpty else { return nil }
        return "allow \(calls.joined(separator: ", ")) in the filter (SystemCallFilter= of systemd)"
    }

    private static func absence(_ what: String, _ part: Part) -> String {
        part == .forbidden ? "a filter of system calls forbids \(what)" : "the kernel has no \(what)"
    }
}
