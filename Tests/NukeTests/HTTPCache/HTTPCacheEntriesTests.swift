import Foundation
import LoopbackServer
import Nuke
import Synchronization
import Testing

/// The entries of the cache, and the lookup of them.
@Suite(.timeLimit(.minutes(10)))
struct HTTPCacheEntriesTests {
    /// Answers with the size that was asked for, and says so.
    private func server() throws -> LoopbackServer {
        try LoopbackServer { request in
            .init(
                headers: [("Cache-Control", "max-age=60"), ("Vary", "X-Size")],
                body: .data(Data((request.headers["x-size"] ?? "none").utf8))
            )
        }
    }

    @Test func keepsResponsesThatDifferByTheirRequests() async throws {
        let server = try server()
        let fixture = HTTPCacheFixture()
        for _ in 0..<3 {
            for size in ["1", "2", "3"] {
                #expect(await fixture.load(server.url(), [("X-Size", size)]).text == size)
            }
            #expect(await fixture.load(server.url()).text == "none")
        }
        #expect(server.requests.count == 4)
        #expect(fixture.storage.keys.count == 5)
        // Reloading one replaces it and leaves nothing behind.
        var request = URLRequest(url: server.url(), cachePolicy: .reloadIgnoringLocalCacheData)
        request.setValue("2", forHTTPHeaderField: "X-Size")
        _ = await fixture.loader.load(request)
        #expect(fixture.storage.keys.count == 5)
        fixture.cache.removeCachedResponse(for: request)
        #expect(fixture.storage.keys.isEmpty)
    }

    @Test func keepsOnlySoManyOfAURL() async throws {
        let server = try server()
        let fixture = HTTPCacheFixture { $0.variantLimit = 2 }
        for size in ["1", "2", "3"] { _ = await fixture.load(server.url(), [("X-Size", size)]) }
        #expect(fixture.storage.keys.count == 3)
        for size in ["3", "2"] { _ = await fixture.load(server.url(), [("X-Size", size)]) }
        #expect(server.requests.count == 3)
        _ = await fixture.load(server.url(), [("X-Size", "1")])
        #expect(server.requests.count == 4)
    }

    @Test func tellsURLsApartByAllButTheirFragments() async throws {
        let server = try LoopbackServer { request in
            .init(
                headers: [("Cache-Control", "max-age=60")],
                body: .data(Data((request.path + request.query).utf8))
            )
        }
        let fixture = HTTPCacheFixture()
        let long = "/" + String(repeating: "long", count: 200)
        for path in ["/a", "/a?id=1", "/a?id=2", "/A", long] { _ = await fixture.load(server.url(path)) }
        #expect(server.requests.count == 5)
        for (path, text) in [("/a", "/a"), ("/a?id=2", "/aid=2"), ("/a?id=1#part", "/aid=1"), (long, long)] {
            #expect(await fixture.load(server.url(path)).text == text)
        }
        #expect(server.requests.count == 5)
    }

    @Test func leavesOutTheFieldsThatAreNotForEverybody() async throws {
        let server = try LoopbackServer { request in
            .init(
                headers: [
                    ("Cache-Control", "max-age=60, private=\"x-user\", no-cache=\"x-token, set-cookie\""),
                    ("X-User", "me"), ("X-Token", "t"), ("X-Name", "n"), ("Connection", "x-hop"),
                    ("X-Hop", "h"), ("Keep-Alive", "timeout=5"),
                ],
                body: .data(Data("body".utf8))
            )
        }
        for isShared in [false, true] {
            let fixture = HTTPCacheFixture { $0.isShared = isShared }
            #expect(await fixture.load(server.url()).field("X-Token") == "t")
            let cached = await fixture.load(server.url())
            #expect(cached.field("Age") == "0")
            #expect(cached.field("X-User") == (isShared ? nil : "me"))
            #expect(cached.field("X-Token") == nil)
            #expect(cached.field("X-Name") == "n")
            #expect(cached.field("X-Hop") == nil)
            #expect(cached.field("Keep-Alive") == nil)
        }
    }

    @Test func takesDamageForNothing() async throws {
        let server = try LoopbackServer { _ in
            .init(headers: [("Cache-Control", "max-age=60")], body: .data(Data("body".utf8)))
        }
        let fixture = HTTPCacheFixture()
        _ = await fixture.load(server.url())
        let key = try #require(fixture.storage.keys.first)
        let whole = try #require(fixture.storage.cachedData(for: key))
        #expect(fixture.cache.cachedResponse(for: URLRequest(url: server.url())) != nil)
        for length in 0..<whole.count {
            fixture.storage.storeData(whole.prefix(length), for: key)
            #expect(fixture.cache.cachedResponse(for: URLRequest(url: server.url())) == nil)
        }
        for position in 0..<8 {
            var changed = whole
            changed[position] ^= 0xFF
            fixture.storage.storeData(changed, for: key)
            #expect(fixture.cache.cachedResponse(for: URLRequest(url: server.url())) == nil)
        }
        // Another URL's entry, as a storage gives it that confuses keys.
        fixture.storage.storeData(whole, for: key + "2")
        #expect(fixture.cache.cachedResponse(for: URLRequest(url: server.url("/2"))) == nil)
        #expect(await fixture.load(server.url()).text == "body")
        #expect(server.requests.count == 2)
    }

    @Test func anyErrorMayBeExcusedByTheConfiguration() async throws {
        let server = try LoopbackServer { request in
            request.isConditional
                ? .status(502) : .init(headers: [("ETag", "\"a\"")], body: .data(Data("body".utf8)))
        }
        let fixture = HTTPCacheFixture { $0.staleIfError = 100 }
        _ = await fixture.load(server.url())
        fixture.time.pass(99)
        #expect(await fixture.load(server.url()).text == "body")
        fixture.time.pass(1)
        #expect(await fixture.load(server.url()).error != nil)
    }

    @Test(arguments: ["no-store", "max-age=60"])
    func forgetsWhatTheServerHasNoMore(control: String) async throws {
        let isNew = Mutex(false)
        let server = try LoopbackServer { _ in
            isNew.withLock { $0 }
                ? .init(headers: [("Cache-Control", control)], body: .data(Data("newer".utf8)))
                : .init(headers: [("Cache-Control", "max-age=60")], body: .data(Data("old".utf8)))
        }
        let fixture = HTTPCacheFixture { $0.entrySizeLimit = 4 }
        _ = await fixture.load(server.url())
        isNew.withLock { $0 = true }
        // It may not be stored, or is too large for it.
        var request = URLRequest(url: server.url())
        request.cachePolicy = .reloadIgnoringLocalCacheData
        #expect(await fixture.loader.load(request).text == "newer")
        #expect(await fixture.load(server.url()).text == "newer")
        #expect(fixture.storage.keys.isEmpty)
    }

    @Test func removesEverything() async throws {
        let server = try server()
        let fixture = HTTPCacheFixture()
        _ = await fixture.load(server.url("/a"))
        _ = await fixture.load(server.url("/b"))
        fixture.cache.removeAll()
        #expect(fixture.storage.keys.isEmpty)
    }
}
