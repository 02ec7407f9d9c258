import Foundation
import Originals
import OriginalsFixtures
import TestSupport
import Testing

@Suite("DataCache compresses", .timeLimit(.minutes(10)))
struct DataCacheCompressionTests {
    private let folder: TemporaryFolder
    private let path: URL
    private let text = Data(String(repeating: "the same words again ", count: 1000).utf8)

    init() throws {
        folder = try TemporaryFolder()
        path = URL(fileURLWithPath: folder.path("cache"))
    }

    @Test func onlyWhenAsked() throws {
        let cache = try DataCache(unsweptAt: path)
        #expect(!cache.isCompressionEnabled)
        cache["plain"] = text
        cache.flush()
        #expect(cache.totalSize == text.count)
        #expect(try Data(contentsOf: #require(cache.url(for: "plain"))) == text)
    }

    @Test func takesLessAndReadsTheSame() async throws {
        let cache = try DataCache(unsweptAt: path)
        cache["plain"] = text
        cache.flush()
        cache.isCompressionEnabled = true
        #expect(cache.isCompressionEnabled)
        var random = SeededGenerator(seed: 1)
        let noise = Data((0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) })
        for (key, data) in [("text", text), ("noise", noise), ("empty", Data()), ("one", Data([1]))] {
            try await cache.store(data, for: key)
            #expect(cache[key] == data)
            #expect(cache.metadata(for: key)?.size == data.count)
        }
        // What cannot be made smaller is kept as it is.
        let file = try Data(contentsOf: #require(cache.url(for: "text")))
        #expect(cache.totalSize == text.count + file.count + noise.count + 1)
        #expect(file.count < text.count / 20)
        cache.close()

        let again = try DataCache(unsweptAt: path)
        #expect(again["plain"] == text)
        #expect(again["text"] == text)
        #expect(again["noise"] == noise)
        #expect(again["empty"] == Data())
        // Replaced by what is not compressed.
        try await again.store(text, for: "text")
        #expect(again["text"] == text)
        #expect(try Data(contentsOf: #require(again.url(for: "text"))) == text)
        again.close()
    }

    @Test func damagedBytesAreAMiss() async throws {
        let cache = try DataCache(unsweptAt: path)
        cache.isCompressionEnabled = true
        try await cache.store(text, for: "a")
        try cache.damageFile(of: "a")
        #expect(cache["a"] == nil)
        try await eventually { cache.totalCount == 0 }
        cache.close()
    }
}
