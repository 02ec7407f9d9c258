import Foundation
import LoopbackServer
import TestSupport
import Testing

/// The identity of items, and the work that a changed manifest repeats.
@Suite(.timeLimit(.minutes(10))) struct ItemIdentityTests {
    private let job: JobFolder
    private let server: LoopbackServer

    init() throws {
        job = try JobFolder()
        server = try LoopbackServer.tinyPictures()
    }

    private func write(_ numbers: [Int], _ rest: String = "") throws {
        let urls = numbers.map { "\"\(server.address)/\($0).png\"" }.joined(separator: ", ")
        try job.write(#""sources": [{"urls": [\#(urls)]}], "outputs": [{"path": "{stem}.{ext}"}]\#(rest)"#)
    }

    @Test(
        "equal rows are one item; one URL under two ids is two that share a request; own headers make another one"
    )
    func identity() async throws {
        let url = "\(server.address)/1.png"
        let entries = [
            "\"\(url)\"", "\"\(url)\"", #"{"url": "\#(url)", "id": "a"}"#, #"{"url": "\#(url)", "id": "b"}"#,
            #"{"url": "\#(url)", "headers": {"X-Size": "L"}}"#,
        ]
        let text = """
            "sources": [{"urls": [\(entries.joined(separator: ", "))]}],
            "outputs": [{"path": "{index}.{ext}", "format": "original"}]
            """
        try job.write(text)
        let plan = try await job.plan()
        #expect(plan["items"] as? Int == 4 && plan["duplicates"] as? Int == 1, "\(plan)")
        let run = try await job.run("--json")
        #expect(try await job.plan()["duplicates"] as? Int == 1, "also where nothing is planned anew")
        #expect(job.files() == ["1.png", "3.png", "4.png", "5.png"])
        #expect(server.requests.map { $0.headers["x-size"] ?? "-" }.sorted() == ["-", "L"])
        #expect(
            try job.end(run)["networkBytes"] as? Int == 2 * (try TestImages.tiny(1)).count,
            "each came once"
        )
        // Headers for all requests belong to nobody's item.
        try job.write(text + #", "loading": {"headers": {"X-All": "1"}}"#)
        #expect(try await job.run().output.hasPrefix("nothing to do: 4 items"))
        let kept = try await job.nukeBatch("cache", "list", "job.json", "--json")
        #expect(kept.lines.count == 2)
    }

    @Test("new items are added, items that left are no longer counted, and their outputs stay")
    func membership() async throws {
        try write([1, 2])
        try await job.run()
        try write([2, 3])
        let plan = try await job.plan()
        #expect(plan["new"] as? Int == 1 && plan["done"] as? Int == 1 && plan["items"] as? Int == 2)
        #expect((plan["outputs"] as? [String: Int])?["prune"] == 1)
        #expect(try await job.run().output.hasPrefix("1 made"))
        #expect(server.requests.map(\.path).sorted() == ["/1.png", "/2.png", "/3.png"])
        #expect(job.files() == ["1.png", "2.png", "3.png"])
        #expect(try await job.items().count == 2)
    }

    @Test(
        "changing limits, rates, headers or names remakes nothing",
        arguments: [
            #", "limits": {"memory": "2GB", "maxPixels": "10MP", "processing": 1, "maxDimension": 5000}"#,
            #", "loading": {"rate": "5/s", "perHost": 1, "headers": {"X-A": "b"}, "timeout": "5s"}"#,
            #", "retry": {"attempts": 2}, "name": "another""#,
            #", "cache": {"directory": "cache", "sizeLimit": "1GB"}"#,
        ]
    )
    func limits(change: String) async throws {
        try write([1, 2])
        try await job.run()
        try write([1, 2], change)
        #expect(try await job.run().output.hasPrefix("nothing to do: 2 items"))
        #expect(server.requests.count == 2)
    }

    @Test("a list that was only touched or copied is as it was; one with other bytes is planned anew")
    func lists() async throws {
        try job.folder.write("\(server.address)/1.png\n", to: "urls.txt")
        try job.write(#""sources": [{"list": "urls.txt"}], "outputs": [{"path": "{stem}.{ext}"}]"#)
        try await job.run()
        try FileManager.default.removeItem(atPath: job.folder.path("urls.txt"))
        try job.folder.write("\(server.address)/1.png\n", to: "urls.txt")
        #expect(try await job.run().output.hasPrefix("nothing to do: 1 item"))
        // Of the same length, and with the time of the former one.
        let time = try FileManager.default.attributesOfItem(atPath: job.folder.path("urls.txt"))[
            .modificationDate
        ]
        try job.folder.write("\(server.address)/2.png\n", to: "other.txt")
        try FileManager.default.setAttributes(
            [.modificationDate: time as Any],
            ofItemAtPath: job.folder.path("other.txt")
        )
        try FileManager.default.removeItem(atPath: job.folder.path("urls.txt"))
        try FileManager.default.moveItem(
            atPath: job.folder.path("other.txt"),
            toPath: job.folder.path("urls.txt")
        )
        #expect(try await job.run().output.hasPrefix("1 made"))
        #expect(job.files() == ["1.png", "2.png"])
    }
}
