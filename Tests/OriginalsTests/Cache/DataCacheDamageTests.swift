import Files
import Foundation
import Originals
import OriginalsFixtures
import TestSupport
import Testing

@Suite("DataCache finds damage", .timeLimit(.minutes(10)))
struct DataCacheDamageTests {
    private let folder: TemporaryFolder
    private let path: URL

    init() throws {
        folder = try TemporaryFolder()
        path = URL(fileURLWithPath: folder.path("cache"))
    }

    private func data(_ number: Int) -> Data {
        // All of one length, so that it tells nothing.
        Data(repeating: UInt8(number), count: 500)
    }

    @Test("files that were edited between two runs are never served", arguments: [true, false])
    func edited(isClosed: Bool) async throws {
        let cache = try DataCache(unsweptAt: path)
        for number in 0..<40 { cache["\(number)"] = data(number) }
        cache.flush()
        let damaged = folder.path("damaged")
        if isClosed { cache.close() }
        try FileManager.default.copyItem(atPath: path.path, toPath: damaged)
        let files = try (0..<40).map { try #require(cache.url(for: "\($0)")).path }.map {
            damaged + $0.dropFirst(path.path.count)
        }
        for number in 0..<5 {
            try data(number).prefix(100 * number).write(to: URL(fileURLWithPath: files[number]))
            try Data().write(to: URL(fileURLWithPath: files[5 + number]))
            try FileManager.default.removeItem(atPath: files[10 + number])
            var bytes = data(15 + number)
            bytes[100 * number] ^= 1
            try bytes.write(to: URL(fileURLWithPath: files[15 + number]))
            // Swapped: each is whole, and of the length that its row says.
            let aside = damaged + "/aside"
            try FileManager.default.moveItem(atPath: files[20 + number], toPath: aside)
            try FileManager.default.moveItem(atPath: files[25 + number], toPath: files[20 + number])
            try FileManager.default.moveItem(atPath: aside, toPath: files[25 + number])
            // Written anew with the same bytes, which is no damage.
            try data(30 + number).write(to: URL(fileURLWithPath: files[30 + number]))
        }
        let again = try DataCache(unsweptAt: URL(fileURLWithPath: damaged))
        for number in 0..<40 {
            #expect(again["\(number)"] == (number < 30 ? nil : data(number)), "entry \(number)")
        }
        try await eventually { again.totalCount == 10 }
        for number in 0..<40 { again["\(number)"] = data(number) }
        again.flush()
        for number in 0..<40 { #expect(again["\(number)"] == data(number)) }
        again.close()
    }

    @Test("a copy of a cache is looked at once and then trusted")
    func copied() async throws {
        let cache = try DataCache(unsweptAt: path)
        try await cache.store(data(1), for: "a")
        cache.close()
        let copy = URL(fileURLWithPath: folder.path("copy"))
        try FileManager.default.copyItem(at: path, to: copy)
        for _ in 0..<2 {
            let again = try DataCache(unsweptAt: copy)
            #expect(again["a"] == data(1))
            again.close()
        }
    }

    @Test("a replacement that was cut off before its file had its name is found, and gets it")
    func cutOffReplacement() async throws {
        let cache = try DataCache(unsweptAt: path)
        try await cache.store(data(1), for: "a")
        try await cache.store(data(2), for: "a")
        let file = try #require(cache.url(for: "a"))
        let digest = Digest.sha256.hex(of: data(2)).prefix(16)
        let waiting = file.deletingLastPathComponent().appendingPathComponent(
            ".new-\(digest)-\(file.lastPathComponent)"
        )
        #expect(!FileManager.default.fileExists(atPath: waiting.path))
        try FileManager.default.moveItem(at: file, to: waiting)
        try data(1).write(to: file)
        #expect(cache.containsData(for: "a"))
        #expect(cache["a"] == data(2))
        try await eventually { !FileManager.default.fileExists(atPath: waiting.path) }
        #expect(try Data(contentsOf: file) == data(2))
        // Other bytes under that name are litter.
        try data(3).write(to: waiting)
        cache.sweep()
        #expect(!FileManager.default.fileExists(atPath: waiting.path))
        #expect(cache["a"] == data(2))
        cache.close()
    }

    @Test(
        "the folder is removed while the cache is open",
        arguments: ["the folder", "what is in it", "the index"]
    )
    func removedFolder(what: String) async throws {
        let cache = try DataCache(unsweptAt: path)
        try await cache.store(data(1), for: "a")
        switch what {
        case "the folder": try FileManager.default.removeItem(at: path)
        case "what is in it":
            for name in try FileManager.default.contentsOfDirectory(atPath: path.path) {
                try FileManager.default.removeItem(atPath: path.path + "/" + name)
            }
        default: try FileManager.default.removeItem(atPath: path.path + "/index.sqlite")
        }
        try await cache.store(data(2), for: "b", pinnedBy: "job")
        #expect(cache["a"] == nil)
        #expect(cache["b"] == data(2))
        #expect(cache.totalCount == 1)
        let other = try DataCache(unsweptAt: path)
        #expect(other["b"] == data(2))
        other.close()

        // The first that comes after it is another call each time.
        try FileManager.default.removeItem(at: path)
        cache.removeAll()
        cache.flush()
        try FileManager.default.removeItem(at: path)
        cache.sweep()
        try FileManager.default.removeItem(at: path)
        try await cache.pin(["c"], by: "job")
        try FileManager.default.removeItem(at: path)
        cache["c"] = nil
        cache.flush()
        try await cache.store(data(3), for: "c")
        #expect(cache["c"] == data(3))
        #expect(cache.errorCount == 0)
        cache.close()
        #expect(try DataCache(unsweptAt: path)["c"] == data(3))
    }

    @Test("a folder that cannot be made again is a reported error")
    func folderThatCannotBeMade() async throws {
        let cache = try DataCache(unsweptAt: path)
        try await cache.store(data(1), for: "a")
        try FileManager.default.removeItem(at: path)
        try folder.write("in the way", to: "cache")
        await #expect(throws: DataCacheError.self) { try await cache.store(data(2), for: "b") }
        #expect("\(try #require(cache.lastError))".contains(path.path))
        try FileManager.default.removeItem(at: path)
        try await cache.store(data(2), for: "b")
        #expect(cache["b"] == data(2))
    }
}
