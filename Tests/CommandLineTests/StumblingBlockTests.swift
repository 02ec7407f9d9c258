import Foundation
import Imaging
import LoopbackServer
import TestSupport
import Testing

/// The stumbling blocks of users, from their first command to the one that works.
@Suite(.timeLimit(.minutes(10))) struct StumblingBlockTests {
    private let job: JobFolder
    private let server: LoopbackServer
    /// The paths that the server has no image for tonight.
    private let missing: Shared<Set<String>>

    init() throws {
        job = try JobFolder()
        missing = Shared([])
        server = try LoopbackServer { [missing] request in
            guard !missing.value.contains(request.path),
                let number = Int(request.path.dropFirst().prefix { $0 != "." }),
                let picture = try? TestImages.tiny(number)
            else { return .status(404) }
            return .data(picture, type: "image/png")
        }
    }

    @Test("a product list with a SKU twice: the plan and the run name both rows, and their advice makes both")
    func duplicateSKU() async throws {
        let rows = ["A1,1", "B2,2", "A1,3"].map { "\($0.replacing(",", with: ",\(server.address)/")).png\n" }
        try job.folder.write("sku,image\n\(rows.joined())", to: "products.csv")
        func write(_ path: String) throws {
            try job.write(
                """
                "sources": [{"list": "products.csv", "columns": {"url": "image", "id": "sku"}}],
                "outputs": [{"format": "original", "path": "\(path)"}]
                """
            )
        }
        try write("{id}.png")
        let told =
            "products.csv:2 and products.csv:4 would both write A1.png: add {index} to outputs[0].path"
        let plan = try await job.nukeBatch("plan", "job.json")
        #expect(plan.exit == 0 && plan.errors.contains(told), "\(plan.errors)")
        let run = try await job.run(exit: 1)
        #expect(run.output.contains(told), "\(run.output)")
        #expect(job.files() == ["A1.png", "B2.png"] && server.requests.count == 2)
        #expect(try job.data("out/A1.png") == TestImages.tiny(1), "the first row has the file")
        let seen = try await job.shell(try job.advice("to see them: ", in: run))
        #expect(seen.lines.count == 1 && seen.output.contains("/3.png") && seen.output.contains(told))

        try write("{id}-{index}.png")
        try await job.run()
        #expect(try job.data("out/A1-1.png") == TestImages.tiny(1))
        #expect(try job.data("out/A1-3.png") == TestImages.tiny(3))
        #expect(server.requests.count == 3, "what was loaded is not loaded again")
        let prune = try await job.nukeBatch("prune", "job.json")
        #expect(try await job.shell(try job.advice("to remove them: ", in: prune)).exit == 0)
        #expect(job.files() == ["A1-1.png", "A1-3.png", "B2-2.png"])
    }

    @Test(
        "a URL that is 404 tonight is made later: by the command that the run advises, or by a run after `recheck`",
        arguments: ["", #", "retry": {"recheck": "1ms"}"#]
    )
    func laterURL(settings: String) async throws {
        let urls = (1...2).map { "\"\(server.address)/\($0).png\"" }.joined(separator: ", ")
        try job.write(
            """
            "sources": [{"urls": [\(urls)]}],
            "outputs": [{"format": "png", "path": "{stem}.{ext}"}]\(settings)
            """
        )
        missing.value = ["/2.png"]
        let tonight = try await job.run(exit: 1)
        #expect(job.files() == ["1.png"])
        missing.value = []
        if settings.isEmpty {
            // By default, a day passes before a run sends the request again.
            let tomorrow = try await job.run(exit: 1)
            #expect(server.requests.count { $0.path == "/2.png" } == 1)
            let retry = try job.advice("to try them again: ", in: tomorrow)
            #expect(try retry == job.advice("to try them again: ", in: tonight))
            #expect(try await job.shell(retry).exit == 0)
        } else {
            try await job.run()
        }
        #expect(job.files() == ["1.png", "2.png"])
        #expect(server.requests.map(\.path).sorted() == ["/1.png", "/2.png", "/2.png"])
        #expect(try await job.run().output.hasPrefix("nothing to do: 2 items"))
    }

    @Test(
        "files named .JPG are found by patterns in lower case and by folders, of a manifest and of `resize`",
        arguments: ["photos/*.jpg", "photos"]
    )
    func capitals(source: String) async throws {
        let pictures = try TestImages.distinctJPEGs(count: 4)
        for (name, picture) in zip(["IMG_1.JPG", "img_2.jpg", "Img_3.Jpg"], pictures) {
            try job.folder.write(picture, to: "photos/\(name)")
        }
        try job.write(
            #""sources": [{"files": "\#(source)"}], "outputs": [{"format": "jpeg", "path": "{stem}.{ext}"}]"#
        )
        let resize = ["resize", source, "--width", "20", "-o", "small"]
        func bothMake(_ count: Int) async throws {
            #expect(try await job.run().output.hasPrefix("\(count) made"))
            let resized = try await Program.run("nuke-batch", resize, in: job.folder.path)
            #expect(
                resized.exit == 0 && resized.output.hasPrefix("\(count) made"),
                "\(resized.output)\(resized.errors)"
            )
        }
        try await bothMake(3)
        try job.folder.write(pictures[3], to: "photos/IMG_4.JPG")
        try await bothMake(1)
        let files = ["IMG_1.jpg", "IMG_4.jpg", "Img_3.jpg", "img_2.jpg"]
        #expect(job.files() == files)
        #expect(job.files(in: "small").filter { !$0.hasPrefix(".nuke-batch/") } == files)
    }

    @Test(
        "with the outputs inside the folder of the photographs, the second night makes what is new",
        arguments: ["run", "resize"]
    )
    func outputsAmongSources(command: String) async throws {
        try job.write(
            """
            "sources": [{"files": "photos/**/*.png"}], "destination": "photos/small",
            "outputs": [{"format": "png", "path": "{dir}/{stem}.{ext}", "processors": [{"resize": {"width": 3}}]}]
            """
        )
        let resize = ["resize", "photos", "--recursive", "--width", "3", "-o", "photos/small"]
        let words = command == "run" ? ["run", "job.json"] : resize
        for (number, result) in [(1, "1 made; 1 of 1 item "), (2, "1 made; 2 of 2 items")] {
            try job.folder.write(try TestImages.tiny(number), to: "photos/album/\(number).png")
            let night = try await Program.run("nuke-batch", words, in: job.folder.path)
            #expect(
                night.exit == 0 && night.output.hasPrefix(result),
                "\(night.output)\(night.errors)"
            )
        }
        let made = job.files(in: "photos/small").filter { !$0.hasPrefix(".nuke-batch/") }
        #expect(made == ["album/1.png", "album/2.png"])
        #expect(try ["1", "2"].map { try job.image("photos/album/\($0).png").size.width } == [4, 4])
    }

    @Test(
        "{width} in a path tells sizes apart, and where it cannot, that is said and nothing is written over"
    )
    func widthInPath() async throws {
        for (name, width) in [("large", 300), ("small", 50)] {
            try job.folder.write(
                try TestImages.gradient(width: width, height: 30),
                to: "photos/\(name).png"
            )
        }
        func write(_ path: String, markup: String? = nil) throws {
            let markup = markup.map { #", "markup": {"file": "\#($0)"}"# } ?? ""
            let outputs = [200, 100].map { width in
                let size = #""processors": [{"resize": {"width": \#(width)}}]"#
                return #"{"name": "w\#(width)", "format": "png", "path": "\#(path)", \#(size)\#(markup)}"#
            }
            let all = outputs.joined(separator: ", ")
            try job.write(#""sources": [{"files": "photos"}], "outputs": [\#(all)]"#)
        }
        try write("{stem}.{ext}")
        let refused = try await job.run(exit: 2)
        #expect(
            refused.errors.contains("outputs[1].path: writes the same files as outputs[0]: add {output}"),
            "\(refused.errors)"
        )
        // Images are not enlarged: both outputs of the small one are the same file.
        try write("{width}/{stem}.{ext}")
        try await job.run()
        let files = ["100/large.png", "200/large.png", "50/small.png"]
        #expect(job.files() == files)
        let widths = try files.map { try ImageHeader.read(job.data("out/\($0)")).size.width }
        #expect(widths == [100, 200, 50])

        // A second photograph has the same widths, and without its stem the same paths.
        try job.folder.write(try TestImages.gradient(width: 300, height: 60), to: "photos/other.png")
        try write("{width}.{ext}")
        let run = try await job.run(exit: 1)
        let seen = try await job.shell(try job.advice("to see them: ", in: run))
        #expect(seen.output.contains("would both write {width}.png"), "\(seen.output)")
        #expect(seen.output.contains("add {index} or {id} to outputs[0].path"), "\(seen.output)")
        let verify = try await job.nukeBatch("verify", "job.json")
        #expect(verify.exit == 0, "\(verify.output)")
        try write("{width}/{stem}.{ext}", markup: "{stem}-{width}.html")
        let unknown = try await job.nukeBatch("validate", "job.json")
        #expect(
            unknown.exit == 2
                && unknown.output.contains("has {width}, which differs between the images of an item"),
            "\(unknown.output)"
        )
        try write("{width}/{stem}.{ext}", markup: "{output}/{stem}.html")
        try await job.run()
        for name in ["large", "other"] {
            #expect(try ImageHeader.read(job.data("out/200/\(name).png")).size.width == 200)
            let markup = String(decoding: try job.data("out/w200/\(name).html"), as: UTF8.self)
            #expect(markup.contains("200/\(name).png"), "\(markup)")
        }
    }

    @Test("every command that is advised after five failures works in a shell, and makes all of them at last")
    func advice() async throws {
        let (good, cut) = (try TestImages.tiny(1), try Repository.photo("rocket.jpg").prefix(50_000))
        let isWell = Shared(false)
        let answer: LoopbackServer.Handler = { request in
            if isWell.value { return .data(good) }
            return switch (request.path as NSString).pathExtension {
            case "jpg": .data(cut)
            case "html": .data(Data("<html></html>".utf8), type: "text/html")
            default: .status(404)
            }
        }
        let server = try LoopbackServer(handler: answer)
        let closed = ClosedPort()
        let site = "http://localhost:\(server.port)"
        let urls = [
            "\(site)/it's%20gone.png?a=1&b=2", "\(site)/cut.jpg", "\(site)/page.html",
            "\(server.address)/far.png", "http://localhost:\(closed.number)/off.png",
        ].map { "\"\($0)\"" }.joined(separator: ", ")
        func write(_ hosts: String) throws {
            try job.write(
                """
                "sources": [{"urls": [\(urls)]}],
                "outputs": [{"format": "png", "path": "{index}.{ext}"}],
                "retry": {"attempts": 1}, "network": {"allow": [\(hosts)]}
                """
            )
        }
        try write(#""localhost""#)
        var told = [try await job.run(exit: 1).output, try await job.nukeBatch("items", "job.json").output]
        #expect(try await job.errors() == ["http_404", "corrupt", "wrong_type", "address", "refused"])
        for item in try await job.items() {
            let url = try #require(item["url"] as? String)
            told.append(try await job.nukeBatch("explain", "job.json", url).output)
        }
        told.append(Self.text(try await job.nukeBatch("report", "job.json").output))
        let commands = Set(told.flatMap(Self.commands))
        // Two of the run's summary, one of `explain` and one of the report for each of four permanent errors, and `run`.
        #expect(commands.count == 11, "\(commands)")

        for command in commands.sorted() {
            let outcome = try await job.shell(command)
            let result = outcome.output + outcome.errors
            #expect([0, 1].contains(outcome.exit), "\(command): \(result)")
            if command.hasPrefix("nuke-batch items ") {
                #expect(outcome.lines.count == 5, "\(command): \(result)")
            } else if command == "nuke-batch run job.json" {
                #expect(result.contains("5 failed; to see them: "), "\(command): \(result)")
            } else {
                let isSelected = command.contains(" --url ") || command.contains(" --error ")
                let requeued = isSelected ? "1 item requeued" : "5 items requeued"
                #expect(result.contains(requeued), "\(command): \(result)")
            }
        }
        isWell.value = true
        let opened = try LoopbackServer(port: closed.number, handler: answer)
        try write(#""localhost", "127.0.0.1""#)
        #expect(try await job.shell("nuke-batch retry job.json").exit == 0)
        #expect(try await job.errors() == ["-", "-", "-", "-", "-"] && job.files().count == 5)
        #expect(opened.requests.count == 1)
    }

    /// The commands in a text, each of which ends with its line.
    private static func commands(in text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            line.range(of: "nuke-batch ").map { String(line[$0.lowerBound...]) }
        }
    }

    /// The texts of the elements of a page that hold a command, a line each.
    private static func text(_ page: String) -> String {
        let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
        return page.matches(of: />(nuke-batch [^<]+)</).map { match in
            entities.reduce(String(match.1)) { $0.replacing($1.0, with: $1.1) }
        }.joined(separator: "\n")
    }
}
