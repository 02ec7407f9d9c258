import Files
import Foundation
import LoopbackServer
import ObjectStorage
import TestSupport
import Testing

/// The rules that every store keeps, in every place.
@Suite(.timeLimit(.minutes(10))) struct StoreTests {
    /// The keys that are easily changed on their way: their order is that of their bytes.
    private static let keys = [
        "#hash", "%41", "(1)", "+plus", "=equal", "a b", "a&b?c=d", "a+b", "a/b/c.jpg", "a/b.jpg", "a:b",
        "a@b",
        "e\u{301}", "\u{e9}t\u{e9}.png", "\u{1F600}", "~tilde",
    ]

    @Test(arguments: StorePlace.all)
    func keepsWhatIsPut(place: StorePlace) async throws {
        let placed = try await PlacedStore(place)
        let store = placed.store
        let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let facts = try await store.put(bytes, at: "a/file.bin")
        #expect(facts.size == bytes.count)
        #expect(try await store.get("a/file.bin", limit: 1 << 30) == bytes)
        #expect(try await store.head("a/file.bin")?.size == bytes.count)
        try await store.put(Data("second".utf8), at: "a/file.bin")
        #expect(try await store.get("a/file.bin", limit: 1 << 30) == Data("second".utf8))
        try await store.put(Data(), at: "empty")
        #expect(try await store.get("empty", limit: 1 << 30).isEmpty)
        #expect(try await store.head("empty")?.size == 0)
    }

    @Test("a file is kept as its bytes are", arguments: StorePlace.all)
    func keepsFiles(place: StorePlace) async throws {
        let placed = try await PlacedStore(place)
        let (store, folder) = (placed.store, try TemporaryFolder())
        let bytes = Data((0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 / 253) })
        try bytes.write(to: URL(fileURLWithPath: folder.path("source")))
        let payload = try Payload(file: folder.path("source"))
        let attributes = ObjectAttributes(contentType: "image/jpeg")
        #expect(try await store.put(payload, at: "a/file", attributes).size == bytes.count)
        #expect(try await store.get("a/file", limit: 1 << 30) == bytes)
        #expect(try await store.put(payload[7..<99], at: "a/file", attributes).size == 92)
        #expect(try await store.get("a/file", limit: 1 << 30) == bytes[7..<99])
        #expect(try await store.putIfAbsent(payload, at: "a/file", attributes) == false)
        #expect(try await store.putIfAbsent(payload, at: "once", attributes))
        #expect(try await store.get("once", limit: 1 << 30) == bytes)
        guard let server = placed.server else { return }
        let kept = try #require(server.object("below/a prefix/once", in: "store"))
        #expect(kept.data == bytes)
        // In a bucket, what a lost answer left is told by its bytes.
        #expect(try await store.putIfAbsent(payload, at: "once", attributes))
    }

    @Test("a file that has become shorter replaces nothing", arguments: StorePlace.all)
    func shorterFile(place: StorePlace) async throws {
        let placed = try await PlacedStore(place)
        let (store, folder) = (placed.store, try TemporaryFolder())
        let source = folder.path("source")
        try Data(repeating: 1, count: 3_000_000).write(to: URL(fileURLWithPath: source))
        try await store.put(Data("old".utf8), at: "key")
        let payload = try Payload(file: source)
        #expect(truncate(source, 2_000_000) == 0)
        await #expect { try await store.put(payload, at: "key", ObjectAttributes()) } throws: {
            ($0 as? StoreError)?.reason == .local && "\($0)".contains("cannot read \(source)")
        }
        #expect(try await store.get("key", limit: 100) == Data("old".utf8))
    }

    @Test("a file that NFS has renamed until it is closed is no object")
    func removedButOpen() async throws {
        let folder = try TemporaryFolder()
        for name in [
            ".nfs0000000000a1b2c300000001", ".nfs", ".nfs-share", "a/.nfs000000000004f2a90000002e", "a/b",
        ] {
            try folder.write("x", to: name)
        }
        let page = try await FolderStore(folder.path).list("", after: nil)
        #expect(page.entries.map(\.key) == [".nfs", ".nfs-share", "a/b"])
    }

    @Test(arguments: StorePlace.all)
    func tellsThatThereIsNothing(place: StorePlace) async throws {
        let placed = try await PlacedStore(place)
        let store = placed.store
        #expect(try await store.head("missing") == nil)
        #expect(try await store.head("missing/below") == nil)
        try await store.delete("missing")
        try await store.delete("missing/below")
        await #expect { try await store.get("missing", limit: 1 << 30) } throws: { error in
            (error as? StoreError)?.reason == .notFound && "\(error)".contains("missing")
        }
        #expect(try await store.list("", after: nil).entries.isEmpty)
    }

    @Test(arguments: StorePlace.all)
    func keepsTheFirstIfAsked(place: StorePlace) async throws {
        let placed = try await PlacedStore(place)
        let store = placed.store
        #expect(try await store.putIfAbsent(Data("first".utf8), at: "once"))
        #expect(try await store.putIfAbsent(Data("other".utf8), at: "once") == false)
        #expect(try await store.get("once", limit: 1 << 30) == Data("first".utf8))
        try await store.delete("once")
        #expect(try await store.putIfAbsent(Data("other".utf8), at: "once"))
        #expect(try await store.get("once", limit: 1 << 30) == Data("other".utf8))
    }

    @Test(arguments: StorePlace.all)
    func letsOneOfManyWin(place: StorePlace) async throws {
        let placed = try await PlacedStore(place)
        let store = placed.store
        let winners = try await withThrowingTaskGroup(of: Int?.self) { group in
            for number in 0..<12 {
                group.addTask {
                    try await store.putIfAbsent(Data("writer \(number)".utf8), at: "commits/0") ? number : nil
                }
            }
            return try await group.reduce(into: [Int]()) { if let number = $1 { $0.append(number) } }
        }
        #expect(winners.count == 1)
        let kept = String(decoding: try await store.get("commits/0", limit: 1 << 30), as: UTF8.self)
        #expect(winners.first.map { "writer \($0)" } == kept)
    }

    @Test(arguments: StorePlace.all)
    func takesKeysAsTheyAre(place: StorePlace) async throws {
        let placed = try await PlacedStore(place)
        let store = placed.store
        for key in Self.keys { try await store.put(Data(key.utf8), at: key) }
        var listed = try await store.list("", after: nil).entries.map(\.key)
        if !place.ordersByBytes { listed.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
        let ordered = Self.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(listed.map { Array($0.utf8) } == ordered.map { Array($0.utf8) })
        for key in Self.keys { #expect(try await store.get(key, limit: 1 << 30) == Data(key.utf8)) }
        for key in Self.keys { try await store.delete(key) }
        #expect(try await store.list("", after: nil).entries.isEmpty)
    }

    @Test(arguments: StorePlace.all)
    func listsInPages(place: StorePlace) async throws {
        let placed = try await PlacedStore(place)
        let store = placed.store
        let names = (0..<1100).map { "list/\($0 % 10)/\($0)" } + ["list0", "lis", "other/list"]
        await withTaskGroup(of: Void.self) { group in
            for part in 0..<8 {
                group.addTask {
                    for index in stride(from: part, to: names.count, by: 8) {
                        _ = try? await store.put(Data(names[index].utf8), at: names[index])
                    }
                }
            }
        }
        var (listed, after, pages) = ([ObjectPage.Entry](), String?.none, 0)
        repeat {
            let page = try await store.list("list/", after: after)
            listed += page.entries
            (after, pages) = (page.next, pages + 1)
        } while after != nil
        let expected = names.filter { $0.hasPrefix("list/") }.sorted {
            $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
        #expect(listed.map(\.key) == expected)
        #expect(listed.allSatisfy { $0.facts.size == $0.key.utf8.count })
        #expect(pages == 2)
        let rest = try await store.list("list/", after: expected[1090]).entries.map(\.key)
        #expect(rest == Array(expected[1091...]))
    }

    @Test(arguments: StorePlace.buckets)
    func writesLargeObjectsInParts(place: StorePlace) async throws {
        let placed = try await PlacedStore(place)
        let store = placed.store
        let bytes = Data(repeating: 7, count: S3Store.partSize) + Data("the end".utf8)
        #expect(try await store.put(bytes, at: "large").size == bytes.count)
        #expect(try await store.head("large")?.size == bytes.count)
        #expect(try await store.get("large", limit: 1 << 30) == bytes)
        if let server = placed.server {
            #expect(server.uploads.isEmpty)
            #expect(server.count(of: .uploadPart) == 2)
        }
        let folder = try TemporaryFolder()
        try bytes.write(to: URL(fileURLWithPath: folder.path("large")))
        let file = try Payload(file: folder.path("large"))
        #expect(try await store.put(file, at: "large file", ObjectAttributes()).size == bytes.count)
        #expect(try await store.get("large file", limit: 1 << 30) == bytes)
        if let server = placed.server {
            // The object has no SHA-256 of its own, so that its bytes are compared a piece at a time.
            #expect(try await store.putIfAbsent(file, at: "large file", ObjectAttributes()))
            let part = file[1..<file.count]
            #expect(try await store.putIfAbsent(part, at: "large file", ObjectAttributes()) == false)
            #expect(server.uploads.isEmpty)
            #expect(server.count(of: .uploadPart) == 8)
        }
    }

    @Test(arguments: [
        ".", "..", "a/../b", "a//b", "/a", "a/", "", "a/./b", "../\u{301}x", ".nuke-batch-writing/x",
    ])
    func refusesKeysThatAreNoFiles(key: String) async throws {
        let store = try await PlacedStore(.folder).store
        await #expect { try await store.put(Data("x".utf8), at: key) } throws: {
            ($0 as? StoreError)?.reason == .refused
        }
        await #expect { try await store.get(key, limit: 1 << 30) } throws: {
            ($0 as? StoreError)?.reason == .refused
        }
    }

    @Test func refusesAFileWhereAFolderIsNeeded() async throws {
        let placed = try await PlacedStore(.folder)
        let store = placed.store
        try await store.put(Data("x".utf8), at: "a")
        await #expect { try await store.put(Data("x".utf8), at: "a/b") } throws: {
            ($0 as? StoreError)?.reason == .refused
        }
        #expect(try await store.head("a/b") == nil)
    }
}
