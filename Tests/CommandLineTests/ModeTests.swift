import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Who may use what the program makes: as if `touch` and `mkdir` had made it in the same folder.
@Suite(.timeLimit(.minutes(10))) struct ModeTests {
    /// A folder in which all is made, and what it hands down.
    struct Surroundings: Sendable, CustomTestStringConvertible {
        let umask: String
        let hasList: Bool
        let hasGroup: Bool

        static let all = ["022", "002", "077"].flatMap { umask in
            [(false, false), (true, false), (false, true), (true, true)].map {
                Surroundings(umask: umask, hasList: $0.0, hasGroup: $0.1)
            }
        }

        var testDescription: String {
            "umask \(umask)\(hasList ? ", default list" : "")\(hasGroup ? ", setgid" : "")"
        }
    }

    private let job: JobFolder
    private let server: LoopbackServer

    init() throws {
        job = try JobFolder()
        // Large enough to be shared with the cache, small enough to be linked (16 KiB to 1 MiB).
        let photo = try Repository.photo("rocket.jpg")
        try #require(photo.count > 16_384 && photo.count < 1 << 20)
        server = try LoopbackServer { _ in .data(photo, type: "image/jpeg") }
    }

    /// Makes the folder; false where the file system has no access lists.
    private func prepare(_ surroundings: Surroundings, _ name: String) throws -> Bool {
        let path = job.folder.path(name)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try #require(chmod(path, 0o755) == 0)
        if surroundings.hasGroup {
            // Only root may choose any group; the bit is inherited by folders either way.
            if geteuid() == 0 { try #require(chown(path, 0, 23_456) == 0) }
            try #require(chmod(path, 0o2755) == 0)
        }
        guard surroundings.hasList else { return true }
        guard AccessList.isSupported(at: path) else { return false }
        try AccessList(user: 33, permissions: 5).set(on: path, byDefault: true)
        return true
    }

    @discardableResult
    private func shell(_ script: String, umask: String) async throws -> Program.Outcome {
        let script = "umask \(umask); PATH=\(Program.folder.path):$PATH; \(script)"
        let outcome = try await Program(path: "/bin/sh", ["-ec", script], in: job.folder.path).wait()
        #expect(outcome.exit == 0, "\(script)\n\(outcome.output)\(outcome.errors)")
        return outcome
    }

    /// Compares everything below a folder with what the shell makes beside it.
    private func compare(_ name: String, _ surroundings: Surroundings) async throws -> Int {
        let root = job.folder.path(name)
        let all = (FileManager.default.enumerator(atPath: root)?.allObjects as? [String] ?? []).sorted()
        let others = all.filter { !$0.contains(".nuke-batch") }
        let folders = Set(others.map { ($0 as NSString).deletingLastPathComponent })
        for folder in folders {
            let place = folder.isEmpty ? root : "\(root)/\(folder)"
            try await shell("mkdir '\(place)/.d'; touch '\(place)/.f'", umask: surroundings.umask)
        }
        for path in others {
            let made = try FileAttributes("\(root)/\(path)")
            let isFolder = (try FileManager.default.attributesOfItem(atPath: "\(root)/\(path)"))[.type]
            let kind = isFolder as? FileAttributeType == .typeDirectory ? ".d" : ".f"
            let parent = (path as NSString).deletingLastPathComponent
            let like = try FileAttributes("\(root)/\(parent.isEmpty ? "" : parent + "/")\(kind)")
            #expect(made == like, "\(surroundings.testDescription): \(path)")
        }
        for path in all where path.hasSuffix(".nuke-batch") {
            let made = try FileAttributes("\(root)/\(path)").permissions & 0o777
            #expect(made == 0o700, "\(surroundings.testDescription): \(path)")
        }
        for path in all where path.contains(/\.(sqlite|lock)/) {
            let made = try FileAttributes("\(root)/\(path)").permissions & 0o077
            #expect(made == 0, "\(surroundings.testDescription): \(path)")
        }
        return others.count
    }

    @Test(
        "what run, resize, datasets, reports, markup and exports make is as every new file there",
        arguments: Surroundings.all
    )
    func made(_ surroundings: Surroundings) async throws {
        guard try prepare(surroundings, "site") else { return }
        let urls = #""sources": [{"urls": ["\#(server.url("/a.jpg"))", "\#(server.url("/b.jpg"))"]}]"#
        try job.write(
            """
            \(urls), "destination": "site/run/deep",
            "outputs": [
                {"name": "copy", "format": "original", "path": "copies/{stem}.{ext}"},
                {"name": "web", "widths": [100, 200], "format": "webp", "path": "web/{stem}/{width}.{ext}",
                 "markup": {"file": "images.json"}},
                {"name": "page", "widths": [100], "format": "jpeg", "path": "page/{stem}-{width}.{ext}",
                 "markup": {"file": "html/{stem}.html"}}]
            """
        )
        try job.write(
            """
            \(urls), "destination": "site/set", "dataset": {"pack": "tar", "index": "index.jsonl", "itemsPerFile": 1},
            "outputs": [{"name": "small", "processors": [{"resize": {"width": 20}}], "format": "jpeg"}]
            """,
            to: "set.json"
        )
        try job.write(
            "\(urls), \"outputs\": [{\"format\": \"png\", \"path\": \"{stem}.{ext}\"}], \"state\": \"site/states/x.sqlite\", "
                + "\"destination\": \"site/other\"",
            to: "other.json"
        )
        try job.folder.write(try Repository.photo("coffee.png"), to: "in/coffee.png")
        try await shell(
            """
            nuke-batch run job.json; nuke-batch run set.json; nuke-batch run other.json
            nuke-batch resize in --width 50 -o site/img/deep
            nuke-batch convert in --format webp -o site/web
            nuke-batch report job.json -o site/report.html
            nuke-batch cache get job.json --url \(server.url("/a.jpg")) -o site/original.jpg
            nuke-batch log job.json --har site/log.har
            nuke-batch init in -o site/jobs/new.json
            nuke-batch run job.json --metrics site/metrics.prom
            nuke-batch fleet plan set.json --store site/store
            """,
            umask: surroundings.umask
        )
        try FileManager.default.removeItem(atPath: job.folder.path("site/states"))
        #expect(try await compare("site", surroundings) > 30)
        // Linked originals are the cache's own files, or copies of them.
        #expect(try job.data("site/run/deep/copies/a.jpg") == Repository.photo("rocket.jpg"))
    }

    @Test("a state's folder of another name lets others in, but its files and whoever writes stay alone")
    func states() async throws {
        try job.writeCopies(
            ["\"\(server.url("/a.jpg"))\""],
            path: "{stem}.{ext}",
            #", "state": "states/x.sqlite""#
        )
        try await shell("nuke-batch run job.json", umask: "002")
        #expect(try FileAttributes(job.folder.path("states")).permissions == 0o755)
        for name in job.files(in: "states") {
            #expect(try FileAttributes(job.folder.path("states/\(name)")).permissions == 0o600, "\(name)")
        }
    }

    @Test("files that are replaced keep what they have, whichever command replaces them")
    func replaced() async throws {
        try job.write(
            """
            "sources": [{"urls": ["\(server.url("/a.jpg"))"]}],
            "outputs": [
                {"name": "copy", "format": "original", "path": "{stem}.{ext}", "existing": "replace"},
                {"name": "web", "widths": [100], "format": "webp", "path": "web/{stem}-{width}.{ext}",
                 "markup": {"file": "images.json"}}]
            """
        )
        let names = ["out/a.jpg", "out/web/a-100.webp", "out/images.json", "report.html"]
        var before: [FileAttributes] = []
        for (name, mode) in zip(names, [0o600, 0o640, 0o604, 0o666] as [mode_t]) {
            try job.folder.write("old", to: name)
            let path = job.folder.path(name)
            try #require(chmod(path, mode) == 0)
            if geteuid() == 0 { try #require(chown(path, 12_345, 23_456) == 0) }
            before.append(try FileAttributes(path))
        }
        try await shell("nuke-batch run job.json; nuke-batch report job.json -o report.html", umask: "022")
        for (name, before) in zip(names, before) {
            #expect(try FileAttributes(job.folder.path(name)) == before, "\(name)")
            #expect(try job.data(name) != Data("old".utf8), "\(name)")
        }
    }
}
