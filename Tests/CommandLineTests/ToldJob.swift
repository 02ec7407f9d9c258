import Foundation
import LoopbackServer
import TestSupport
import Testing

/// A job that was run, with something of everything that there is to tell: a photograph at a signed URL, one behind a redirect,
/// one that is missing, an id that is markup and a formula, an output that is made and one that is skipped.
struct ToldJob {
    static let hostileID = #"=<b>"x"&,"#

    let folder: TemporaryFolder
    let server: LoopbackServer

    init() async throws {
        let rocket = try Repository.photo("rocket.jpg")
        let coffee = try Repository.photo("coffee.png")
        server = try LoopbackServer { request in
            switch request.path {
            case "/moved.jpg": .init(status: 302, headers: [("Location", "/coffee.png?token=SECRET")])
            case "/rocket.jpg": .data(rocket)
            case "/coffee.png", "/plain.png": .data(coffee)
            default: .status(404)
            }
        }
        folder = try TemporaryFolder()
        let address = server.address
        try folder.write(
            """
            {"name": "Told <job>",
             "sources": [{"urls": [
                {"url": "\(address)/rocket.jpg?signature=SECRET", "id": "sku-1"}, "\(address)/moved.jpg",
                "\(address)/missing.jpg", {"url": "\(address)/plain.png", "id": "=<b>\\"x\\"&,"}]}],
             "outputs": [
                {"name": "small", "processors": [{"resize": {"width": 120}}], "format": "jpeg", "path": "small/{index}.{ext}"},
                {"name": "wide", "when": {"minWidth": 5000}, "format": "jpeg", "path": "wide/{index}.{ext}"}],
             "facts": ["size", "exif", "location"], "destination": "out",
             "cache": {"directory": "cache"}, "network": {"allow": ["127.0.0.1"]}}
            """,
            to: "job.json"
        )
        let run = try await nukeBatch(["run", "job.json"])
        try #require(run.exit == 1, "\(run.output)\(run.errors)")
    }

    func nukeBatch(_ words: [String]) async throws -> Program.Outcome {
        try await Program.run("nuke-batch", words, in: folder.path)
    }

    /// The lines of standard output as JSON objects.
    static func objects(_ outcome: Program.Outcome) throws -> [[String: Any]] {
        try outcome.lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any], "\($0)")
        }
    }
}
