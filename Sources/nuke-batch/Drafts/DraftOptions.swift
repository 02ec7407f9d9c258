import JobPlanning

/// The options and operands of `resize` and `convert`.
struct DraftOptions: Sendable {
    var sources: [String] = []
    var output: String?
    var image = ImageOptions()
    var isRecursive = false
    var allowed: [String] = []
    var fileRoots: [String] = []
    var printsManifest = false
    var run = RunOptions()
    var presentation = RunPresentation()

    static let table: [Option<DraftOptions>] =
        [
            .value(
                "--output",
                short: "-o",
                \.output,
                // The completion of bash knows one kind of value for a name, and `report` has a file.
                as: ArgumentValue("DIR", form: "a folder", completion: .file) { $0.isEmpty ? nil : $0 },
                help: "Write the outputs, and the job in .nuke-batch, to DIR"
            )
        ] + ImageOptions.table.within(\DraftOptions.image) + [
            .flag("--recursive", \.isRecursive, help: "Take the images in folders of a folder, too"),
            .values(
                "--allow",
                \.allowed,
                as: .words("HOST,…"),
                help:
                    "Allow these hosts, addresses or ranges, although they are not public, and lists to name s3://BUCKET"
            ),
            .values(
                "--file-root",
                \.fileRoots,
                as: .roots,
                help: "Let lists name files below DIR, not only below the working directory"
            ),
            .flag("--print-manifest", \.printsManifest, help: "Print the manifest; write and run nothing"),
        ]
        + (RunOptions.planning + RunOptions.execution + [RunOptions.fresh]).without("--destination")
        .without("--only-output").within(\.run)
        + ([RunPresentation.dryRun] + RunPresentation.table).within(\.presentation)
}

extension ArgumentValue where Value == String {
    /// A source of images on the command line.
    static var source: Self {
        ArgumentValue("SOURCE", form: "a file, a folder, a glob, a URL or a list", completion: .file) { $0 }
    }
}

extension ArgumentValue where Value == [String] {
    fileprivate static func words(_ placeholder: String) -> Self {
        ArgumentValue(placeholder, form: "one or more words with commas between them") { text in
            let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            return words.contains("") ? nil : words
        }
    }

    fileprivate static var roots: Self {
        ArgumentValue("DIR", form: "a folder", completion: .folder) { $0.isEmpty ? nil : [$0] }
    }
}
