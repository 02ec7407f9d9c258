import CacheTrials
import Files
import Foundation
import LoopbackServer
import TestSupport
import Testing

/// A nightly job of a sitemap and a list, the origin of both, and the clock by which cron starts it.
final class MonthJob: Sendable {
    /// What the origin has and does in a night.
    struct Origin: Sendable {
        /// The pictures of the sitemap.
        var listed = (1...20).map(String.init)
        /// How often each picture has changed.
        var versions: [String: Int] = [:]
        /// Answers in the place of pictures.
        var wrong: [String: BadNightTests.Answer] = [:]
        /// The status of the sitemap, and that of all pictures; nil where all is well.
        var sitemapStatus: Int?
        var pictureStatus: Int?
        /// Called with each request for the sitemap.
        var onSitemap: @Sendable () -> Void = {}
        /// The numbers of requests, with and without a validator; those for the sitemap have none.
        var (conditional, unconditional) = (0, 0)

        mutating func change(_ name: String) {
            versions[name, default: 0] += 1
        }
    }

    /// The pictures of the list, of which the last is missing; the paths of the two before it differ only in case.
    static let rows = ["21", "22", "23", "24", "a", "A", "missing"]
    private static let first = Date(timeIntervalSinceNow: 0)

    let job: JobFolder
    let origin = Shared(Origin())
    private let server: LoopbackServer
    private let proxy: LoopbackServer
    private let closed = ClosedPort()
    private let preload: String
    /// The proxy that the environment names.
    let proxyAddress = Shared<String?>(nil)

    init() throws {
        job = try JobFolder()
        preload = try Faults.build("clock", in: job.folder.path)
        server = try LoopbackServer { [origin] request in
            origin.change { origin in
                if request.headers["if-none-match"] == nil {
                    origin.unconditional += 1
                } else {
                    origin.conditional += 1
                }
            }
            return Self.answer(request, of: origin.value)
        }
        proxy = try LoopbackServer { _ in
            .status(407, headers: [("Proxy-Authenticate", "Basic realm=\"proxy\"")])
        }
        origin.change { $0.wrong["missing"] = .missing }
        try job.write(
            """
            "sources": [{"sitemap": "\(server.address)/sitemap.xml"}, {"list": "extra.csv"}],
            "outputs": [{"format": "original", "path": "{stem}.png"}],
            "cache": {"directory": "cache", "maxAge": "1d"},
            "loading": {"rate": "5000/s", "burst": 1000, "maxBytes": 4000, "maxRedirects": 3},
            "retry": {"attempts": 2, "backoff": "1ms..2ms", "recheck": "1d"},
            "network": {"allow": ["127.0.0.1"], "proxy": "environment"}
            """
        )
        try list(Self.rows)
    }

    /// Writes the list.
    func list(_ rows: [String]) throws {
        try job.folder.write(
            (["url"] + rows.map { "\(server.address)/\($0).png" }).joined(separator: "\n"),
            to: "extra.csv"
        )
    }

    /// Moves a file or a folder.
    func move(_ name: String, to other: String) throws {
        try FileManager.default.moveItem(atPath: job.folder.path(name), toPath: job.folder.path(other))
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: job.folder.path(name))
    }

    /// Names a proxy that wants a password, or one that is not there.
    func setProxy(isThere: Bool) {
        proxyAddress.value = isThere ? proxy.address : closed.address
    }

    /// Sets the program's clock to a time after the first night's start.
    func setClock(_ seconds: Int) throws {
        let passed = Int(Date().timeIntervalSince(Self.first))
        let file = URL(fileURLWithPath: job.folder.path("shift"))
        // A clock that is read while it is set is the old one or the new one.
        try Data("\(seconds - passed)".utf8).write(to: file, options: .atomic)
    }

    /// Runs the job as cron does.
    func run() async throws -> Program.Outcome {
        origin.change { ($0.conditional, $0.unconditional) = (0, 0) }
        var environment = ["LD_PRELOAD": preload, "NB_CLOCK": job.folder.path("shift")]
        if let address = proxyAddress.value { environment["http_proxy"] = address }
        return try await job.nukeBatch(
            "run",
            "job.json",
            "--quiet",
            "--progress",
            "none",
            "--fail-on",
            "new",
            environment: environment
        )
    }

    /// The lines that cron mails, without the folder and the port.
    func mail(_ run: Program.Outcome) -> [String] {
        (run.output + run.errors).replacing(job.folder.path + "/", with: "").replacing(
            server.address,
            with: "ORIGIN"
        )
        .replacing(proxy.address, with: "PROXY").replacing(closed.address, with: "PROXY")
        .split(separator: "\n").map(String.init)
    }

    /// The digests of the outputs by their paths.
    func outputs() throws -> [String: String] {
        try Dictionary(
            uniqueKeysWithValues: job.files().map { ($0, Digest.sha256.hex(of: try job.data("out/\($0)"))) }
        )
    }

    private static func answer(_ request: LoopbackServer.Request, of origin: Origin)
        -> LoopbackServer.Response
    {
        let address = "http://\(request.headers["host"] ?? "")"
        guard request.path != "/sitemap.xml" else {
            origin.onSitemap()
            if let status = origin.sitemapStatus { return .status(status) }
            let urls = origin.listed.map { "<url><loc>\(address)/\($0).png</loc></url>" }.joined()
            return .data(
                Data("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\(urls)</urlset>".utf8),
                type: "text/xml"
            )
        }
        if let status = origin.pictureStatus { return .status(status) }
        let name = String(request.path.dropFirst().dropLast(4))
        let image = picture(name, version: origin.versions[name] ?? 0)
        if let wrong = origin.wrong[name] { return wrong.response(request.path, image: image) }
        return .resource(image, type: "image/png", etag: "\"\(Digest.sha256.hex(of: image))\"", for: request)
    }

    private static func picture(_ name: String, version: Int) -> Data {
        let number = Int(name) ?? (name == "a" ? 30 : 31)
        return (try? TestImages.tiny(number + 40 * version)) ?? Data()
    }
}
