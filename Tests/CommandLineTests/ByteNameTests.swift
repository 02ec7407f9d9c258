import Files
import Foundation
import Glibc
import TestSupport
import Testing

/// Files and folders whose names are not UTF-8.
@Suite(.timeLimit(.minutes(10))) struct ByteNameTests {
    private let job: JobFolder
    /// `M\xFCnchen` in Latin-1.
    private let town = Array("M".utf8) + [0xFC] + Array("nchen".utf8)

    init() throws {
        job = try JobFolder()
        let root = BytePath(job.folder.path("photos"))
        try FileManager.default.createDirectory(atPath: root.description, withIntermediateDirectories: true)
        let folder = root.appending(BytePath(bytes: town))
        #expect(folder.withCString { mkdir($0, 0o755) } == 0)
        try write(1, to: folder.appending(BytePath("a.png")))
        try write(2, to: root.appending(BytePath(bytes: town + Array(".png".utf8))))
        try write(3, to: root.appending(BytePath("fine/b.png")))
    }

    private func write(_ number: Int, to path: BytePath) throws {
        if path.isText {
            try job.folder.write(
                try TestImages.tiny(number),
                to: String(path.description.dropFirst(job.folder.path.utf8.count + 1))
            )
            return
        }
        let file = path.withCString { open($0, O_WRONLY | O_CREAT, 0o644) }
        #expect(file >= 0)
        defer { close(file) }
        let data = try TestImages.tiny(number)
        #expect(data.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) } == data.count)
    }

    private func write(_ source: String, path: String) throws {
        try job.write(
            """
            "sources": [\(source)], "outputs": [{"format": "png", "path": "\(path)"}]
            """
        )
    }

    @Test(
        "they are processed where no path needs their text",
        arguments: [
            #""photos/**/*.png""#, #""photos""#, #"["photos/*/*.png", "photos/*.png"]"#,
            #""photos/M?nchen{,/*,.png}""#,
        ],
        ["{index}.{ext}", "{id}.{ext}", "{hash}.{ext}"]
    )
    func processed(files: String, path: String) async throws {
        try write(#"{"files": \#(files)}"#, path: path)
        try await job.run()
        let count = files.contains("?") ? 2 : 3
        #expect(try await job.items().filter { $0["state"] as? String == "done" }.count == count)
        let verify = try await job.nukeBatch("verify", "job.json")
        #expect(verify.output.contains("\(count) outputs checked, 0 damaged"))
        // Their times and sizes are known.
        let again = try await job.run()
        #expect(again.output.hasPrefix("nothing to do: \(count) items, all done"), "\(again.output)")
    }

    @Test("where a path needs their text, they are failed items that show their bytes")
    func failed() async throws {
        try write(#"{"files": "photos/**/*.png"}"#, path: "{dir}/{stem}.{ext}")
        try await job.run(exit: 1)
        let items = try await job.items()
        #expect(items.count == 3 && items.filter { $0["error"] as? String == "bad_url" }.count == 2)
        let messages = items.compactMap { $0["message"] as? String }
        #expect(
            messages.contains { $0.contains(#"photos/M\xFCnchen/a.png: the name M\xFCnchen is not UTF-8"#) },
            "\(messages)"
        )
        #expect(messages.contains { $0.contains(#"the name M\xFCnchen.png is not UTF-8"#) }, "\(messages)")
        // The folder alone does not matter to the name.
        try write(#"{"files": "photos/**/*.png"}"#, path: "{index}-{stem}.{ext}")
        try await job.run(exit: 1)
        #expect(try await job.items().filter { $0["error"] as? String == "bad_url" }.count == 1)
    }

    @Test("lists name them by their bytes, and as URLs")
    func lists() async throws {
        var list = Data("photos/".utf8) + town + Data("/a.png\n".utf8)
        list += Data("file://\(job.folder.path)/photos/M%FCnchen.png\n".utf8)
        try job.folder.write(list, to: "a.txt")
        try write(#"{"list": "a.txt"}"#, path: "{index}.{ext}")
        try await job.run()
        try write(#"{"list": "a.txt"}"#, path: "{stem}.{ext}")
        try await job.run("--fresh", exit: 1)
        #expect(try await job.errors() == ["-", "bad_url"])
    }

    @Test(
        "resize names what it cannot write, and --name takes it",
        arguments: [[], ["--name", "{index}.{ext}"]]
    )
    func resize(words: [String]) async throws {
        let all = ["resize", "photos", "--recursive", "-o", "out", "--width", "2"] + words
        let outcome = try await Program.run("nuke-batch", all, in: job.folder.path)
        #expect(outcome.exit == (words.isEmpty ? 1 : 0), "\(outcome.output)\(outcome.errors)")
        let told = outcome.output + outcome.errors
        #expect(told.contains(#"M\xFCnchen"#) == words.isEmpty, "\(told)")
    }
}
