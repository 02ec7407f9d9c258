import Foundation
import LoopbackServer
import TestSupport
import Testing

/// The memory of runs with large originals; `Benchmarks/memory/run` measures it with larger ones that are decoded.
// A sanitizer keeps a shadow of all memory.
@Suite(
    .serialized,
    .timeLimit(.minutes(10)),
    .enabled(if: ProcessInfo.processInfo.environment["TSAN_OPTIONS"] == nil)
)
struct MemoryTests {
    private static let size = 12_000_000
    private static let count = 12
    private static let limit = 40_000_000

    /// The framing of a response.
    enum Framing: String, CaseIterable {
        case length, chunked, unframed
    }

    /// Runs a job of `urls` and returns the most memory that it had, in bytes.
    private func peak(_ urls: [String], _ rest: String) async throws -> Int {
        let job = try JobFolder()
        let list = urls.map { "\"\($0)\"" }.joined(separator: ", ")
        try job.write(
            """
            "sources": [{"urls": [\(list)]}], "limits": {"memory": \(Self.limit)},
            "loading": {"concurrency": \(Self.count), "perHost": \(Self.count), "rate": "1000/s", "burst": 1000},
            "network": {"allow": ["127.0.0.1"], "fileRoots": ["/"]}, \(rest)
            """
        )
        let script = """
            import resource, subprocess, sys
            print(subprocess.run(sys.argv[1:], capture_output=True).returncode)
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
            """
        let binary = Program.folder.appendingPathComponent("nuke-batch").path
        let words = ["python3", "-c", script, binary, "run", "job.json", "--quiet", "--progress", "none"]
        let run = try await Program(path: "/usr/bin/env", words, in: job.folder.path).wait()
        let numbers = run.output.split(separator: "\n").compactMap { Int($0) }
        try #require(numbers.count == 2 && numbers[0] == 0, "\(run.output)\(run.errors)")
        return numbers[1] * 1024
    }

    /// A server of distinct large bodies, and of a tiny one at `/tiny`.
    private func server(_ framing: Framing) throws -> LoopbackServer {
        let piece = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        return try LoopbackServer { request in
            guard request.path != "/tiny" else { return .data(Data([1])) }
            let pieces =
                [Data(request.path.utf8)] + Array(repeating: piece, count: Self.size / piece.count)
            let body: LoopbackServer.Response.Body =
                switch framing {
                case .length: .pieces(pieces)
                case .chunked: .chunked(pieces)
                case .unframed: .unframed(pieces.reduce(Data(), +))
                }
            return .init(headers: [("ETag", "\"\(request.path)\""), ("Accept-Ranges", "bytes")], body: body)
        }
    }

    @Test(
        "large bodies that arrive at the same time take no memory, with a cache and without",
        arguments: Framing.allCases,
        [#""cache": {"directory": "cache"}"#, #""cache": {"policy": "none"}"#]
    )
    func bodies(framing: Framing, cache: String) async throws {
        let server = try server(framing)
        let base = try await peak(["\(server.address)/tiny"], cache)
        let urls = (0..<Self.count).map { "\(server.address)/\($0)" }
        let used = try await peak(urls, cache) - base
        print("memory: \(framing.rawValue), \(cache): \(used / 1_000_000) MB for \(Self.count) bodies")
        #expect(used < Self.limit)
    }
}
