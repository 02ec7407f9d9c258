import Foundation
import FoundationNetworking
import JobFixtures
import JobManifest
import TestSupport
import Testing

@testable import Originals
@testable import NukeBatch

@Suite(.timeLimit(.minutes(10))) struct RevalidationTests {
    private let now = Date(timeIntervalSince1970: 1_000_000_000)
    private let folder: TemporaryFolder
    private let cache: DataCache
    private let url: URL

    init() throws {
        folder = try TemporaryFolder()
        cache = try DataCache(path: URL(fileURLWithPath: folder.path("cache")))
        url = try #require(URL(string: "https://a.example/1.jpg"))
    }

    private func response(_ status: Int, _ fields: [String: String]) throws -> HTTPURLResponse {
        try #require(
            HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        )
    }

    /// The metadata of an original that was answered with `fields` so many seconds ago.
    private func known(_ fields: [String: String] = [:], age: Double = 0) throws -> DataCache.Metadata {
        DataCache.Metadata(ReceivedResponse(try response(200, fields)), at: now - age)
    }

    private func settings(_ change: (inout CacheSettings) -> Void) throws -> CacheSettings {
        var settings = try ManifestFolder().read(RunningJob.text).cache
        change(&settings)
        return settings
    }

    private func again(_ known: DataCache.Metadata, usesStale: Bool = true) throws -> Revalidation {
        let settings = try settings { ($0.revalidate, $0.staleIfError) = (.always, usesStale) }
        return try #require(Revalidation(of: "key", known: known, in: cache, settings: settings, at: now))
    }

    /// Stores `text` under the key and returns what the cache then knows of it.
    private func store(_ text: String, etag: String) async throws -> DataCache.Metadata {
        let metadata = try known(["ETag": etag], age: 100)
        try await cache.store(Data(text.utf8), for: "key", metadata: metadata)
        return try #require(cache.metadata(for: "key"))
    }

    private func answered(_ status: Int, _ fields: [String: String] = [:]) throws -> DataLoadingError {
        let response = try response(status, fields)
        return DataLoadingError(status: status, response: response, url: url)
    }

    private func failed(_ reason: DataLoadingError.Reason, isTransient: Bool = false) -> DataLoadingError {
        DataLoadingError(reason, url: url, "it failed", isTransient: isTransient)
    }

    @Test(
        "a cached original is used unasked as long as the settings allow it",
        arguments: [
            (.never, nil, 1e9, false), (.never, 60, 56, false), (.never, 60, 58, true),
            (.never, 60, -61, true), (.stale, nil, 59, false), (.stale, nil, 61, true),
            (.stale, 30, 31, true),
            (.always, nil, 0, true), (.always, 60, 0, true),
        ] as [(CacheSettings.Revalidation, Int?, Double, Bool)]
    )
    func age(policy: CacheSettings.Revalidation, maxAge: Int?, age: Double, isAsked: Bool) throws {
        let settings = try settings {
            ($0.revalidate, $0.maxAge) = (policy, maxAge.map { Duration.seconds($0) })
        }
        let known = try known(["Cache-Control": "max-age=60"], age: age)
        let again = Revalidation(of: "key", known: known, in: cache, settings: settings, at: now)
        #expect((again != nil) == isAsked)
        if let again { #expect(again.key == "key") }
    }

    @Test("the origin is asked with what it said of the bytes")
    func conditions() throws {
        let date = "Sun, 09 Sep 2001 01:46:40 GMT"
        var request = URLRequest(url: url)
        request.setValue("image/*", forHTTPHeaderField: "Accept")
        let both = try again(try known(["ETag": "\"a\"", "Last-Modified": date])).conditional(request)
        #expect(both.value(forHTTPHeaderField: "If-None-Match") == "\"a\"")
        #expect(both.value(forHTTPHeaderField: "If-Modified-Since") == date)
        #expect(both.value(forHTTPHeaderField: "Accept") == "image/*")
        #expect(both.url == url)
        let none = try again(try known()).conditional(request)
        #expect(none.value(forHTTPHeaderField: "If-None-Match") == nil)
        #expect(none.value(forHTTPHeaderField: "If-Modified-Since") == nil)
    }

    @Test("a 304 confirms the bytes, and from then on they are as old as that answer")
    func confirmed() async throws {
        let known = try await store("bytes", etag: "\"a\"")
        #expect(try #require(known.answered) < now)
        let error = try answered(304, ["ETag": "\"a\""])
        #expect(try await again(known).result(of: error, asking: url, retrying: []) == .confirmed)
        #expect(try #require(cache.metadata(for: "key")?.answered) > now)
    }

    @Test("a 304 about other bytes is a change")
    func changed() async throws {
        let known = try await store("bytes", etag: "\"a\"")
        let other = try answered(304, ["ETag": "\"b\""])
        #expect(try await again(known).result(of: other, asking: url, retrying: []) == .reloaded)
        #expect(cache.metadata(for: "key")?.answered == known.answered)
        // The entry was replaced while the origin was asked.
        _ = try await store("other bytes", etag: "\"a\"")
        let same = try answered(304, ["ETag": "\"a\""])
        #expect(try await again(known).result(of: same, asking: url, retrying: []) == .reloaded)
    }

    @Test(
        "a 304 of another URL than the bytes had is a change, unless it has their strong tag",
        arguments: [
            ("2.jpg", nil, true), ("3.jpg", nil, false), ("3.jpg", "\"a\"", true),
            ("3.jpg", "W/\"a\"", false),
            ("2.jpg", "W/\"a\"", true),
        ] as [(String, String?, Bool)]
    )
    func moved(name: String, tag: String?, isConfirmed: Bool) async throws {
        // The request for `url` was redirected.
        func answer(_ status: Int, _ name: String, _ fields: [String: String]) throws -> HTTPURLResponse {
            let url = try #require(URL(string: "https://b.example/\(name)"))
            return try #require(
                HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
            )
        }
        let stored = try answer(200, "2.jpg", ["ETag": tag ?? "\"a\""])
        let metadata = DataCache.Metadata(ReceivedResponse(stored), at: now - 100)
        try await cache.store(Data("bytes".utf8), for: "key", metadata: metadata)
        let known = try #require(cache.metadata(for: "key"))
        let response = try answer(304, name, tag.map { ["ETag": $0] } ?? [:])
        let error = DataLoadingError(status: 304, response: response, url: try #require(response.url))
        let result = try await again(known).result(of: error, asking: url, retrying: [])
        #expect(result == (isConfirmed ? .confirmed : .reloaded))
    }

    @Test("where the URL of the bytes is not kept, a 304 after a redirect needs their strong tag")
    func hidden() async throws {
        var metadata = try known(["ETag": "\"a\""], age: 100)
        metadata.finalURL = nil
        try await cache.store(Data("bytes".utf8), for: "key", metadata: metadata)
        let kept = try #require(cache.metadata(for: "key"))
        let other = try #require(URL(string: "https://a.example/other.jpg"))
        let bare = try answered(304)
        #expect(try await again(kept).result(of: bare, asking: other, retrying: []) == .reloaded)
        #expect(try await again(kept).result(of: bare, asking: url, retrying: []) == .confirmed)
        let tagged = try answered(304, ["ETag": "\"a\""])
        #expect(try await again(kept).result(of: tagged, asking: other, retrying: []) == .confirmed)
    }

    @Test("an origin that cannot be reached leaves the cached bytes in use, unless the manifest forbids it")
    func stale() async throws {
        let known = try known()
        let timeout = failed(.timeout, isTransient: true)
        #expect(try await again(known).result(of: timeout, asking: url, retrying: []) == .stale("timeout"))
        #expect(
            try await again(known, usesStale: false).result(of: timeout, asking: url, retrying: []) == nil
        )
        // A host that was given up has not answered others.
        let down = failed(.hostDown)
        #expect(try await again(known).result(of: down, asking: url, retrying: []) == .stale("host_down"))
        let busy = try answered(500)
        #expect(try await again(known).result(of: busy, asking: url, retrying: [500]) == .stale("http_500"))
        #expect(try await again(known).result(of: busy, asking: url, retrying: [503]) == nil)
    }

    @Test("an answer that is final, and a pause that the host asks for, are the item's error")
    func errors() async throws {
        let again = try again(try known())
        let errors: [any Error] = [
            failed(.address), failed(.tls), try answered(404), FetchError.empty, FetchError.cancelled,
        ]
        for error in errors {
            #expect(try await again.result(of: error, asking: url, retrying: [500]) == nil)
        }
        var held = DataLoadingError(status: 429, response: nil, url: url)
        held.isHostHeld = true
        #expect(try await again.result(of: held, asking: url, retrying: [429]) == nil)
    }
}
