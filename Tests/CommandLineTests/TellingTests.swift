import Foundation
import LoopbackServer
import TestSupport
import Testing

/// What messages name: the file and its type, the key and its unit, the command whose help has the answer.
@Suite(.timeLimit(.minutes(10))) struct TellingTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
    }

    @Test("a page in the place of an image is named with its URL and content type, also after a redirect")
    func wrongType() async throws {
        let server = try LoopbackServer { request in
            switch request.path {
            case "/moved.jpg": .redirect(to: "/login?token=SECRET")
            case "/api.jpg": .data(Data("{\"error\": 1}".utf8), type: "application/json")
            default: .data(Data("<!DOCTYPE html><html></html>".utf8), type: "text/html; charset=utf-8")
            }
        }
        try job.folder.write("<svg/>", to: "drawing.png")
        try job.write(
            """
            "sources": [{"urls": ["\(server.url("/page.jpg"))", "\(server.url("/moved.jpg"))", "\(server.url("/api.jpg"))",
                "drawing.png"]}],
            "outputs": [{"processors": [{"resize": {"width": 5}}], "format": "png", "path": "{index}.{ext}"}]
            """
        )
        try await job.run(exit: 1)
        let messages = try await job.items().map { item in
            #expect(item["error"] as? String == "wrong_type", "\(item)")
            return item["message"] as? String ?? ""
        }
        for (message, words) in zip(
            messages,
            [
                ["\(server.address)/page.jpg", "text/html", "an HTML page"],
                ["\(server.address)/login", "an HTML page"],
                ["\(server.address)/api.jpg", "application/json", "JSON"],
                [job.folder.path("drawing.png"), "an SVG drawing"],
            ]
        ) {
            for word in words { #expect(message.contains(word), "\(message)") }
            #expect(!message.contains("SECRET"), "\(message)")
        }
    }

    @Test("an image above a limit names the key and a value that suffices")
    func limits() async throws {
        try job.folder.write(try TestImages.gradient(width: 1500, height: 1000), to: "large.png")
        try job.write(
            """
            "sources": [{"urls": ["large.png"]}], "limits": {"maxPixels": "1MP"},
            "outputs": [{"processors": [{"resize": {"width": 5}}], "format": "png"}]
            """
        )
        try await job.run(exit: 1)
        let message = try #require(try await job.items().first?["message"] as? String)
        #expect(message.contains(#"limits.maxPixels to "2MP""#), "\(message)")
        try job.write(
            """
            "sources": [{"urls": ["large.png"]}], "limits": {"maxPixels": "2MP"},
            "outputs": [{"processors": [{"resize": {"width": 5}}], "format": "png"}]
            """
        )
        try await job.run()
    }

    @Test(
        "several values in the place of one name the key for several, and one in the place of several its brackets",
        arguments: [
            (
                #""processors": [{"resize": {"width": [100, 200]}}], "format": "png""#,
                #"use "widths" of the output"#
            ),
            (#""widths": 100, "format": "png", "path": "{width}.png""#, #""widths": [ … ]"#),
            (#""format": ["webp", "jpeg"]"#, #"use "formats" of the output"#),
            (#""formats": "webp""#, #""formats": [ … ]"#),
            (#""processors": {"resize": {"width": 5}}"#, #""processors": [ … ]"#),
            (#""width": [100, 200], "format": "png""#, #"did you mean "widths"?"#),
        ]
    )
    func several(output: String, hint: String) async throws {
        try job.write("\"sources\": [{\"urls\": []}], \"outputs\": [{\(output)}]")
        let outcome = try await job.nukeBatch("validate", "job.json")
        #expect(outcome.exit == 2 && outcome.output.contains(hint), "\(outcome.output)")
    }

    @Test(
        "an unknown option points to the help of its command",
        arguments: [
            (["run", "job.json", "--qualty", "5"], "see nuke-batch run --help"),
            (["status", "job.json", "--frobnicate"], "see nuke-batch status --help"),
            (["convert", "x", "--qualty", "5"], "did you mean --quality?"),
            (["frobnicate"], "see nuke-batch --help"),
        ]
    )
    func unknownOption(words: [String], hint: String) async throws {
        let outcome = try await Program.run("nuke-batch", words, in: job.folder.path)
        #expect(outcome.exit == 2 && outcome.errors.contains(hint), "\(outcome.errors)")
    }

    @Test("a folder that resize has filled is its manifest, for every command; another folder is none")
    func resized() async throws {
        try job.folder.write(try TestImages.tiny(1), to: "in/a.png")
        try #require(try await job.nukeBatch("resize", "in", "--width", "1", "-o", "o3").exit == 0)
        for place in ["o3", "o3/", "./o3", job.folder.path("o3")] {
            let verified = try await job.nukeBatch("verify", place)
            #expect(verified.exit == 0 && verified.output.contains("1 output checked"), "\(verified.errors)")
        }
        for command in ["status", "items", "plan", "prune", "run", "doctor", "export"] {
            let outcome = try await job.nukeBatch(command, "o3")
            #expect(outcome.exit == 0, "\(command): \(outcome.errors)")
        }
        #expect(try await job.nukeBatch("explain", "o3", "a.png").output.contains("a.png"))
        for other in ["in", "."] { #expect(try await job.nukeBatch("verify", other).exit == 2) }
    }

    @Test("plan tells files that do not exist from those that it has")
    func missingFiles() async throws {
        try job.folder.write(try TestImages.tiny(1), to: "a.png")
        try job.folder.write("url\na.png\nb.png\nc.png\n", to: "list.csv")
        try job.write(
            #""sources": [{"list": "list.csv"}, {"files": "*.png"}], "outputs": [{"format": "png"}]"#
        )
        let originals = try #require(try await job.plan()["originals"] as? [String: Any])
        #expect(originals["missing"] as? Int == 2 && originals["use"] as? Int == 1, "\(originals)")
        let text = try await job.nukeBatch("plan", "job.json").output
        #expect(
            text.contains("2 originals that do not exist") && text.contains("1 original available locally"),
            "\(text)"
        )
    }

    @Test("the report of a job that only asks an edge cache has no pictures and no sizes")
    func headReport() async throws {
        let server = try LoopbackServer.tinyPictures()
        try job.write(
            #""sources": [{"template": "\#(server.address)/{n}.png", "vars": {"n": "1..30"}}], "loading": {"method": "HEAD"}"#
        )
        let run = try await job.nukeBatch("warm", "job.json")
        #expect(run.exit == 0, "\(run.output)\(run.errors)")
        let page = try await job.nukeBatch("report", "job.json").output
        #expect(page.contains("30"))
        for wrong in ["missing", "Before and after", "median 0 B", "originals: median"] {
            #expect(!page.contains(wrong))
        }
    }
}
