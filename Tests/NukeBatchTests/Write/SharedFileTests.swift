import Files
import Foundation
import JobFixtures
import JobManifest
import LoopbackServer
import Originals
import TestSupport
import Testing

@testable import NukeBatch

/// Copies of originals that share the cache's files.
@Suite(.timeLimit(.minutes(10))) struct SharedFileTests {
    /// Makes an image of at least `size` bytes.
    private func image(atLeast size: Int) throws -> Data {
        // Bytes after the image's end belong to its file.
        try pngFile(4, 2) + Data(repeating: 7, count: size)
    }

    /// The inode numbers of the copy and of the cache's file.
    private func inodes(_ copy: String, _ cached: String) throws -> (copy: UInt64, cached: UInt64) {
        func inode(_ path: String) throws -> UInt64 {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            return try #require(attributes[.systemFileNumber] as? UInt64)
        }
        return (try inode(copy), try inode(cached))
    }

    private func copy(
        _ data: Data,
        _ check: (RunningJob, OriginalLoader, _ copy: String, _ key: String) async throws -> Void
    ) async throws {
        let server = try LoopbackServer { _ in .data(data) }
        let job = try RunningJob(
            """
            {"sources": [{"urls": ["\(server.address)/1.png"]}], "cache": {"directory": "cache"}, "destination": "out",
             "network": {"allow": ["127.0.0.1"]},
             "outputs": [{"name": "copy", "format": "original", "path": "{index}.{ext}"}]}
            """
        )
        defer { withExtendedLifetime(job) {} }
        let test = try TestPipeline(job, try job.outputFile())
        defer { test.loader.close() }
        let item = try #require(try await job.claim(urls: ["\(server.address)/1.png"]).first)
        let outcome = try await test.run(item).get()
        #expect(outcome.isDone)
        let path = job.manifest.destination.description + "/1.png"
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == data)
        try await check(job, test.loader, path, "\(server.address)/1.png")
    }

    @Test("a copy is another name of the cache's file, which eviction and editing do not take with it")
    func shared() async throws {
        let data = try image(atLeast: 20_000)
        try await copy(data) { job, loader, path, key in
            let cache = try #require(loader.cache)
            let cached = try #require(cache.url(for: key)).path
            let inodes = try self.inodes(path, cached)
            #expect((inodes.copy == inodes.cached) == !job.files.folder.sharesBlocks)
            // Written in place, both names have the new bytes, which the cache does not serve.
            var edited = data
            edited[edited.count - 1] ^= 1
            let handle = try #require(FileHandle(forWritingAtPath: path))
            try handle.write(contentsOf: edited)
            try handle.close()
            #expect(cache.cachedData(for: key) != edited)
            cache.removeData(for: key)
            cache.flush()
            #expect(!FileManager.default.fileExists(atPath: cached))
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == edited)
        }
    }

    @Test(
        "a copy of an original that was in the cache shares its file, too, unless that was changed",
        arguments: [true, false]
    )
    func fromCache(isChanged: Bool) async throws {
        let data = try image(atLeast: 20_000)
        let server = try LoopbackServer { _ in .data(data) }
        let url = "\(server.address)/1.png"
        let job = try RunningJob(
            """
            {"sources": [{"urls": ["\(url)"]}], "cache": {"directory": "cache"}, "destination": "out",
             "network": {"allow": ["127.0.0.1"]},
             "outputs": [{"name": "copy", "format": "original", "path": "{index}.{ext}"}]}
            """
        )
        defer { withExtendedLifetime(job) {} }
        let test = try TestPipeline(job, try job.outputFile())
        defer { test.loader.close() }
        _ = try await test.loader.load(url)
        let cache = try #require(test.loader.cache)
        try await cache.waitUntilStored(url)
        let cached = try #require(cache.url(for: url)).path
        if isChanged {
            // The same bytes, in a file that the index does not know. Made while the old one stands, it cannot have
            // the same inode number.
            try data.write(to: URL(fileURLWithPath: cached), options: .atomic)
        }
        let item = try #require(try await job.claim(urls: [url]).first)
        let outcome = try await test.run(item).get()
        #expect(outcome.original.source == .cache && server.requests.count == 1)
        let path = job.manifest.destination.description + "/1.png"
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == data)
        let inodes = try self.inodes(path, cached)
        #expect((inodes.copy == inodes.cached) == (!isChanged && !job.files.folder.sharesBlocks))
    }

    @Test(
        "a small original and one that the cache maps have copies of their own",
        arguments: [100, 1_100_000]
    )
    func own(size: Int) async throws {
        let data = try image(atLeast: size)
        try await copy(data) { _, loader, path, key in
            let cache = try #require(loader.cache)
            let cached = try #require(cache.url(for: key)).path
            let inodes = try self.inodes(path, cached)
            #expect(inodes.copy != inodes.cached)
        }
    }
}
