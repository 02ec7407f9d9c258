import Foundation
import Imaging
import LoopbackServer
import TestSupport
import Testing

/// A folder with a job in it, and the program run there.
struct JobFolder {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Writes a manifest; `text` is what stands between its braces.
    ///
    /// A cache in the folder and the way to loopback are added where it says nothing of them.
    func write(_ text: String, to name: String = "job.json") throws {
        var parts = [text]
        if !text.contains("\"cache\":") { parts.append(#""cache": {"directory": "cache"}"#) }
        if !text.contains("\"network\":") { parts.append(#""network": {"allow": ["127.0.0.1"]}"#) }
        try folder.write("{\(parts.joined(separator: ",\n"))}", to: name)
    }

    /// Writes a manifest whose output is the originals as they are; `entries` are its URLs as JSON.
    func writeCopies(_ entries: [String], path: String?, _ rest: String = "") throws {
        let path = path.map { #", "path": "\#($0)""# } ?? ""
        try write(
            """
            "sources": [{"urls": [\(entries.joined(separator: ", "))]}],
            "outputs": [{"name": "o u/t", "format": "original"\(path)}],
            "network": {"allow": ["127.0.0.1", "localhost"]}\(rest)
            """
        )
    }

    @discardableResult
    func nukeBatch(
        _ words: String...,
        input: String? = nil,
        environment: [String: String] = [:]
    ) async throws -> Program.Outcome {
        try await Program.run("nuke-batch", words, in: folder.path, input: input, environment: environment)
    }

    /// Runs the job, which is to end with this exit code.
    @discardableResult
    func run(
        _ words: String...,
        exit: Int32 = 0,
        environment: [String: String] = [:],
        at location: SourceLocation = #_sourceLocation
    ) async throws -> Program.Outcome {
        let words = ["run", "job.json"] + words
        let outcome = try await Program.run("nuke-batch", words, in: folder.path, environment: environment)
        #expect(outcome.exit == exit, "\(outcome.output)\(outcome.errors)", sourceLocation: location)
        return outcome
    }

    /// Runs a command that the program has advised, as a shell does.
    func shell(_ command: String) async throws -> Program.Outcome {
        let script = "PATH=\(Program.folder.path):$PATH; \(command)"
        return try await Program(path: "/bin/sh", ["-c", script], in: folder.path).wait()
    }

    /// Returns the command that a result advises after `label`.
    func advice(_ label: String, in outcome: Program.Outcome) throws -> String {
        let line = try #require(outcome.lines.first { $0.contains(label) }, "\(outcome.output)")
        return try #require(line.components(separatedBy: label).last)
    }

    /// Returns the items that `items --json` lists.
    func items() async throws -> [[String: Any]] {
        try ToldJob.objects(try await nukeBatch("items", "job.json", "--json"))
    }

    /// The errors of the items, in the manifest's order; "-" where there is none.
    func errors() async throws -> [String] {
        try await items().map { $0["error"] as? String ?? "-" }
    }

    /// The errors of the items that failed, and not of those that wait for another attempt.
    func failures() async throws -> [String] {
        try await items().filter { $0["state"] as? String == "failed" }.map { $0["error"] as? String ?? "-" }
    }

    /// Counts that `plan --json` tells, by their names.
    func plan() async throws -> [String: Any] {
        try #require(try ToldJob.objects(try await nukeBatch("plan", "job.json", "--json")).first)
    }

    /// The last event of `run --json`.
    func end(_ outcome: Program.Outcome) throws -> [String: Any] {
        let last = try #require(outcome.lines.last)
        return try #require(try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any])
    }

    /// The files below a folder, sorted; none where there is no such folder.
    func files(in name: String = "out") -> [String] {
        let all = FileManager.default.enumerator(atPath: folder.path(name))?.allObjects ?? []
        return all.compactMap { $0 as? String }.filter { path in
            var isFolder: ObjCBool = false
            let exists = FileManager.default.fileExists(
                atPath: folder.path("\(name)/\(path)"),
                isDirectory: &isFolder
            )
            return exists && !isFolder.boolValue
        }.sorted()
    }

    func data(_ path: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: folder.path(path)))
    }

    /// The time at which a file was last written.
    func modified(_ path: String) throws -> Date {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(path))
        return try #require(attributes[.modificationDate] as? Date)
    }

    func image(_ path: String) throws -> Image {
        try ImageDecoder.decode(data(path))
    }
}

extension LoopbackServer {
    /// A server that gives `/NUMBER.png` a tiny picture of that number, and else 404.
    static func tinyPictures() throws -> LoopbackServer {
        try LoopbackServer { tinyPicture(for: $0) }
    }

    static func tinyPicture(for request: LoopbackServer.Request) -> LoopbackServer.Response {
        let name = (request.path as NSString).lastPathComponent
        guard name.hasSuffix(".png"), let number = Int(name.dropLast(4)),
            let picture = try? TestImages.tiny(number)
        else { return .status(404) }
        return .resource(picture, type: "image/png", etag: "\"\(number)\"", for: request)
    }
}
