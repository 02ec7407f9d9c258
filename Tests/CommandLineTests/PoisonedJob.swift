import CacheTrials
import Files
import Foundation
import Imaging
import LoopbackServer
import SQLite
import TestSupport
import Testing

/// A job of photographs of which one, at 333 pixels' width, is poison to a decoder with a fault
/// (`Tests/Faults/preloads/poison.c`).
final class PoisonedJob {
    /// An item as `items --json` has it.
    struct Item: Decodable {
        struct Facts: Decodable, Equatable {
            let format: String?
            let blurHash: String?
        }

        let url: String
        let state: String
        let error: String?
        let message: String?
        let facts: Facts?
    }

    static let smallOutput = #"{"processors": [{"resize": {"width": 100}}], "format": "jpeg"}"#
    /// Everything that a child has to be told: formats, copies, conditions, a picture from a URL.
    static let manyOutputs = """
        {"name": "a", "processors": [{"resize": {"width": 100}}], "format": "jpeg"},
        {"name": "b", "processors": [{"gaussianBlur": {"radius": 2}}], "format": "webp"},
        {"name": "c", "processors": [{"resize": {"width": 64}}], "format": "avif"},
        {"name": "d", "format": "png"},
        {"name": "e", "format": "original"},
        {"name": "f", "format": "jpeg", "when": {"minWidth": 5000}},
        {"name": "g", "format": "jpeg", "processors": [{"watermark": {"image": "ADDRESS/mark.png"}}]}
        """

    private static let poison = Result {
        let file = try ImageEncoder.encode(
            Image(width: 333, height: 200, rgba: Data(repeating: 99, count: 333 * 800)),
            as: .jpeg()
        )
        // With the marker TEM (ITU-T T.81, B.1.1.3), files are decoded by libjpeg, whose functions have the fault.
        return file.prefix(2) + Data([0xFF, 0x01]) + file.dropFirst(2)
    }
    /// Of the poison's file, in hexadecimal.
    static var poisonSHA256: String { Digest.sha256.hex(of: (try? poison.get()) ?? Data()) }

    let folder: TemporaryFolder
    private let server: LoopbackServer
    private let library: String
    var poisonURL: String { "\(server.address)/poison.jpg" }
    /// The path of the journal in which the run records its items in flight.
    var blackBox: String { folder.path(".nuke-batch/job.inflight") }

    init(images: Int, outputs: String = smallOutput) throws {
        folder = try TemporaryFolder()
        library = try Faults.build("poison", in: folder.path)
        let photographs = try TestImages.distinctJPEGs(count: images)
        let (poison, mark) = (try Self.poison.get(), try TestImages.tiny(7))
        server = try LoopbackServer { request in
            if request.path == "/poison.jpg" { return LoopbackServer.Response(body: .data(poison)) }
            if request.path == "/mark.png" { return LoopbackServer.Response(body: .data(mark)) }
            guard let number = Int(request.path.dropFirst().prefix { $0.isNumber }) else {
                return .status(404)
            }
            return LoopbackServer.Response(body: .data(photographs[number]))
        }
        var urls = (1..<images).map { "\"\(server.address)/\($0).jpg\"" }
        urls.insert("\"\(server.address)/poison.jpg\"", at: images / 2)
        let text = outputs.replacingOccurrences(of: "ADDRESS", with: server.address)
        let facts = outputs == Self.smallOutput ? "" : #""facts": ["format", "blurHash"],"#
        try folder.write(
            """
            {"sources": [{"urls": [\(urls.joined(separator: ",\n"))]}], "outputs": [\(text)], \(facts)
             "cache": {"directory": "cache"}, "network": {"allow": ["127.0.0.1"]},
             "loading": {"rate": "5000/s", "burst": 1000}}
            """,
            to: "job.json"
        )
    }

    deinit {
        server.stop()
    }

    /// Starts `run` with a decoder that has this fault, or none.
    func start(
        _ poison: String?,
        _ arguments: [String] = ["run", "job.json"],
        program: String = "nuke-batch",
        input: String? = nil,
        onLine: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> Program {
        // A crash is to be one, and not examined.
        var environment = ["SWIFT_BACKTRACE": "enable=no"]
        if let poison {
            environment["LD_POISON"] = poison
            environment["LD_POISON_LOG"] = folder.path("deaths.txt")
            environment["LD_PRELOAD"] = library
        }
        return try Program(
            program,
            arguments,
            in: folder.path,
            input: input,
            environment: environment,
            onLine: onLine
        )
    }

    /// Starts it and waits for its end.
    func run(
        _ poison: String?,
        _ arguments: [String] = ["run", "job.json"],
        program: String = "nuke-batch",
        input: String? = nil
    ) async throws -> Program.Outcome {
        try await start(poison, arguments, program: program, input: input).wait()
    }

    /// The processes that met the poison, in their order.
    func deaths() throws -> [Int32] {
        guard FileManager.default.fileExists(atPath: folder.path("deaths.txt")) else { return [] }
        return try String(contentsOfFile: folder.path("deaths.txt"), encoding: .utf8)
            .split(separator: "\n").compactMap { Int32($0) }
    }

    func items() async throws -> [Item] {
        let listing = try await Program.run("nuke-batch", ["items", "job.json", "--json"], in: folder.path)
        return try listing.lines.map { try JSONDecoder().decode(Item.self, from: Data($0.utf8)) }
    }

    /// The originals that the cache keeps for somebody.
    func pins() throws -> Int64 {
        try Connection(path: folder.path("cache/index.sqlite"), mode: .readOnly).integer(
            "SELECT count(*) FROM pin"
        )
    }

    /// Returns the number of images in flight when a run crashed: the used slots of its journal.
    func suspects() throws -> Int {
        guard let box = FileManager.default.contents(atPath: blackBox) else { return 0 }
        return stride(from: 64, to: box.count, by: 16).count { offset in
            box[offset..<offset + 8].contains { $0 != 0 }
        }
    }

    /// The bytes of all files in the destination, by their paths without the server's address.
    func outputs() throws -> [String: Data] {
        let host = server.address.replacingOccurrences(of: "http://", with: "").replacingOccurrences(
            of: ":",
            with: "_"
        )
        let all = try #require(FileManager.default.enumerator(atPath: folder.path("out"))).compactMap {
            $0 as? String
        }
        var files: [String: Data] = [:]
        for path in all {
            guard let data = FileManager.default.contents(atPath: folder.path("out/" + path)) else {
                continue
            }
            files[path.replacingOccurrences(of: host, with: "host")] = data
        }
        return files
    }
}
