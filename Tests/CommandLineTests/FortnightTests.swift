import Files
import Foundation
import LoopbackServer
import TestSupport
import Testing

/// A fortnight of a nightly job as cron runs it: what changed, and the mail of the morning, to the line.
@Suite(.timeLimit(.minutes(10))) struct FortnightTests {
    /// A night: its change, the mail (an empty one is none) and the exit code.
    private struct Night {
        let change: String
        let mail: [String]
        let exit: Int32

        init(_ change: String, _ mail: [String] = [], exit: Int32 = 0) {
            (self.change, self.mail, self.exit) = (change, mail, exit)
        }
    }

    /// An answer of the origin.
    private enum Answer {
        case bytes(Data)
        case status(Int)
    }

    /// The answers of the origin by path; others are 404.
    private let answers = Shared<[String: Answer]>([:])
    private let job: JobFolder
    private let server: LoopbackServer

    init() throws {
        job = try JobFolder()
        server = try LoopbackServer { [answers] request in
            switch answers.value[request.path] ?? .status(404) {
            case .bytes(let data): .resource(data, etag: "\"\(Digest.sha256.hex(of: data))\"", for: request)
            case .status(let status): .status(status)
            }
        }
        try write()
    }

    private func write(_ rest: String = "") throws {
        try job.write(
            """
            "sources": [{"list": "urls.txt"}],
            "outputs": [{"name": "small", "format": "original", "path": "{stem}.{ext}"}],
            "cache": {"directory": "cache", "revalidate": "always"}, "loading": {"rate": "5000/s", "burst": 1000},
            "retry": {"attempts": 2, "backoff": "1ms..2ms", "recheck": "1ms"}\(rest)
            """
        )
    }

    private func list(_ numbers: [Int]) throws {
        try job.folder.write(numbers.map { "\(server.address)/\($0).png\n" }.joined(), to: "urls.txt")
    }

    private func image(_ number: Int) throws -> Answer {
        .bytes(try TestImages.tiny(number))
    }

    /// Makes the change of a night.
    private func change(_ night: Int) throws {
        switch night {
        case 1:
            for number in 1...5 { answers.value["/\(number).png"] = try image(number) }
            try list([1, 2, 3, 4, 5, 6])
        case 3:
            answers.value["/7.png"] = try image(7)
            try list([1, 2, 3, 4, 5, 6, 7])
        case 4: answers.value["/1.png"] = try image(11)
        case 5: for number in 1...7 { answers.value["/\(number).png"] = .status(500) }
        case 6:
            answers.value["/1.png"] = try image(11)
            for number in [2, 3, 4, 5, 7] { answers.value["/\(number).png"] = try image(number) }
            answers.value["/6.png"] = nil
        case 7: try list([1, 2, 3, 4, 5, 6, 7, 8])
        case 9: answers.value["/8.png"] = try image(8)
        case 10: try list([2, 3, 4, 5, 6, 7, 8])
        case 11:
            answers.value["/9.png"] = .bytes(Data("<html>".utf8))
            try list([2, 3, 4, 5, 6, 7, 8, 9])
        case 13: try write(#", "limit": {}"#)
        case 14:
            try write()
            answers.value["/6.png"] = try image(6)
        default: break
        }
    }

    @Test("every morning's mail is right to the line") func fortnight() async throws {
        let failures = "to see them: nuke-batch items job.json --state failed,quarantined"
        let again = "to try them again: nuke-batch retry job.json"
        let moved = "from the network N, from cache and files N"
        let nights: [Night] = [
            Night(
                "six images, one of which is missing",
                [
                    "5 made, 1 newly failed; 5 of 6 items done in T", moved, "new failures: http_404 1",
                    "  http_404: ADDRESS/6.png", "1 failed; \(failures)", again,
                ],
                exit: 1
            ),
            Night("nothing"),
            Night("a new image"),
            Night("an original changed"),
            Night(
                "the origin is down",
                [
                    "0 made, 6 reused; 6 of 7 items done in T", moved,
                    "warning: 6 originals were used without revalidation, since their origins could not be reached: http_500 6",
                    "1 known failure of earlier runs", "1 failed; \(failures)", again,
                ]
            ),
            Night("it is up again"),
            Night(
                "a row whose image is missing",
                [
                    "0 made, 6 reused, 1 newly failed; 6 of 8 items done in T", moved,
                    "revalidated: 6 unchanged, 0 changed", "new failures: http_404 1",
                    "  http_404: ADDRESS/8.png",
                    "1 known failure of earlier runs",
                    "2 failed; \(failures)", again,
                ],
                exit: 1
            ),
            Night("nothing"),
            Night("that image appears"),
            Night("a row leaves the list"),
            Night(
                "a page instead of an image",
                [
                    "0 made, 6 reused, 1 newly failed; 6 of 8 items done in T", moved,
                    "revalidated: 6 unchanged, 0 changed", "new failures: wrong_type 1",
                    "  wrong_type: ADDRESS/9.png",
                    "1 known failure of earlier runs", "2 failed; \(failures)", again,
                ],
                exit: 1
            ),
            Night("nothing"),
            Night(
                "somebody edits the manifest",
                [#"job.json:4:68: limit: unknown key; did you mean "limits"?"#],
                exit: 2
            ),
            // A page where an image should be is asked for again each night: nobody is told again while it is one.
            Night("the edit is undone, and the missing image appears"),
        ]
        for (number, night) in zip(1..., nights) {
            try change(number)
            let words = ["run", "job.json", "--quiet", "--progress", "none", "--fail-on", "new"]
            let run = try await Program.run("nuke-batch", words, in: job.folder.path)
            let mail = masked(run.output + run.errors)
            let place = Comment(rawValue: "night \(number), \(night.change)")
            #expect(run.exit == night.exit, place)
            #expect(mail == night.mail, place)
            print("night \(number): \(night.change): exit \(run.exit)")
            for line in mail { print("    \(line)") }
        }
        #expect(job.files() == (1...8).map { "\($0).png" })
    }

    /// The lines of a mail, without durations, sizes and the port of the origin.
    private func masked(_ text: String) -> [String] {
        text.replacing(server.address, with: "ADDRESS").replacing(
            #/in [0-9.]+ s$/#.anchorsMatchLineEndings(),
            with: "in T"
        )
        .replacing(#/[0-9.]+ (B|kB|MB)/#, with: "N").split(separator: "\n").map(String.init)
    }
}
