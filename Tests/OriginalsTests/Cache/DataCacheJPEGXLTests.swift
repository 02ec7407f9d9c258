#if JXL
import Foundation
import Files
@testable import Originals
import OriginalsFixtures
import SQLite
import TestSupport
import Testing

/// Serialized: one test sets the memory that all of them share.
@Suite("DataCache keeps JPEGs as JPEG XL", .serialized, .timeLimit(.minutes(10)))
struct DataCacheJPEGXLTests {
    private let folder: TemporaryFolder
    private let path: URL
    private let jpeg: Data

    init() throws {
        folder = try TemporaryFolder()
        path = URL(fileURLWithPath: folder.path("cache"))
        jpeg = try Repository.photo("rocket.jpg")
    }

    private func open() throws -> DataCache {
        let cache = try DataCache(unsweptAt: path)
        cache.compression = .jpegXL
        return cache
    }

    private func file(_ key: String, _ cache: DataCache) throws -> Data {
        try Data(contentsOf: #require(cache.url(for: key)))
    }

    @Test func takesLessAndGivesTheSameBytes() async throws {
        let cache = try open()
        #expect(cache.isCompressionEnabled)
        let text = Data(String(repeating: "the same words again ", count: 1000).utf8)
        let ink = try Data(contentsOf: Repository.root.appendingPathComponent("Tests/Fuzzing/seeds/ink.jpg"))
        let cut = jpeg.prefix(3000)
        let entries = [("jpeg", jpeg), ("text", text), ("ink", ink), ("cut", cut), ("empty", Data())]
        for (key, data) in entries {
            try await cache.store(data, for: key)
            #expect(cache[key] == data)
            #expect(cache.metadata(for: key)?.size == data.count)
        }
        let stored = try file("jpeg", cache)
        #expect(stored.count < jpeg.count && stored.dropFirst(4).starts(with: Data("JXL ".utf8)))
        #expect(try file("cut", cache) == cut)
        #expect(cache.durableFile(for: "jpeg", sha256: Digest.sha256.hex(of: jpeg)) == nil)
        let codings = try cache.codings()
        #expect(codings.jpegXL == (1, stored.count, jpeg.count))
        #expect(codings.keptJPEGs.count == 1 && codings.keptJPEGs.bytes == cut.count)
        #expect(codings.deflate.count >= 1 && codings.deflate.fileBytes < text.count / 20 + ink.count)
        #expect(try cache.verify().removed.isEmpty)
        cache.close()

        // As it was written, by a cache that compresses nothing.
        let again = try DataCache(unsweptAt: path)
        for (key, data) in entries { #expect(again[key] == data, "\(key)") }
        try await again.store(jpeg, for: "jpeg")
        #expect(try file("jpeg", again) == jpeg && again["jpeg"] == jpeg)
        #expect(try again.codings().jpegXL.count == 0)
        again.close()
    }

    @Test("what is larger than the memory stays as it is, and what was stored before is still read")
    func memory() async throws {
        let limit = TranscodingMemory.shared.limit
        defer { TranscodingMemory.shared.limit = limit }
        let cache = try open()
        try await cache.store(jpeg, for: "before")
        TranscodingMemory.shared.limit = 1 << 20
        try await cache.store(jpeg, for: "after")
        #expect(try file("after", cache) == jpeg)
        #expect(cache["before"] == jpeg && cache["after"] == jpeg)
        #expect(try cache.codings().keptJPEGs.count == 1)
        cache.close()
    }

    @Test("a damaged file is a miss, and dropped")
    func damage() async throws {
        let cache = try open()
        try await cache.store(jpeg, for: "a")
        try cache.damageFile(of: "a")
        #expect(cache["a"] == nil)
        try await eventually { cache.totalCount == 0 }
        cache.close()
    }

    @Test("what waits is stored as it is once compression has been ended")
    func ended() throws {
        let cache = try open()
        cache.compressing.isSuspended = true
        for number in 0..<20 { cache["\(number)"] = jpeg }
        cache.compression = .none
        cache.compressing.isSuspended = false
        cache.flush()
        #expect(cache.totalSize == 20 * jpeg.count)
        #expect(try cache.codings().keptJPEGs.count == 0)
        cache.close()
    }

    @Test("entries of a cache from before are compressed ones where they have a length")
    func migration() throws {
        let cache = try DataCache(unsweptAt: path)
        cache.isCompressionEnabled = true
        let text = Data(String(repeating: "the same words again ", count: 1000).utf8)
        cache["text"] = text
        cache["jpeg"] = jpeg
        cache.close()
        // An earlier release, beside this one, records no form.
        let index = try Connection(path: path.appendingPathComponent("index.sqlite").path)
        try index.execute("UPDATE entry SET coding = NULL")
        let again = try open()
        #expect(again["text"] == text && again["jpeg"] == jpeg)
        again.close()
    }
}
#endif
