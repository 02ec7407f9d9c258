import JobPlanning

/// `resize`: makes smaller images of sources on the command line.
struct ResizeCommand: Command {
    var draft = DraftOptions()

    static let name = CommandName.resize
    static let summary = "Resize files, folders, URLs or lists without a manifest"
    static let operands: [Operand<Self>] = [.repeated(.source, \.draft.sources)]
    static let table = DraftOptions.table.within(\Self.draft)

    static let examples: CommandExamples = [
        "nuke-batch resize 'photos/**/*.jpg' --width 400,800,1600 --format avif,webp,jpeg -o public/img":
            "Make three widths in three formats; run it again to do what is new",
        "nuke-batch resize urls.txt products.csv:image_url --fit 640x640 -o out":
            "Load the images of two lists and fit them into a square",
    ]

    func perform() async throws -> ExitCode {
        guard draft.image.hasSize else {
            throw UsageError(
                "resize needs --width, --height, --fit or --fill, such as: nuke-batch resize photos --width 800 -o out"
            )
        }
        return try await DraftJob(draft, of: Self.name).perform()
    }
}
