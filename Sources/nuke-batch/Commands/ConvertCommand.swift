import JobPlanning

/// `convert`: writes images of sources on the command line in another format.
struct ConvertCommand: Command {
    var draft = DraftOptions()

    static let name = CommandName.convert
    static let summary = "Convert files, folders, URLs or lists to other formats without a manifest"
    static let operands: [Operand<Self>] = [.repeated(.source, \.draft.sources)]
    static let table = DraftOptions.table.within(\Self.draft)

    static let examples: CommandExamples = [
        "nuke-batch convert *.heic --format jpeg --quality 85 -o out": "Convert photographs of a phone",
        "nuke-batch convert photos --recursive --format webp,avif -o out --print-manifest":
            "Print the manifest of such a job",
    ]

    func perform() async throws -> ExitCode {
        guard !draft.image.formats.isEmpty else {
            throw UsageError(
                "convert needs --format, such as: nuke-batch convert photos --format webp -o out"
            )
        }
        return try await DraftJob(draft, of: Self.name).perform()
    }
}
