import Files
import Foundation
import JobManifest
import JobPlanning
import JobReports

/// `init`: writes a manifest for a folder, a list or a URL.
struct InitCommand: Command {
    var source: String?
    var output: String?

    static let name = CommandName.initialize
    static let summary = "Write a manifest for a folder, a list or a URL"
    static let operands: [Operand<Self>] = [.optional(.source, \.source)]
    static let table: [Option<Self>] = [
        .value(
            "--output",
            short: "-o",
            \.output,
            as: .file,
            help: "Write the manifest to FILE, which must not exist (default: thumbnails.json)"
        )
    ]

    static let examples: CommandExamples = [
        "nuke-batch init photos": "Write thumbnails.json for the images in a folder",
        "nuke-batch init products.csv:image_url -o jobs/products.json":
            "Write a manifest for a column of a list",
    ]

    func perform() async throws -> ExitCode {
        let working = FileManager.default.currentDirectoryPath
        var draft = try InitDraft(source ?? ".", in: working)
        if let output {
            draft.path = try WrittenPlace.file(output, of: "--output")
            try Self.checkIsFree(draft.path)
        }
        if isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 {
            InitQuestions().ask(&draft, asksForPath: output == nil)
        }
        try Self.checkIsFree(draft.path)
        let (text, count) = try draft.checked()
        try Self.write(text, to: draft.path)
        let next = NextCommands(manifestPath: draft.path).resume
        Output.result(Output.printableLines("wrote \(draft.path): \(count)\nrun it: \(next)"))
        return .done
    }

    private static func checkIsFree(_ path: String) throws(UsageError) {
        guard !path.isEmpty, !path.hasSuffix("/") else {
            throw UsageError("\(path) is no name of a file: name the manifest, such as thumbnails.json")
        }
        // Also a link that leads nowhere.
        guard (try? FileManager.default.attributesOfItem(atPath: path)) == nil else { throw exists(path) }
    }

    private static func exists(_ path: String) -> UsageError {
        UsageError("\(path) exists already and stays as it is: name another file with -o")
    }

    private static func write(_ text: String, to path: String) throws {
        do throws(FileError) {
            _ = try Folder(path: Folder.enclosing(path), create: true)
            try ResultFile.write(Data(text.utf8), to: path, replaces: false)
        } catch {
            guard error.code != EEXIST else { throw exists(path) }
            throw RunError.machine("\(error)")
        }
    }
}
