import Foundation
import FoundationNetworking
import JobFixtures
import JobManifest
import JobPlanning
import Originals
import Testing

@Suite struct CacheFreshnessTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    /// An original that its origin sent so many seconds ago, with these header fields.
    private func known(
        _ age: TimeInterval,
        _ fields: [String: String] = [:],
        requested: String = "https://a.example/1.jpg"
    ) throws -> DataCache.Metadata {
        let url = try #require(URL(string: "https://a.example/1.jpg"))
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: fields)
        )
        return DataCache.Metadata(
            ReceivedResponse(response),
            to: URL(string: requested),
            at: Self.now.addingTimeInterval(-age)
        )
    }

    private func settings(
        _ revalidate: CacheSettings.Revalidation,
        maxAge: Duration? = nil
    ) throws -> CacheSettings {
        var settings = try ManifestFolder().read(#"{"sources": [{"urls": ["https://a.example/1"]}]}"#).cache
        (settings.revalidate, settings.maxAge) = (revalidate, maxAge)
        return settings
    }

    @Test("never asks nobody, always asks each time")
    func extremes() throws {
        let fresh = try known(1, ["Cache-Control": "max-age=600"])
        let stale = try known(1_000_000, ["Cache-Control": "max-age=1"])
        for original in [fresh, stale] {
            #expect(try !settings(.never).mustAsk(original, at: Self.now))
            #expect(try settings(.always).mustAsk(original, at: Self.now))
        }
    }

    @Test("what a listing tells of an object decides alone, whatever the settings are")
    func listed() throws {
        let original = try known(1_000_000, ["Cache-Control": "max-age=1", "ETag": "\"a1\""])
        for revalidate in [CacheSettings.Revalidation.never, .stale, .always] {
            let settings = try settings(revalidate, maxAge: .seconds(1))
            #expect(!settings.mustAsk(original, listed: "20 a1", at: Self.now))
            #expect(settings.mustAsk(original, listed: "20 b2", at: Self.now))
        }
        // Without a listing, or an entity tag to compare, the settings decide.
        for listed in [nil, "20@1700000000.0"] {
            #expect(try settings(.always).mustAsk(original, listed: listed, at: Self.now))
            #expect(try !settings(.never).mustAsk(original, listed: listed, at: Self.now))
        }
    }

    @Test("stale asks when the origin's time has passed")
    func stale() throws {
        let settings = try settings(.stale)
        let fields = ["Cache-Control": "max-age=600"]
        #expect(!settings.mustAsk(try known(599, fields), at: Self.now))
        #expect(settings.mustAsk(try known(601, fields), at: Self.now))
        #expect(settings.mustAsk(try known(1, ["Cache-Control": "no-cache"]), at: Self.now))
        let dates = [
            "Date": "Tue, 14 Nov 2023 22:13:19 GMT", "Last-Modified": "Mon, 13 Nov 2023 22:13:19 GMT",
        ]
        #expect(!settings.mustAsk(try known(1, dates), at: Self.now))
        for control in ["no-store", "no-store, max-age=600"] {
            let fields = dates.merging(["Cache-Control": control]) { $1 }
            #expect(settings.mustAsk(try known(1, fields), at: Self.now))
        }
        let understood = ["Cache-Control": "must-understand, no-store, max-age=600"]
        #expect(!settings.mustAsk(try known(1, understood), at: Self.now))
    }

    @Test("stale asks each time where a redirect has led to the original, which may lead elsewhere now")
    func redirected() throws {
        let settings = try settings(.stale)
        let fields = ["Cache-Control": "max-age=600, immutable"]
        #expect(
            settings.mustAsk(try known(1, fields, requested: "https://a.example/latest.jpg"), at: Self.now)
        )
        #expect(!settings.mustAsk(try known(1, fields), at: Self.now))
    }

    @Test("maxAge holds whatever the origin says, with a clock that was set back as well")
    func maxAge() throws {
        let settings = try settings(.never, maxAge: .seconds(100))
        // 5 % are forgiven: cron starts some seconds early or late.
        #expect(!settings.mustAsk(try known(94), at: Self.now))
        #expect(settings.mustAsk(try known(96, ["Cache-Control": "max-age=9999"]), at: Self.now))
        #expect(!settings.mustAsk(try known(-94), at: Self.now))
        #expect(settings.mustAsk(try known(-96), at: Self.now))
    }

    @Test("an original of unknown age is as old as the origin says, not older")
    func unknownAge() throws {
        let unknown = DataCache.Metadata()
        #expect(try !settings(.never, maxAge: .seconds(1)).mustAsk(unknown, at: Self.now))
        #expect(try settings(.stale).mustAsk(unknown, at: Self.now))
    }
}
