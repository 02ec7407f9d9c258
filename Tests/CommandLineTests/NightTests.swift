import Files
import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// A month of a nightly job in fast motion: its origin changes, and each report must be right to the item.
@Suite(.timeLimit(.minutes(10))) struct NightTests {
    @Test("30 nights over an origin with new, changed, vanished and failing images")
    func aMonth() async throws {
        let seed = SeededGenerator.seed(of: "night test")
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let origin = Mutex(Origin())
        let server = try LoopbackServer { request in origin.withLock { $0.answer(request) } }
        defer { server.stop() }
        try folder.write(
            #"""
            {"sources": [{"list": "urls.txt"}], "cache": {"directory": "cache", "revalidate": "always"},
             "outputs": [{"format": "original", "path": "{stem}.{ext}"}],
             "retry": {"attempts": 2, "backoff": "1ms..2ms"},
             "loading": {"rate": "5000/s", "burst": 1000}, "network": {"allow": ["127.0.0.1"]}}
            """#,
            to: "job.json"
        )
        var job = Job()
        for night in 1...30 {
            let listed = try origin.withLock { origin in
                try origin.fall(&random)
                origin.requests = [:]
                return origin.listed
            }
            try folder.write(listed.map { "\(server.url($0))\n" }.joined(), to: "urls.txt")
            let expected = origin.withLock { job.expect(listed, of: $0) }
            let run = try await Program.run("nuke-batch", ["run", "job.json", "--json"], in: folder.path)
            let report = try Report(run.lines.last ?? "")
            let place = "night \(night) of seed \(seed)"
            #expect(run.exit == (expected.failed > 0 ? 1 : 0), "\(place): \(run.errors)")
            #expect(report == expected, "\(place)")
            #expect(origin.withLock { $0.requests } == job.requests, "\(place)")
            try await Self.compare(job, listed, folder, server, place)
        }
        #expect(job.kinds == ["new", "changed", "vanished", "failing", "stale", "unchanged", "again"])
    }

    @Test("a quiet night without trouble says nothing, and one with stale originals says so")
    func quiet() async throws {
        let folder = try TemporaryFolder()
        let isFailing = Mutex(false)
        let photo = try TestImages.tiny(1)
        let server = try LoopbackServer { request in
            isFailing.withLock { $0 } ? .status(500) : .resource(photo, etag: "\"1\"", for: request)
        }
        defer { server.stop() }
        try folder.write(
            """
            {"sources": [{"urls": ["\(server.url("/a.png"))"]}], "network": {"allow": ["127.0.0.1"]},
             "cache": {"directory": "cache", "revalidate": "always"}, "outputs": [{"format": "original"}],
             "retry": {"attempts": 1}}
            """,
            to: "job.json"
        )
        for night in 0..<2 {
            let run = try await Program.run("nuke-batch", ["run", "job.json", "--quiet"], in: folder.path)
            #expect(run.exit == 0 && run.output == "" && run.errors == "", "night \(night)")
        }
        isFailing.withLock { $0 = true }
        let run = try await Program.run("nuke-batch", ["run", "job.json", "--quiet"], in: folder.path)
        #expect(run.exit == 0)
        #expect(run.output.contains("warning: 1 original was used without revalidation"), "\(run.output)")
        #expect(run.output.contains("http_500 1"))
    }

    /// Compares the items that `items` lists and the files in the destination with the model.
    private static func compare(
        _ job: Job,
        _ listed: [String],
        _ folder: TemporaryFolder,
        _ server: LoopbackServer,
        _ place: String
    ) async throws {
        let listing = try await Program.run("nuke-batch", ["items", "job.json", "--json"], in: folder.path)
        #expect(listing.lines.count == listed.count, "\(place)")
        for (line, path) in zip(listing.lines, listed) {
            let item = try JSONDecoder().decode(Item.self, from: Data(line.utf8))
            let known = job.items[path] ?? Job.Item()
            #expect(item.url == "\(server.url(path))", "\(place)")
            #expect(item.state == (known.error == nil ? "done" : "failed"), "\(place): \(line)")
            #expect(item.error == known.error, "\(place): \(line)")
            guard let bytes = known.bytes else { continue }
            #expect(item.outputs.first?.sha256 == Digest.sha256.hex(of: bytes), "\(place): \(line)")
            let file = try Data(contentsOf: URL(fileURLWithPath: folder.path("out\(path)")))
            #expect(file == bytes, "\(place): \(path)")
        }
    }

    private struct Item: Decodable {
        struct Output: Decodable {
            let sha256: String?
        }

        let url: String
        let state: String
        let error: String?
        let outputs: [Output]
    }
}

/// A server's images, as they change from night to night.
private struct Origin {
    struct Image {
        var version: Int
        var bytes: Data
        var status = 200
    }

    private(set) var images: [String: Image] = [:]
    private(set) var listed: [String] = []
    var requests: [String: Int] = [:]
    private var versions = 0

    mutating func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Response {
        requests[request.path, default: 0] += 1
        guard let image = images[request.path], image.status == 200 else {
            return .status(images[request.path]?.status ?? 404)
        }
        return .resource(image.bytes, type: "image/png", etag: "\"\(image.version)\"", for: request)
    }

    /// Night falls: some images are new, changed, gone for good, failing for this night or no longer listed.
    mutating func fall(_ random: inout SeededGenerator) throws {
        for path in listed {
            guard let status = images[path]?.status, status != 404 else {
                // Half of those that are gone leave the list.
                if Bool.random(using: &random) { listed.removeAll { $0 == path } }
                continue
            }
            images[path]?.status = 200
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<12: images[path] = try makeImage()
            case 12..<15: images[path]?.status = 404
            case 15..<25: images[path]?.status = [500, 502, 504].randomElement(using: &random) ?? 500
            default: break
            }
        }
        for _ in 0..<Int.random(in: listed.isEmpty ? 10...12 : 0...3, using: &random) {
            let path = "/\(versions).png"
            images[path] = try makeImage()
            // Some fail from the first night on.
            if Int.random(in: 0..<6, using: &random) == 0 { images[path]?.status = 500 }
            listed.append(path)
        }
    }

    private mutating func makeImage() throws -> Image {
        versions += 1
        return Image(version: versions, bytes: try TestImages.tiny(versions))
    }
}

/// The model of the job's state after each night.
private struct Job {
    struct Item {
        var bytes: Data?
        var error: String?
    }

    private(set) var items: [String: Item] = [:]
    /// The number of requests for each image this night.
    private(set) var requests: [String: Int] = [:]
    /// The kinds of events in all nights.
    private(set) var kinds: Set<String> = []

    mutating func expect(_ listed: [String], of origin: Origin) -> Report {
        var report = Report()
        requests = [:]
        for path in listed {
            guard let image = origin.images[path] else { continue }
            var item = items[path] ?? Item()
            live(&item, image, path, &report)
            if item.error != nil { report.failed += 1 }
            items[path] = item
        }
        return report
    }

    private mutating func live(
        _ item: inout Item,
        _ image: Origin.Image,
        _ path: String,
        _ report: inout Report
    ) {
        let known = item.bytes
        // One that was never there is asked for again after retry.recheck, a day.
        if item.error == "http_404", known == nil { return }
        requests[path] = 1
        switch image.status {
        case 200 where known == image.bytes:
            kinds.insert("unchanged")
            (report.reused, report.confirmed) = (report.reused + 1, report.confirmed + 1)
        case 200:
            kinds.insert(known == nil ? item.error == nil ? "new" : "again" : "changed")
            report.made += 1
            if known != nil { report.changed += 1 }
            item = Item(bytes: image.bytes)
        case 404:
            kinds.insert("vanished")
            item.error = "http_404"
        case let status where known != nil:
            kinds.insert("stale")
            report.reused += 1
            report.stale["http_\(status)", default: 0] += 1
        case let status:
            kinds.insert("failing")
            // Both attempts.
            requests[path] = 2
            item.error = "http_\(status)"
        }
    }
}

/// The numbers of `run_finished`.
private struct Report: Decodable, Equatable {
    var made = 0
    var reused = 0
    var failed = 0
    var confirmed = 0
    var changed = 0
    var stale: [String: Int] = [:]

    init() {}

    init(_ line: String) throws {
        self = try JSONDecoder().decode(Report.self, from: Data(line.utf8))
    }
}
