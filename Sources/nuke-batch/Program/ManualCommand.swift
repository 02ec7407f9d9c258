import JobPlanning

/// `manual`: prints the manual page of the program or of manifests.
struct ManualCommand: Command {
    struct Options: CommandOptions {
        var section: Section?
    }

    /// A section of the manual.
    enum Section: String, CaseIterable {
        case program = "1"
        case manifest = "5"
    }

    static let name = CommandName.manual
    static let summary = "Print the manual page of the program (1) or of manifests (5), for man"
    static let operands: [Operand<Options>] = [.optional(.choice(), sets: \.section)]
    static let table: [Option<Options>] = []

    static let examples = [
        CommandExample("nuke-batch manual", "Print the manual page of the program"),
        CommandExample("nuke-batch manual 5", "Print the manual page of manifests"),
    ]

    let options: Options

    func perform() async throws -> ExitCode {
        switch options.section ?? .program {
        case .program: Output.result(Manual.page(of: .nukeBatch))
        case .manifest: Output.result(ManifestManual.page)
        }
        return .done
    }
}
