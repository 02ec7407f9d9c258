import JobPlanning

/// `convert`: writes images of sources on the command line in another format.
struct ConvertCommand: Command {
    typealias Options = DraftOptions

    static let name = CommandName.convert
    static let summary = "Convert files, folders, URLs or lists to other formats without a manifest"
    static let operands = DraftOptions.operands
    static let table = DraftOptions.table

    static let examples = [
        CommandExample(
            "nuke-batch convert *.heic --format jpeg --quality 85 -o out",
            "Convert photographs of a phone"
        ),
        CommandExample(
            "nuke-batch convert photos --recursive --format webp,avif -o out --print-manifest",
            "Print the manifest of such a job"
        ),
    ]

    let options: Options

    func perform() async throws -> ExitCode {
        guard !options.image.formats.isEmpty else {
            throw UsageError(
                "convert needs --format, such as: nuke-batch convert photos --format webp -o out"
            )
        }
        return try await DraftJob(options, of: Self.name).perform()
    }
}
