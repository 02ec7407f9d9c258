import Files
import Foundation
import LoopbackServer
import TestSupport
import Testing

/// One night of wrong answers, and the night after it: nothing is lost, and the item goes on as before.
@Suite struct BadNightTests {
    /// A kind of wrong answer.
    enum Answer: String, CaseIterable {
        case page, text, empty, noContent, cut, tooLarge, loop
        case badRequest, unauthorized, forbidden, missing, methodNotAllowed, gone, teapot, notImplemented,
            serverError

        func response(_ path: String, image: Data) -> LoopbackServer.Response {
            switch self {
            case .page:
                .data(Data("<!DOCTYPE html><html><body>Back soon</body></html>".utf8), type: "text/html")
            case .text: .data(Data("busy".utf8), type: "image/png")
            case .empty: .data(Data(), type: "image/png")
            case .noContent: .status(204)
            case .cut: .data(image.prefix(image.count - 20), type: "image/png")
            case .tooLarge: .data(Data(count: 5_000), type: "image/png")
            case .loop: .redirect(to: path)
            case .badRequest: .status(400)
            case .unauthorized: .status(401)
            case .forbidden: .status(403)
            case .missing: .status(404)
            case .methodNotAllowed: .status(405)
            case .gone: .status(410)
            case .teapot: .status(418)
            case .notImplemented: .status(501)
            case .serverError: .status(500)
            }
        }
    }

    private let job: JobFolder
    private let server: LoopbackServer
    private let answer = Shared<(wrong: Answer?, picture: Int)>((nil, 1))
    private let asked = Shared<[LoopbackServer.Request]>([])

    init() throws {
        job = try JobFolder()
        server = try LoopbackServer { [answer, asked] request in
            asked.change { $0.append(request) }
            let image = (try? TestImages.tiny(answer.value.picture)) ?? Data()
            if let wrong = answer.value.wrong { return wrong.response(request.path, image: image) }
            return .resource(image, etag: "\"\(Digest.sha256.hex(of: image))\"", for: request)
        }
    }

    private func write(_ rest: String, recheck: String = "1d") throws {
        try job.write(
            """
            "sources": [{"urls": ["\(server.address)/1.png"]}],
            "loading": {"rate": "5000/s", "burst": 1000, "maxBytes": 4000},
            "retry": {"attempts": 1, "backoff": "1ms..2ms", "recheck": "\(recheck)"}, \(rest)
            """
        )
    }

    /// Runs the job as cron does, and returns the exit code and the requests.
    private func night() async throws -> (exit: Int32, requests: [LoopbackServer.Request]) {
        asked.change { $0 = [] }
        let run = try await job.nukeBatch(
            "run",
            "job.json",
            "--quiet",
            "--progress",
            "none",
            "--fail-on",
            "new"
        )
        return (run.exit, asked.value)
    }

    private static let outputs = #""outputs": [{"format": "original", "path": "{stem}.{ext}"}]"#
    private static let always = #""cache": {"directory": "cache", "revalidate": "always"}"#

    @Test(
        "the night after a wrong answer asks again, with the validator of the good original",
        arguments: Answer.allCases
    )
    func night(after wrong: Answer) async throws {
        try write("\(Self.outputs), \(Self.always)")
        #expect(try await night().exit == 0)
        let good = try job.data("out/1.png")
        answer.change { $0.wrong = wrong }
        let bad = try await night()
        #expect(!bad.requests.isEmpty)
        #expect(try job.data("out/1.png") == good, "an output stays")
        // The origin has changed nothing: one conditional request finds it out, because the good original is still cached.
        answer.change { $0.wrong = nil }
        let same = try await night()
        #expect(same.exit == 0)
        #expect(
            same.requests.compactMap { $0.headers["if-none-match"] }.count == 1,
            "\(same.requests.map(\.headers))"
        )
        answer.change { $0.picture = 2 }
        #expect(try await night().requests.count == 1)
        #expect(try job.data("out/1.png") == TestImages.tiny(2))
    }

    @Test("a changed picture is made in the night after", arguments: Answer.allCases)
    func change(after wrong: Answer) async throws {
        try write("\(Self.outputs), \(Self.always)")
        #expect(try await night().exit == 0)
        answer.change { $0.wrong = wrong }
        _ = try await night()
        _ = try await night()
        answer.change { $0 = (nil, 2) }
        let after = try await night()
        #expect(after.exit == 0 && after.requests.count == 1)
        #expect(try job.data("out/1.png") == TestImages.tiny(2))
    }

    @Test("an item that was never done is asked for again after retry.recheck", arguments: Answer.allCases)
    func recheck(after wrong: Answer) async throws {
        try write(Self.outputs + #", "cache": {"directory": "cache"}"#, recheck: "1ms")
        answer.change { $0.wrong = wrong }
        #expect(try await night().exit == 1)
        answer.change { $0.wrong = nil }
        let after = try await night()
        #expect(after.exit == 0 && after.requests.count == 1)
        #expect(try job.data("out/1.png") == TestImages.tiny(1))
    }

    @Test(
        "a warmed original is not replaced by what is no image",
        arguments: [Answer.page, .text, .empty, .noContent]
    )
    func warming(_ wrong: Answer) async throws {
        try write(Self.always)
        #expect(try await night().exit == 0)
        answer.change { $0.wrong = wrong }
        #expect(try await night().exit == 1)
        answer.change { $0.wrong = nil }
        let after = try await night()
        #expect(after.exit == 0)
        #expect(after.requests.compactMap { $0.headers["if-none-match"] }.count == 1)
    }
}
