import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Runs `Examples/load-with-cache`, which is built beside the tests.
@Suite("load-with-cache", .timeLimit(.minutes(10)))
struct LoadWithCacheTests {
    private func run(_ arguments: [String], caches: String) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
            .deletingLastPathComponent()
            .appendingPathComponent("load-with-cache")
        process.arguments = arguments
        process.environment = ["XDG_CACHE_HOME": caches]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    @Test func theSecondLoadComesFromTheCache() throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { _ in .data(Data("hello".utf8)) }
        defer { server.stop() }
        let first = try run([server.url("/a").absoluteString], caches: folder.path)
        #expect(first.status == 0)
        let lines = first.output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("1. 5 bytes from the network in ") == true)
        #expect(lines.last?.hasPrefix("2. 5 bytes from the cache in ") == true)
        let second = try run([server.url("/a").absoluteString], caches: folder.path)
        #expect(second.output.hasPrefix("1. 5 bytes from the cache in "))
        #expect(server.requests.count == 1)
    }

    @Test func saysWhatIsWrong() throws {
        let folder = try TemporaryFolder()
        #expect(try run([], caches: folder.path) == (2, "usage: load-with-cache URL\n"))
        let server = try LoopbackServer { _ in .status(404) }
        defer { server.stop() }
        let failed = try run([server.url("/a").absoluteString], caches: folder.path)
        #expect(failed.status == 1)
        #expect(failed.output.contains("404"))
    }
}
