import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Durations, sizes, rates, pixels and priorities: how they are written, and what they are worth.
@Suite(.timeLimit(.minutes(10))) struct ValueFormTests {
    struct Kind: Sendable {
        let section: String
        let key: String
        let right: [String]
        let wrong: [String]
    }

    static let kinds = [
        Kind(
            section: "cache",
            key: "maxAge",
            right: [#""250ms""#, #""30s""#, #""10m""#, #""2h""#, #""7d""#],
            wrong: [#""30""#, #""-1s""#, #""1.5h""#, #""7w""#, "30"]
        ),
        Kind(
            section: "limits",
            key: "memory",
            right: [#""64KB""#, #""100MB""#, #""10GB""#, #""64KiB""#, #""1GiB""#, "1000000"],
            wrong: [#""lots""#, #""1 GB""#, #""-1MB""#, #""10gb""#, "1.5"]
        ),
        Kind(
            section: "loading",
            key: "rate",
            right: [#""80/s""#, #""600/m""#],
            wrong: [#""80""#, #""0/s""#, "80"]
        ),
        Kind(section: "limits", key: "maxPixels", right: [#""100MP""#, "5000"], wrong: [#""100mp""#, "-1"]),
        Kind(section: "retry", key: "backoff", right: [#""1s..60s""#], wrong: [#""60s..1s""#, #""1s""#]),
        Kind(section: "limits", key: "maxDimension", right: ["1", "65500"], wrong: ["0", "65501"]),
        Kind(
            section: "network",
            key: "allow",
            right: [#"["localhost", "10.0.0.0/8", "::1"]"#],
            wrong: [#"["10.0.0.0/33"]"#, #"["a b"]"#]
        ),
        Kind(section: "loading", key: "method", right: [#""GET""#, #""HEAD""#], wrong: [#""POST""#]),
    ]

    @Test("what is no value of its kind is named with its path; what is one is taken", arguments: kinds)
    func forms(kind: Kind) async throws {
        let job = try JobFolder()
        for (name, values) in [("right", kind.right), ("wrong", kind.wrong)] {
            for (number, value) in values.enumerated() {
                try job.folder.write(
                    #"{"sources": [{"urls": ["a.png"]}], "\#(kind.section)": {"\#(kind.key)": \#(value)}}"#,
                    to: "\(name)-\(number).json"
                )
            }
        }
        let right = kind.right.indices.map { "right-\($0).json" }
        let good = try await Program.run("nuke-batch", ["validate"] + right, in: job.folder.path)
        #expect(good.exit == 0 && good.lines.count == right.count, "\(good.output)")
        let wrong = kind.wrong.indices.map { "wrong-\($0).json" }
        let bad = try await Program.run("nuke-batch", ["validate"] + wrong, in: job.folder.path)
        #expect(bad.exit == 2)
        for name in wrong {
            let place = ": \(kind.section).\(kind.key)"
            #expect(bad.lines.contains { $0.hasPrefix("\(name):1:") && $0.contains(place) }, "\(bad.output)")
        }
    }

    @Test(
        "KB is 1000 bytes, KiB 1024, and a number is bytes",
        arguments: [("\"5KB\"", false), ("\"5KiB\"", true), ("5119", false), ("5120", true)]
    )
    func sizes(value: String, fits: Bool) async throws {
        let server = try LoopbackServer { _ in .data(Data(repeating: 7, count: 5120)) }
        let job = try JobFolder()
        try job.write(#""sources": [{"urls": ["\#(server.address)/a"]}], "loading": {"maxBytes": \#(value)}"#)
        try await job.run(exit: fits ? 0 : 1)
        #expect(try await job.errors() == [fits ? "-" : "too_large"])
    }

    @Test(
        "a rate is so many a second or a minute: 75 after the burst take so long",
        arguments: [("75/s", 1), ("75/m", 60)]
    )
    func rates(rate: String, seconds: Double) async throws {
        let job = try JobFolder()
        let source = #"{"template": "http://127.0.0.1/{n}.png", "vars": {"n": "1..100"}}"#
        try job.write(#""sources": [\#(source)], "loading": {"rate": "\#(rate)", "burst": 25}"#)
        let originals = try await job.plan()["originals"] as? [String: Any]
        #expect(originals?["load"] as? Int == 100)
        #expect(originals?["seconds"] as? Double == seconds, "\(originals ?? [:])")
    }

    @Test("each priority has its word, and the more urgent goes first")
    func priorities() async throws {
        let server = try LoopbackServer.tinyPictures()
        let words = ["veryLow", "low", "normal", "high", "veryHigh"]
        let job = try JobFolder()
        let urls = words.enumerated().map {
            #"{"url": "\#(server.address)/\#($0.offset).png", "priority": "\#($0.element)"}"#
        }
        try job.write(
            #""sources": [{"urls": [\#(urls.joined(separator: ", "))]}], "loading": {"rate": "2/s", "burst": 1}"#
        )
        try await job.run()
        #expect(try await job.items().map { $0["priority"] as? String } == words)
        // All five set out together, and the first to be there has its turn; the others wait in their order.
        let others = server.requests.dropFirst().compactMap { Int($0.path.dropFirst().prefix(1)) }
        #expect(others.count == 4 && others == others.sorted(by: >), "\(server.requests.map(\.path))")
        try job.write(#""sources": [{"urls": [{"url": "a", "priority": "urgent"}]}]"#)
        let wrong = try await job.nukeBatch("validate", "job.json")
        #expect(
            wrong.exit == 2 && wrong.output.contains("sources[0].urls[0].priority: \"urgent\" is none of")
        )
    }
}
