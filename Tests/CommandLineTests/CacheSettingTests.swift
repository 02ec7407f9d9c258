import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// The manifest's settings of the cache: its folder, its size limit and revalidation.
@Suite(.timeLimit(.minutes(10))) struct CacheSettingTests {
    private let job: JobFolder
    private let server: LoopbackServer
    /// The status that everything is answered with, where it is not 200.
    private let status = Status()

    private final class Status: Sendable {
        let number = Mutex(200)
    }

    init() throws {
        job = try JobFolder()
        let status = status
        let picture = try TestImages.tiny(1)
        server = try LoopbackServer { request in
            let number = status.number.withLock { $0 }
            guard number == 200 else { return .status(number) }
            var response = LoopbackServer.Response.resource(
                picture,
                type: "image/png",
                etag: "\"1\"",
                for: request
            )
            if let age = request.path.split(separator: "/").first {
                response.headers.append(("Cache-Control", "max-age=\(age)"))
            }
            return response
        }
    }

    private func write(_ cache: String, _ rest: String = "") throws {
        try job.write(
            """
            "sources": [{"urls": ["\(server.address)/0/a.png", "\(server.address)/9000/b.png"]}],
            "retry": {"attempts": 1}, "cache": {\(cache)}\(rest)
            """
        )
    }

    @Test("without a folder of its own a job shares the user's cache with all others")
    func shared() async throws {
        for (variable, path) in [
            ("XDG_CACHE_HOME", "nuke-batch/originals"), ("HOME", ".cache/nuke-batch/originals"),
        ] {
            let home = job.folder.path(variable)
            let environment = ["XDG_CACHE_HOME": variable == "HOME" ? "" : home, "HOME": home]
            for name in ["one.json", "two.json"] {
                try job.folder.write(
                    """
                    {"sources": [{"urls": ["\(server.address)/\(variable).png"]}], "facts": ["size"],
                     "network": {"allow": ["127.0.0.1"]}}
                    """,
                    to: name
                )
                let run = try await job.nukeBatch("run", name, "--fresh", environment: environment)
                #expect(run.exit == 0, "\(run.errors)")
            }
            #expect(job.files(in: "\(variable)/\(path)").contains("index.sqlite"))
            #expect(server.requests.count { $0.path == "/\(variable).png" } == 1)
        }
    }

    @Test(
        "never asks nobody, always asks all, stale asks for what is no longer fresh, maxAge for what is older"
    )
    func revalidation() async throws {
        let directory = #""directory": "cache""#
        try write(directory)
        try await job.run()
        let modes = [
            ("", [] as [String]), (#", "revalidate": "never""#, []),
            (#", "revalidate": "always""#, ["/0/a.png", "/9000/b.png"]),
            (#", "revalidate": "stale""#, ["/0/a.png"]), (#", "maxAge": "1h""#, []),
            (#", "maxAge": "1ms""#, ["/0/a.png", "/9000/b.png"]),
        ]
        for (mode, expected) in modes {
            let before = server.requests.count
            try write(directory + mode)
            try await job.run()
            let asked = server.requests.dropFirst(before)
            #expect(asked.map(\.path).sorted() == expected, "\(mode)")
            #expect(asked.allSatisfy { $0.headers["if-none-match"] == "\"1\"" })
        }
        let before = server.requests.count
        try write(directory)
        #expect(try await job.run("--revalidate").output.contains("revalidated: 2 unchanged, 0 changed"))
        #expect(server.requests.count == before + 2)
    }

    @Test("an original that is sent again with the same bytes is unchanged, one with other bytes is changed")
    func sentAgain() async throws {
        let picture = Shared(try TestImages.tiny(1))
        let server = try LoopbackServer { _ in .data(picture.value, type: "image/png") }
        try job.write(
            """
            "sources": [{"urls": ["\(server.address)/a.png"]}], "outputs": [{"format": "png", "path": "a.png"}]
            """
        )
        try await job.run()
        #expect(try await job.run("--revalidate").output.contains("revalidated: 1 unchanged, 0 changed"))
        picture.value = try TestImages.tiny(2)
        #expect(try await job.run("--revalidate").output.contains("revalidated: 0 unchanged, 1 changed"))
        #expect(server.requests.count == 3)
    }

    @Test("an origin that fails leaves the stale original in use, unless staleIfError is false")
    func staleIfError() async throws {
        try write(#""directory": "cache", "revalidate": "always""#)
        try await job.run()
        status.number.withLock { $0 = 503 }
        #expect(try await job.run().output.contains("2 originals were used without revalidation"))
        try write(#""directory": "cache", "revalidate": "always", "staleIfError": false"#)
        try await job.run(exit: 1)
        #expect(try await job.errors() == ["http_503", "http_503"])
    }

    @Test("policy none keeps nothing; offline uses what is cached and loads nothing")
    func policies() async throws {
        try write(#""directory": "cache", "policy": "none""#, #", "outputs": [{"path": "{stem}.{ext}"}]"#)
        try await job.run()
        #expect(job.files(in: "cache").isEmpty)
        try await job.run("--fresh", "--offline", exit: 1)
        #expect(try await job.errors() == ["offline", "offline"])
        #expect(server.requests.count == 2)
        try write(#""directory": "cache""#, #", "outputs": [{"path": "{stem}.{ext}"}]"#)
        try await job.run("--fresh")
        try await job.run("--fresh", "--offline")
        #expect(server.requests.count == 4)
    }

    @Test("compression keeps less where bytes can be compressed, and gives the same back")
    func compression() async throws {
        let plain = Data(repeating: 65, count: 50_000)
        let text = try LoopbackServer { _ in .data(plain) }
        var sizes: [Int] = []
        for compression in [false, true] {
            try job.write(
                #""sources": [{"urls": ["\#(text.address)/a"]}], "cache": {"directory": "cache-\#(compression)", "compression": \#(compression)}"#
            )
            try await job.run("--fresh")
            let stat = try await job.nukeBatch("cache", "stat", "job.json", "--json")
            sizes.append(try #require(try ToldJob.objects(stat).first?["allocatedBytes"] as? Int))
            let got = try await job.nukeBatch("cache", "get", "job.json", "--url", "\(text.address)/a")
            #expect(Data(got.output.utf8) == plain)
        }
        #expect(sizes[1] < sizes[0] / 5, "\(sizes)")
    }

    #if JXL
    @Test("with jxl, JPEGs are kept as JPEG XL, and their exact bytes are what outputs are made from")
    func jpegXL() async throws {
        let photo = try Repository.photo("rocket.jpg")
        let photos = try LoopbackServer { _ in .data(photo) }
        func write(_ rest: String = "") throws {
            try job.write(
                #""sources": [{"urls": ["\#(photos.address)/a.jpg"]}], "cache": {"directory": "cache", "compression": "jxl"}\#(rest)"#
            )
        }
        try write()
        try await job.run()
        let stat = try await job.nukeBatch("cache", "stat", "job.json", "--json")
        let jxl = try #require(try ToldJob.objects(stat).first?["jxl"] as? [String: Int])
        #expect(jxl["count"] == 1 && jxl["originalBytes"] == photo.count)
        #expect(try Double(#require(jxl["bytes"])) < 0.87 * Double(photo.count))
        let told = try await job.nukeBatch("cache", "stat", "job.json").output
        #expect(
            told.contains("1 original as JPEG XL, ") && told.contains(" in place of 112.5 kB (1"),
            "\(told)"
        )
        try write(#", "outputs": [{"path": "{stem}.{ext}", "format": "original"}]"#)
        try await job.run("--offline")
        #expect(photos.requests.count == 1)
        #expect(try job.data("out/a.jpg") == photo)
    }
    #endif

    @Test(
        "what a warming keeps is never evicted: where there is no room the run ends with 4, and plan says so before"
    )
    func sizeLimit() async throws {
        let photo = try Repository.photo("rocket.jpg")
        let many = try LoopbackServer { _ in .data(photo) }
        func write(_ count: Int, _ rest: String = "") throws {
            let urls = (0..<count).map { "\"\(many.address)/\($0)\"" }.joined(separator: ", ")
            try job.write(
                #""sources": [{"urls": [\#(urls)]}], "cache": {"directory": "cache", "sizeLimit": "300KB"}\#(rest)"#
            )
        }
        try write(2)
        #expect(try await job.nukeBatch("plan", "job.json").errors.isEmpty)
        try await job.run()
        try write(3)
        let plan = try await job.nukeBatch("plan", "job.json")
        #expect(
            plan.errors.contains("warning: ") && plan.errors.contains("cache.sizeLimit"),
            "\(plan.errors)"
        )
        let run = try await job.run(exit: 4)
        #expect(run.output.contains("cache.sizeLimit"), "\(run.output)")
        #expect(try await job.items().map { $0["state"] as? String } == ["done", "done", "pending"])
        // A job with outputs keeps nothing from eviction: the former one's cache is another.
        try write(6, #", "outputs": [{"format": "original", "path": "{index}"}]"#)
        try await job.run("--cache", "another")
        let stat = try await job.nukeBatch("cache", "stat", "--cache", "another", "--json")
        let bytes = try #require(try ToldJob.objects(stat).first?["bytes"] as? Int)
        #expect(bytes <= 300_000 && job.files().count == 6)
    }

    @Test(
        "an original that is larger than the whole cache is not kept; a warming, which wants nothing else, says so"
    )
    func originalBeyondTheLimit() async throws {
        let photo = try Repository.photo("rocket.jpg")
        let origin = try LoopbackServer { _ in .data(photo) }
        let text =
            #""sources": [{"urls": ["\#(origin.address)/a"]}], "cache": {"directory": "cache", "sizeLimit": "10KB"}"#
        try job.write(text + #", "outputs": [{"format": "original", "path": "{index}"}]"#)
        try await job.run()
        #expect(job.files().count == 1)
        #expect(try await job.nukeBatch("cache", "list", "job.json", "--json").lines.isEmpty)
        try job.write(text)
        let run = try await job.run("--fresh", exit: 4)
        #expect(run.output.contains("raise cache.sizeLimit"), "\(run.output)")
    }
}
