import Foundation
import LoopbackServer
import TestSupport
import Testing

/// A job that was run: two items that are done, of which one is listed twice, one that is missing, one that fails for now,
/// one that is skipped, and one with an id.
struct ListedJob {
    let job: JobFolder
    let server: LoopbackServer

    init() async throws {
        job = try JobFolder()
        let server = try LoopbackServer { request in
            switch request.path {
            case "/busy.png": .status(503)
            case "/a.png", "/b.png", "/small.png":
                .data((try? TestImages.tiny(1)) ?? Data(), type: "image/png")
            case "/large.jpg": .data((try? Repository.photo("rocket.jpg")) ?? Data())
            default: .status(404)
            }
        }
        self.server = server
        let names = ["a.png", "b.png", "a.png", "gone.png", "busy.png", "large.jpg"]
        let urls =
            names.map { "\"\(server.address)/\($0)\"" } + [
                #"{"url": "\#(server.address)/a.png", "id": "x,\"y"}"#
            ]
        try job.write(
            """
            "sources": [{"urls": [\(urls.joined(separator: ", "))]}], "retry": {"attempts": 1},
            "outputs": [{"when": {"types": ["png"]}, "format": "png", "path": "{index}.{ext}"}]
            """
        )
        try await job.run(exit: 1)
    }
}
