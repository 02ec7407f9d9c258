import Foundation
import Imaging
import LoopbackServer
import TestSupport
import Testing

/// `resize` and `convert`: every kind of source, and runs of the same line and of a changed one.
@Suite(.timeLimit(.minutes(10))) struct ResizeTests {
    private let job: JobFolder
    private let manifest = "out/.nuke-batch/job.json"

    init() throws {
        job = try JobFolder()
        for (name, width) in [("photos/a.png", 300), ("photos/b.png", 200), ("photos/deep/c.PNG", 100)] {
            try job.folder.write(try TestImages.gradient(width: width, height: 40), to: name)
        }
        try job.folder.write("photos/a.png\n# comment\nphotos/b.png\n", to: "list.txt")
        try job.folder.write("\"photos/a.png\"\n{\"url\": \"photos/b.png\"}\n", to: "list.jsonl")
        try job.folder.write("image,colour\nphotos/a.png,red\nphotos/b.png,blue\n", to: "rows.csv")
    }

    /// Runs a command and expects this exit code.
    @discardableResult
    private func nukeBatch(
        _ words: [String],
        exit: Int32 = 0,
        input: String? = nil,
        at location: SourceLocation = #_sourceLocation
    ) async throws -> Program.Outcome {
        let outcome = try await Program.run("nuke-batch", words, in: job.folder.path, input: input)
        #expect(outcome.exit == exit, "\(outcome.output)\(outcome.errors)", sourceLocation: location)
        return outcome
    }

    /// The outputs in a folder, without the files of the job.
    private func made(in folder: String = "out") -> [String] {
        job.files(in: folder).filter { !$0.hasPrefix(".nuke-batch/") }
    }

    private func items() async throws -> [[String: Any]] {
        try ToldJob.objects(try await nukeBatch(["items", manifest, "--json"]))
    }

    struct Line: Sendable, CustomTestStringConvertible {
        let words: [String]
        let files: [String]
        var input: String?

        var testDescription: String { words.joined(separator: " ") }
    }

    static let lines = [
        Line(words: ["photos/a.png"], files: ["a.png"]),
        Line(words: ["photos/a.png", "photos/deep/c.PNG"], files: ["a.png", "deep/c.png"]),
        Line(words: ["photos"], files: ["a.png", "b.png"]),
        Line(words: ["./photos/", "--recursive"], files: ["a.png", "b.png", "deep/c.png"]),
        Line(words: ["photos/**/*.png"], files: ["a.png", "b.png", "deep/c.png"]),
        Line(words: ["*/[ab].{png,jpg}"], files: ["photos/a.png", "photos/b.png"]),
        Line(words: ["list.txt"], files: ["photos/a.png", "photos/b.png"]),
        Line(words: ["list.jsonl"], files: ["photos/a.png", "photos/b.png"]),
        Line(words: ["rows.csv:image"], files: ["photos/a.png", "photos/b.png"]),
        Line(words: ["rows.csv"], files: ["photos/a.png", "photos/b.png"]),
        Line(words: ["list.txt", "photos/deep"], files: ["c.png", "photos/a.png", "photos/b.png"]),
        Line(
            words: ["-"],
            files: ["photos/b.png", "photos/deep/c.png"],
            input: "photos/b.png\nphotos/deep/c.PNG\n"
        ),
        Line(words: [".", "--recursive"], files: ["photos/a.png", "photos/b.png", "photos/deep/c.png"]),
    ]

    @Test("each kind of source is resized, and the same line again does nothing", arguments: lines)
    func twice(line: Line) async throws {
        let words = ["resize"] + line.words + ["--width", "50", "-o", "out"]
        try await nukeBatch(words, input: line.input)
        #expect(made() == line.files)
        #expect(try job.image("out/" + line.files[0]).size.width == 50)
        let again = try await nukeBatch(words, input: line.input)
        #expect(again.output.hasPrefix("nothing to do"), "\(again.output)")
        // The commands that look at a job find this one.
        #expect(try await items().allSatisfy { $0["state"] as? String == "done" })
        #expect(try await nukeBatch(["verify", manifest]).output.contains("0 damaged"))
        #expect(FileManager.default.fileExists(atPath: job.folder.path("out/.nuke-batch/job.sqlite")))
        #expect(!job.files(in: "out/.nuke-batch").contains { $0.contains(".nuke-batch/") })
        if line.input == nil {
            let run = try await nukeBatch(["run", manifest])
            #expect(run.output.hasPrefix("nothing to do"), "\(run.output)")
        }
    }

    @Test("URLs and lists of them are loaded; an address that is not public needs --allow")
    func urls() async throws {
        let server = try LoopbackServer.tinyPictures()
        try job.folder.write("sku,image_url\nx,\(server.address)/2.png\n", to: "products.csv")
        try job.folder.write("\(server.address)/deep/3.png\n", to: "urls.txt")
        #expect(try await Program(path: "/bin/gzip", ["urls.txt"], in: job.folder.path).wait().exit == 0)
        let words = [
            "resize", "\(server.address)/1.png", "urls.txt.gz", "products.csv:image_url", "--fit", "2x2",
            "-o",
            "out",
        ]
        let refused = try await nukeBatch(words, exit: 1)
        #expect(made().isEmpty && server.requests.isEmpty && refused.output.contains("address 3"))
        let message = try #require(try await items().first?["message"] as? String)
        #expect(message.contains("--allow") && message.contains("127.0.0.1"), "\(message)")
        try await nukeBatch(words + ["--allow", "127.0.0.1"])
        #expect(made() == ["1.png", "2.png", "deep/3.png"] && server.requests.count == 3)
        let again = try await nukeBatch(words + ["--allow", "127.0.0.1,localhost"])
        #expect(again.output.hasPrefix("nothing to do") && server.requests.count == 3, "\(again.output)")
    }

    @Test("a changed line makes what changed")
    func changed() async throws {
        func run(_ widths: String, _ sources: String..., options: String...) async throws -> Int {
            let words = ["resize"] + sources + ["--width", widths, "-o", "out", "--json"] + options
            return try #require(try job.end(try await nukeBatch(words))["made"] as? Int)
        }
        #expect(try await run("100,150", "photos/a.png") == 2)
        #expect(made() == ["a-100.png", "a-150.png"])
        let before = try job.modified("out/a-100.png")
        #expect(try await run("100,150,180", "photos/a.png") == 1)
        #expect(try await run("180,150,100", "photos/a.png", "photos/b.png") == 3)
        #expect(try await run("100,150,180", "photos/a.png", "photos/b.png") == 0)
        #expect(try job.modified("out/a-100.png") == before)
        // A width alone has no width in its name.
        #expect(try await run("100", "photos/a.png") == 1)
        #expect(made().contains("a.png"))
        #expect(try await run("100", "photos/a.png", options: "--format", "jpeg") == 1)
        #expect(made().contains("a.jpg"))
    }

    @Test("names may hold anything, and a name with wildcards is only that file")
    func names() async throws {
        let names = [
            "a b.png", "x[1].png", "s*r.png", "new\nline.png", "ä é.png", "e\u{301}.png", "b{1,2}.png",
            "q?.png",
            "back\\slash.png", "$${HOME} ${HOME}.png", "~.png", "-dash.png", "quote\"'.png", "UPPER.PNG",
        ]
        for (number, name) in names.enumerated() {
            try job.folder.write(try TestImages.tiny(number), to: "odd/\(name)")
        }
        for name in ["s1r.png", "x1.png", "q1.png", "b1.png", "upper.PNG"] {
            try job.folder.write(try TestImages.tiny(99), to: "odd/\(name)")
        }
        let words = ["convert", "--format", "webp", "-o", "out"] + names.map { "odd/\($0)" }
        try await nukeBatch(words)
        #expect(made().count == names.count && made().contains("ä é.webp"), "\(made())")
        #expect(try await nukeBatch(words).output.hasPrefix("nothing to do: \(names.count) items"))
        // A folder with such a name is a folder.
        try job.folder.write(try TestImages.tiny(1), to: "album [1] {2}*/one.png")
        try await nukeBatch(["convert", "album [1] {2}*", "--format", "png", "-o", "album"])
        #expect(made(in: "album") == ["one.png"])
    }

    @Test("a link is the file that it leads to")
    func link() async throws {
        try FileManager.default.createSymbolicLink(
            atPath: job.folder.path("link.png"),
            withDestinationPath: "photos/a.png"
        )
        try await nukeBatch(["resize", "link.png", "--width", "10", "-o", "out"])
        #expect(made() == ["a.png"])
    }

    @Test("two thousand files on one command line")
    func many() async throws {
        let picture = try TestImages.tiny(1)
        let names = (0..<2000).map { "many/\($0).png" }
        for name in names { try job.folder.write(picture, to: name) }
        let words = ["resize"] + names + ["--width", "2", "-o", "out", "-q"]
        try await nukeBatch(words)
        #expect(made().count == 2000)
        let again = try await nukeBatch(Array(words.dropLast()))
        #expect(again.output.hasPrefix("nothing to do: 2000 items"), "\(again.output)")
    }

    @Test("a folder takes images by any case of their extensions, and HEIC as well")
    func photographs() async throws {
        try job.folder.write(try HEICFiles.plain(), to: "phone/IMG_1.HEIC")
        try job.folder.write(try Repository.photo("rocket.jpg"), to: "phone/IMG_2.JPG")
        try job.folder.write("no image", to: "phone/notes.txt")
        let run = try await Program.run(
            "nuke-batch",
            ["convert", "phone", "--format", "jpeg", "--quality", "85", "-o", "out"],
            in: job.folder.path
        )
        let items = try await items()
        #expect(items.count == 2 && made().contains("IMG_2.jpg"), "\(run.output)")
        // A build without HEIC says so of that file.
        let isRead = made().contains("IMG_1.jpg")
        #expect(run.exit == (isRead ? 0 : 1))
        #expect(isRead || items.contains { $0["error"] as? String == "wrong_type" })
    }

    @Test("outputs are never sources, and no file of the user is replaced in a folder of sources")
    func ownOutputs() async throws {
        let words = ["resize", ".", "--recursive", "--width", "20", "-o", "out"]
        try await nukeBatch(words)
        for _ in 0..<2 { #expect(try await nukeBatch(words).output.hasPrefix("nothing to do: 3 items")) }
        let original = try job.data("photos/a.png")
        let refused = try await nukeBatch(["resize", "photos", "--width", "20", "-o", "photos"], exit: 2)
        #expect(refused.errors.contains("--name"), "\(refused.errors)")
        try job.folder.write("mine", to: "photos/b.jpg")
        let beside = ["convert", "photos/a.png", "photos/b.png", "--format", "jpeg", "-o", "photos"]
        let mixed = try await nukeBatch(beside)
        #expect(mixed.output.contains("1 skipped") && !mixed.output.contains("warning"), "\(mixed.output)")
        #expect(try job.data("photos/a.png") == original && job.data("photos/b.jpg") == Data("mine".utf8))
        #expect(try job.image("photos/a.jpg").size.width == 300)
        #expect(try await nukeBatch(beside).output.hasPrefix("nothing to do: 2 items"))
        try job.folder.write(try TestImages.tiny(1), to: "album/one.png")
        let folder = ["convert", "album", "--format", "webp", "-o", "album"]
        for expected in ["1 made", "nothing to do: 1 item", "nothing to do: 1 item"] {
            #expect(try await nukeBatch(folder).output.hasPrefix(expected))
        }
    }

    @Test("up to five failed items are named with their errors, of more the first five; `run` names none")
    func namedFailures() async throws {
        for number in 1...6 { try job.folder.write("no image", to: "bad/\(number).png") }
        func named(_ words: [String]) async throws -> [String] {
            try await nukeBatch(words, exit: 1).lines.filter { $0.hasPrefix("  ") }
        }
        func resized(_ sources: [String]) async throws -> [String] {
            try await named(["resize"] + sources + ["photos/a.png", "--width", "5", "-o", "out"])
        }
        let five = (1...5).map { "bad/\($0).png" }
        let lines = try await resized(five)
        #expect(lines.count == 5)
        for (line, file) in zip(lines, five) {
            #expect(line.contains(/bad\/[1-5].png: wrong_type: ./) && line.contains(file), "\(line)")
        }
        // The same line again tells the same of what failed then.
        #expect(try await resized(five) == lines)
        let more = try await resized(["bad"])
        #expect(more.count == 6 && more.last == "  and 1 more", "\(more)")
        #expect(try await named(["run", manifest]).isEmpty)
    }

    @Test("the summary of a refused address has the option that allows it")
    func allowed() async throws {
        let server = try LoopbackServer.tinyPictures()
        let words = ["resize", "\(server.address)/1.png", "--width", "2", "-o", "out"]
        let refused = try await nukeBatch(words, exit: 1)
        let match = try #require(
            refused.output.firstMatch(of: /(--allow) ([^ ]+) of resize/),
            "\(refused.output)"
        )
        // The line has the URL once.
        #expect(refused.output.ranges(of: "\(server.address)/1.png").count == 1, "\(refused.output)")
        try await nukeBatch(words + [String(match.1), String(match.2)])
        #expect(made() == ["1.png"])
    }

    @Test("while another run holds the job, its manifest stays as it is")
    func held() async throws {
        let held = Asked()
        let server = try LoopbackServer { _ in
            held.waitForEnd()
            return .status(404)
        }
        let line = ["resize", "\(server.address)/a.png", "-o", "out", "--allow", "127.0.0.1", "--width"]
        let first = try Program("nuke-batch", line + ["10"], in: job.folder.path)
        _ = await server.requests(atLeast: 1)
        let before = try job.data(manifest)
        let second = try await nukeBatch(line + ["20"], exit: 3)
        #expect(try job.data(manifest) == before && second.errors.contains("\(first.processIdentifier)"))
        held.end()
        #expect(await first.wait().exit == 1)
    }
}
