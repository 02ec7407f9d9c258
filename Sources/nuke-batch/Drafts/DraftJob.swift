import Files
import Foundation
import JobManifest
import JobPlanning

/// A job that a command line describes; its manifest is kept in the output folder.
struct DraftJob {
    /// The path of the manifest, as commands name it.
    let path: String
    /// The text of the manifest.
    let text: String
    private let options: DraftOptions
    private let manifest: Manifest

    /// Makes the manifest of `command` and checks it; writes nothing.
    /// - Throws: `UsageError`, `RunError.wrongInput`.
    init(_ options: DraftOptions, of command: CommandName) throws {
        let working = FileManager.default.currentDirectoryPath
        guard !options.sources.isEmpty else {
            throw UsageError("\(command.rawValue) needs SOURCE…; see nuke-batch \(command.rawValue) --help")
        }
        guard let output = options.output else {
            throw UsageError("\(command.rawValue) needs the folder for its outputs: -o DIR")
        }
        guard case .path(let output) = try WrittenPlace(output, of: "--output") else {
            throw UsageError(
                "--output: the manifest of the job is kept in the output folder: name a folder, or write a manifest with "
                    + "\"destination\": \"\(output)\" and use run"
            )
        }
        try options.image.check()
        let sources = try DraftSources(options.sources, isRecursive: options.isRecursive, in: working)
        let destination = FilePath.absolute(output, in: working)
        let found: Folder.Status?
        do throws(FileError) { found = try Presence.status(of: destination) } catch {
            throw RunError.machine("--output: \(error)")
        }
        guard found?.isFolder ?? true else {
            throw UsageError("--output: \(output) is no folder: name another")
        }
        let overlap = Self.overlap(of: sources, with: destination)
        guard overlap != .same || !options.image.keepsNames else {
            throw UsageError(
                "the outputs would have the names of their originals in \(output): choose another folder, or names "
                    + "such as --name '{dir}/{stem}-small.{ext}'"
            )
        }
        var members: [JSONText.Member] = [
            .init("name", .text((destination as NSString).lastPathComponent)), .init("sources", sources.json),
            .init("outputs", options.image.outputs(keepsFiles: overlap != .none)),
            .init("destination", .literal(destination)),
        ]
        let network = Self.network(options, hasLists: sources.hasLists, in: working)
        if !network.isEmpty { members.append(.init("network", .object(network))) }
        let buckets = options.allowed.filter(ItemURL.isObject).map { text in
            String(text.dropFirst("s3://".count).prefix { $0 != "/" })
        }
        if !buckets.isEmpty {
            let storage: JSONText = ["s3": ["buckets": .list(buckets.map(JSONText.text))]]
            members.append(.init("storage", storage))
        }
        text = JSONText.object(members).lines + "\n"
        // With a dash first, it would be an option of the commands that are advised.
        let start = (output.hasPrefix("-") ? "./" : "") + output
        path = (start == "." ? "" : start.hasSuffix("/") ? start : start + "/") + KeptManifest.place
        self.options = options
        do throws(ManifestErrors) {
            let environment = ProcessInfo.processInfo.environment
            manifest = try Manifest.read(text, path: path, environment: environment)
        } catch {
            throw RunError.wrongInput(Self.message(error, sources))
        }
        do {
            try sources.checkMatches(in: manifest)
        } catch let error as SourceError {
            throw RunError.wrongInput(error.description)
        }
    }

    /// Prints the manifest, or writes it and runs the job.
    func perform() async throws -> ExitCode {
        guard !options.printsManifest else {
            Output.result(String(text.dropLast()))
            return .done
        }
        let file = FilePath.absolute(path, in: FileManager.default.currentDirectoryPath)
        var presentation = options.presentation
        presentation.namesFailures = true
        let session = RunSession(
            manifest,
            job: JobOptions(manifestPath: path, run: options.run),
            presentation: presentation,
            // Not before: another run of the job may still need the old one.
            beginning: { [text] in try Self.write(text, to: file) }
        )
        return try await session.perform()
    }

    /// Writes the manifest durably, unless the file has this text already.
    private static func write(_ text: String, to path: String) throws(FileError) {
        let data = Data(text.utf8)
        if let old = FileManager.default.contents(atPath: path), old == data { return }
        _ = try Folder(path: Folder.enclosing(path), create: true)
        try ResultFile.write(data, to: path)
    }

    /// The `network` of the manifest.
    private static func network(
        _ options: DraftOptions,
        hasLists: Bool,
        in folder: String
    ) -> [JSONText.Member] {
        let roots = (hasLists ? ["."] : []) + options.fileRoots
        let folders = roots.map { JSONText.literal(FilePath.absolute($0, in: folder)) }
        let hosts = options.allowed.filter { !ItemURL.isObject($0) }
        return (hosts.isEmpty ? [] : [.init("allow", .list(hosts.map(JSONText.text)))])
            + (folders.isEmpty ? [] : [.init("fileRoots", .list(folders))])
    }

    /// The place of the originals in relation to the output folder.
    private enum Overlap {
        case none
        /// Originals may be in the output folder or in folders of it.
        case mixed
        /// The paths of a source start from the output folder itself.
        case same
    }

    private static func overlap(of sources: DraftSources, with destination: String) -> Overlap {
        func real(_ path: String) -> String {
            let path = (path as NSString).resolvingSymlinksInPath
            return path.hasSuffix("/") ? path : path + "/"
        }
        let output = real(destination)
        if sources.folders.map(real).contains(where: { $0.utf8.elementsEqual(output.utf8) }) { return .same }
        let isMixed =
            sources.roots.map(real).contains { $0.utf8.starts(with: output.utf8) }
            || sources.walkedFolders.map(real).contains { output.utf8.starts(with: $0.utf8) }
        return isMixed ? .mixed : .none
    }

    /// Returns the errors in the words of the command line.
    private static func message(_ errors: ManifestErrors, _ sources: DraftSources) -> String {
        var seen: Set<String> = []
        return errors.errors.map { "\(place(of: $0.path, sources)): \($0.message)" }
            .filter { seen.insert($0).inserted }.joined(separator: "\n")
    }

    /// The word on the command line that a key of the manifest comes from.
    private static func place(of path: String, _ sources: DraftSources) -> String {
        if let match = path.firstMatch(of: /^sources\[(\d+)\]/), let index = Int(match.1) {
            return sources.word(index)
        }
        let keys = [
            (".path", "--name"), (".maxBytes", "--max-bytes"), (".format", "--format"),
            (".widths", "--width"), (".processors", "the size"),
            ("network.allow", "--allow"), ("network.fileRoots", "--file-root"), ("destination", "--output"),
        ]
        return keys.first { path.contains($0.0) }?.1 ?? path
    }
}
