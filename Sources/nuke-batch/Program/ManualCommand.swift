import JobPlanning

/// `manual`: prints the manual page of the program or of manifests.
struct ManualCommand: Command {
    var section: Section?

    /// A section of the manual.
    enum Section: String, CaseIterable {
        case program = "1"
        case manifest = "5"
    }

    static let name = CommandName.manual
    static let summary = "Print the manual page of the program (1) or of manifests (5), for man"
    static let operands: [Operand<Self>] = [.optional(.choice(), \.section)]

    static let examples: CommandExamples = [
        "nuke-batch manual": "Print the manual page of the program",
        "nuke-batch manual 5": "Print the manual page of manifests",
    ]

    func perform() async throws -> ExitCode {
        switch section ?? .program {
        case .program: Output.result(Manual.page(of: .nukeBatch))
        case .manifest: Output.result(ManifestManual.page)
        }
        return .done
    }
}
