import Foundation
import Imaging
@testable import JobManifest
import Testing

@Suite struct CacheSettingsTests {
    /// The home folder of this user's account, whatever the environment says.
    private static let home = NSHomeDirectoryForUser(NSUserName()) ?? "/nonexistent"

    @Test(
        "the cache is in the user's folder, and relative ones do not count",
        arguments: [
            (["XDG_CACHE_HOME": "/x", "HOME": "/h"], "/x/nuke-batch/originals"),
            (["XDG_CACHE_HOME": "x", "HOME": "/h"], "/h/.cache/nuke-batch/originals"),
            (["XDG_CACHE_HOME": "", "HOME": "/h"], "/h/.cache/nuke-batch/originals"),
            (["HOME": "h"], home + "/.cache/nuke-batch/originals"),
            ([:], home + "/.cache/nuke-batch/originals"),
        ] as [([String: String], String)]
    )
    func directory(environment: [String: String], expected: String) {
        #expect(CacheSettings(nil, environment: environment).directory == expected)
    }

    @Test("every key of the cache is taken")
    func keys() throws {
        let reading = try NodeReading(
            #"""
            {"directory": "../c", "sizeLimit": 5, "policy": "none", "revalidate": "stale", "maxAge": "7d",
             "staleIfError": false, "compression": true}
            """#
        )
        let settings = CacheSettings(reading.node, environment: [:])
        #expect(settings.directory == "/srv/c" && settings.sizeLimit == 5 && settings.policy == .none)
        #expect(settings.revalidate == .stale && settings.maxAge == .seconds(604_800))
        #expect(!settings.staleIfError && settings.compression == .deflate && reading.errors.isEmpty)
        let standard = CacheSettings(nil, environment: [:])
        #expect(standard.staleIfError && standard.compression == .none && standard.maxAge == nil)
    }

    @Test(
        "compression is a truth value, or jxl",
        arguments: [
            ("false", .none, nil), ("true", .deflate, nil),
            (#""jxl""#, .jpegXL, nil),
            (#""gzip""#, .none, "should be true, false or \"jxl\""),
            ("1", .none, "should be true, false or \"jxl\""),
        ] as [(String, CacheSettings.Compression, String?)]
    )
    func compression(json: String, expected: CacheSettings.Compression, error: String?) throws {
        let reading = try NodeReading(#"{"compression": \#(json)}"#)
        let settings = CacheSettings(reading.node, environment: [:])
        let isMissing = expected == .jpegXL && !ImageEncoder.formats.contains(.jxl)
        #expect(settings.compression == (isMissing ? .none : expected))
        let told = reading.errors.joined(separator: "\n")
        let wanted = isMissing ? "build with the trait JXL" : error
        #expect(wanted == nil || told.contains(wanted ?? ""), "\(told)")
        #expect(reading.errors.isEmpty == (error == nil && !isMissing))
    }

    @Test(
        "a run asks again if it may be told something new, or something may be too old",
        arguments: [
            ("{}", false), (#"{"revalidate": "never"}"#, false), (#"{"revalidate": "stale"}"#, true),
            (#"{"revalidate": "always"}"#, true), (#"{"maxAge": "1s"}"#, true),
        ]
    )
    func asksAgain(json: String, expected: Bool) throws {
        let settings = CacheSettings(try NodeReading(json).node, environment: [:])
        #expect(settings.asksAgain == expected)
    }
}
