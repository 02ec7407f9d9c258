import Foundation
import LoopbackServer
import TestSupport

/// The reader of one document, who makes its files and types its commands in a folder with the sample photographs.
///
/// Documents name the host `images.example.com`; here it is a server on loopback with the same photographs, which each
/// manifest is allowed to reach.
final class DocumentedSession {
    private static let host = "https://images.example.com"

    private let folder: TemporaryFolder
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        let photos = try FolderHandler(folder: Repository.photos.path)
        server = try LoopbackServer { photos.respond(to: $0) }
        try FileManager.default.copyItem(atPath: Repository.photos.path, toPath: folder.path("photos"))
    }

    /// Makes the file that a block shows.
    func write(_ block: MarkdownDocument.Block, to name: String) throws {
        var text = block.text.replacing(Self.host, with: server.address)
        if block.attributes["manifest"] != nil, block.language == "yaml" {
            text += "\nnetwork: {allow: [\"127.0.0.1\"]}\n"
        } else if block.attributes["manifest"] != nil, !text.contains("\"network\"") {
            let end = text.lastIndex(of: "}") ?? text.endIndex
            text.replaceSubrange(end..., with: ", \"network\": {\"allow\": [\"127.0.0.1\"]}}\n")
        }
        try folder.write(text, to: name)
    }

    /// Runs a command line with bash, with the programs of this package in its path.
    func run(_ command: String) async throws -> Program.Outcome {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let text = command.replacing(Self.host, with: server.address)
        return try await Program(
            path: "/bin/bash",
            ["-c", text],
            in: folder.path,
            environment: [
                "PATH": "\(Program.folder.path):\(path)", "XDG_CACHE_HOME": folder.path("caches"),
                "LC_ALL": "C.UTF-8",
            ]
        ).wait()
    }

    /// The lines of an output as the documents show them: with the host's name and without the folder's path.
    func shown(_ outcome: Program.Outcome) -> [String] {
        let text = outcome.output.isEmpty ? outcome.errors : outcome.output
        return text.replacing(server.address, with: Self.host)
            .replacing(String(server.address.dropFirst("http://".count)), with: "images.example.com")
            .replacing(folder.path, with: "/srv/images")
            .trimmingCharacters(in: .newlines).components(separatedBy: "\n")
    }

    /// A line without what differs from run to run: times, durations, process numbers.
    static func comparable(_ line: String) -> String {
        line.replacing(/\d{4}-\d\d-\d\dT[\d:.]+Z/, with: "TIME")
            .replacing(/\d+(?:\.\d+)? m?s\b/, with: "DURATION")
            .replacing(/\b\d+:\d\d\b/, with: "DURATION")
    }
}
