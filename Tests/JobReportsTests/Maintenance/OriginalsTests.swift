import Foundation
import JobPlanning
import JobReports
import Originals
import TestSupport
import Testing

@Suite struct OriginalsTests {
    private let folder: TemporaryFolder
    private let keys = [
        "https://a.example/1.jpg", "https://a.example/2.png", "https://b.example/1.jpg\nheaders 12",
    ]

    init() throws {
        folder = try TemporaryFolder()
        let cache = try DataCache(path: URL(fileURLWithPath: folder.path("cache"), isDirectory: true))
        for (index, key) in keys.enumerated() {
            cache.storeData(Data(repeating: UInt8(index), count: 100 * (index + 1)), for: key)
        }
        cache.flush()
        cache.close()
    }

    private func open() throws -> Originals {
        try Originals(nil, folder: folder.path("cache"))
    }

    private func found(_ originals: Originals, _ text: String?) throws -> [String] {
        var found: [String] = []
        try originals.forEach(text) { found.append($0.key) }
        return found.sorted()
    }

    @Test("a folder without a cache is wrong input, and no cache is made")
    func none() throws {
        let error = #expect(throws: RunError.self) { try Originals(nil, folder: folder.path("other")) }
        #expect(error?.exit == .wrongInput && error?.description.contains("there is no cache in") == true)
        #expect(!FileManager.default.fileExists(atPath: folder.path("other")))
    }

    @Test("totals count all bytes")
    func statistics() throws {
        let originals = try open()
        defer { originals.close() }
        let statistics = try originals.statistics()
        #expect(statistics.count == 3 && statistics.bytes == 600 && statistics.pinnedBytes == 0)
        #expect(statistics.pinnedBy.isEmpty && statistics.sizeLimit == nil)
        #expect(statistics.directory == folder.path("cache"))
    }

    @Test(
        "a text is a part of the URL, or all of it with stars",
        arguments: [
            (nil, [0, 1, 2]), ("a.example", [0, 1]), ("1.jpg", [0, 2]), ("https://*.png", [1]),
            ("*/1.jpg", [0]),
            ("https://*/1.jpg*", [0, 2]), ("*a*2*", [1, 2]), ("https://a.example/*.jpg", [0]),
            ("*", [0, 1, 2]),
            ("jpg*", []), ("https://a.example/1.jpg*1.jpg", []), ("nothing", []),
        ] as [(String?, [Int])]
    )
    func patterns(text: String?, expected: [Int]) throws {
        let originals = try open()
        defer { originals.close() }
        #expect(try found(originals, text) == expected.map { keys[$0] }.sorted())
    }

    @Test("an original is given by its URL, also one with headers of its own")
    func data() throws {
        let originals = try open()
        defer { originals.close() }
        #expect(try originals.data(of: keys[1]) == Data(repeating: 1, count: 200))
        #expect(try originals.data(of: "https://b.example/1.jpg").count == 300)
        let error = #expect(throws: RunError.self) { try originals.data(of: "https://b.example/1") }
        #expect(error?.exit == .wrongInput)
    }

    @Test("removing takes what fits, and all")
    func remove() throws {
        let originals = try open()
        defer { originals.close() }
        #expect(try originals.remove("a.example") == 2 && found(originals, nil) == [keys[2]])
        #expect(try originals.remove("a.example") == 0)
        originals.removeAll()
        #expect(try originals.statistics().count == 0)
    }

    @Test("trimming keeps what was used last, verifying drops what is damaged")
    func trim() throws {
        let originals = try open()
        defer { originals.close() }
        #expect(try originals.verify().count == 3 && originals.verify().removed.isEmpty)
        try originals.trim(to: nil)
        #expect(try originals.statistics().count == 3, "no limit, nothing goes")
        try originals.trim(to: 0)
        #expect(try originals.statistics().bytes == 0)
    }

    @Test("an entry has its length, hash and time")
    func entry() throws {
        let originals = try open()
        defer { originals.close() }
        var entries: [Originals.Entry] = []
        try originals.forEach("2.png") { entries.append($0) }
        let entry = try #require(entries.first)
        #expect(entry.bytes == 200 && entry.sha256.count == 64 && !entry.isPinned && entry.stored != nil)
        let data = try JSONEncoder().encode(entry)
        #expect((try JSONSerialization.jsonObject(with: data) as? [String: Any])?.count == 11)
    }
}
