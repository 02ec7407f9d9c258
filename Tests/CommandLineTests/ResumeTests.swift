import Foundation
import Imaging
import LoopbackServer
import SQLite
import Synchronization
import TestSupport
import Testing

/// A run that is killed in the middle of a large original: the next one goes on there.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ResumeTests {
    /// The bytes that are asked for again.
    private static let overlap = 16 * 1024
    private static let step = 1024 * 1024

    /// Returns the minimum number of bytes on disk after `count` bytes have arrived; the last incomplete step may be missing.
    private static func due(of count: Int) -> Int {
        count < step ? 0 : max(step, count - step + 1)
    }

    @Test(
        "30 kills in the middle of a large original: the rest alone is asked for, and the bytes are the same"
    )
    func kills() async throws {
        let seed = SeededGenerator.seed(of: "resume test")
        var random = SeededGenerator(seed: seed)
        let photo = try Self.largePhoto(&random)
        var saved: [Double] = []
        for number in 0..<30 {
            // A third where little can be on the disk yet.
            let lowest = number % 3 == 2 ? 100_000 : 3_000_000
            let cut = Int.random(in: lowest..<photo.count - 1000, using: &random)
            // Half of them while the bytes are still coming in: how many had come, only the program knew.
            let isMidway = number % 2 == 0
            let start = try await Self.kill(photo, at: cut, isMidway: isMidway)
            #expect(start < cut)
            guard !isMidway else { continue }
            #expect(start >= Self.due(of: cut) - Self.overlap, "cut at \(cut), went on at \(start)")
            saved.append(Double(start) / Double(cut))
            if cut > 3_000_000 { #expect(start >= cut * 6 / 10) }
        }
        let mean = saved.reduce(0, +) / Double(saved.count) * 100
        print("resume test: of \(photo.count) bytes, \(Int(mean)) % saved on average of what had come")
    }

    @Test("an interrupted run goes on as well")
    func interrupted() async throws {
        var random = SeededGenerator(seed: 7)
        let photo = try Self.largePhoto(&random)
        let start = try await Self.kill(photo, at: 2_345_678, isMidway: false, signal: SIGINT)
        #expect(start >= Self.due(of: 2_345_678) - Self.overlap)
    }

    @Test("with cache.policy none nothing is kept, and the run begins anew")
    func withoutCache() async throws {
        var random = SeededGenerator(seed: 7)
        let photo = try Self.largePhoto(&random)
        let start = try await Self.kill(photo, at: 3_000_000, isMidway: false, cache: #"{"policy": "none"}"#)
        #expect(start == 0)
    }

    /// Runs a job of one photograph, kills it when `cut` bytes have come, runs it again and compares.
    ///
    /// With `isMidway` it is killed as soon as the server has sent them; else when all that is to be on the disk then is.
    /// - Returns: Where the second run went on.
    private static func kill(
        _ photo: Data,
        at cut: Int,
        isMidway: Bool,
        signal: Int32 = SIGKILL,
        cache: String = #"{"directory": "cache"}"#
    ) async throws -> Int {
        let (sent, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let counter = Mutex(0)
        let server = try LoopbackServer { request in
            let isFirst = counter.withLock { counter in
                counter += 1
                return counter == 1
            }
            var response = LoopbackServer.Response.resource(
                photo,
                type: "image/jpeg",
                etag: "\"v1\"",
                for: request
            )
            guard isFirst else { return response }
            response.body = .pieces([Data(photo.prefix(cut)), Data(photo.dropFirst(cut))])
            response.hold = { moment in
                guard moment == .beforePiece(1) else { return }
                sent.signal()
                end.wait()
            }
            return response
        }
        defer { end.signal() }
        let folder = try TemporaryFolder()
        try folder.write(
            """
            {"sources": [{"urls": ["\(server.address)/a.jpg"]}], "cache": \(cache),
             "outputs": [{"processors": [{"resize": {"width": 100}}], "format": "png", "path": "a.png"}],
             "network": {"allow": ["127.0.0.1"]}}
            """,
            to: "job.json"
        )
        let program = try Program("nuke-batch", ["run", "job.json"], in: folder.path)
        await wait(for: sent)
        if !isMidway, !cache.contains("none") { try await recorded(due(of: cut), in: folder) }
        program.signal(signal)
        _ = await program.wait()
        let rest = try await Program.run("nuke-batch", ["run", "job.json"], in: folder.path)
        #expect(rest.exit == 0, "\(rest.output)\(rest.errors)")
        #expect(server.requests.count == 2)
        let made = try ImageDecoder.decode(Data(contentsOf: URL(fileURLWithPath: folder.path("out/a.png"))))
        #expect(made.size.width == 100)
        if !cache.contains("none") { try check(photo, in: folder) }
        return server.requests[1].headers["range"].flatMap {
            Int($0.dropFirst("bytes=".count).prefix { $0.isNumber })
        } ?? 0
    }

    /// The cache has the original, byte by byte, and nothing is left of what was on the way to it.
    private static func check(_ photo: Data, in folder: TemporaryFolder) throws {
        let index = try Connection(path: folder.path("cache/index.sqlite"), mode: .readOnly)
        let name: String = try #require(try index.statement("SELECT name FROM entry").scalar())
        let path = folder.path("cache/\(name.prefix(2))/\(name)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == photo)
        #expect(try index.integer("SELECT count(*) FROM partial") == 0)
        let left = try? FileManager.default.contentsOfDirectory(atPath: folder.path("cache/partial"))
        #expect(left ?? [] == [])
    }

    /// Waits until at least `count` bytes are recorded as durable.
    private static func recorded(_ count: Int, in folder: TemporaryFolder) async throws {
        guard count > 0 else { return }
        try await eventually {
            let index = try? Connection(path: folder.path("cache/index.sqlite"), mode: .readOnly)
            let size = try? index?.integer("SELECT coalesce(max(size), 0) FROM partial")
            return size ?? 0 >= count
        }
    }

    private static func wait(for semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                semaphore.wait()
                continuation.resume()
            }
        }
    }

    /// A JPEG of some 5 MB: noise, which does not compress.
    private static func largePhoto(_ random: inout SeededGenerator) throws -> Data {
        let side = 1_950
        var words = [UInt64](repeating: 0, count: side * side / 2)
        for index in words.indices { words[index] = random.next() | 0xff00_0000_ff00_0000 }
        let image = try Image(width: side, height: side, rgba: words.withUnsafeBytes { Data($0) })
        let photo = try ImageEncoder.encode(image, as: .jpeg(JPEGOptions(quality: 97)))
        #expect((4_000_000...9_000_000).contains(photo.count), "\(photo.count) bytes")
        return photo
    }
}
