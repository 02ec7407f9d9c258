import JobFixtures
import JobManifest
import Testing

/// The bounds of every number of the settings.
@Suite struct SettingBoundsTests {
    private static let sizes = (right: #"1 "1" "1KB" "1kB" 1e3"#, wrong: #"0 -1 1.5 "0KB" "1kb" """#)
    private static let durations = (right: #""1ms" "36500d""#, wrong: #""0ms" "36501d" "1.5s" 1"#)

    @Test(
        "both bounds are taken, and what is beyond is refused at its place",
        arguments: [
            ("loading", "concurrency", "1 1024", "0 1025"), ("loading", "perHost", "1 1024", "0 1025"),
            ("loading", "burst", "1 1000000", "0 1000001"), ("loading", "maxRedirects", "0 50", "-1 51"),
            ("loading", "rate", #""1/h" "1000000/s""#, #""0/s" "1000001/s" "1/d" 1"#),
            ("loading", "bandwidth", sizes.right, sizes.wrong),
            ("loading", "maxBytes", sizes.right, sizes.wrong),
            ("loading", "timeout", durations.right, durations.wrong),
            ("loading", "connectTimeout", durations.right, durations.wrong),
            ("loading", "totalTimeout", durations.right, durations.wrong),
            ("loading", "method", #""GET" "HEAD""#, #""get" "POST""#),
            ("retry", "attempts", "1 100", "0 101"),
            ("retry", "backoff", #""0s..0s" "1s..1s" "999ms..1s""#, #""1001ms..1s" "1s" "1s..36501d""#),
            ("retry", "statuses", "[] [400,599]", "[399] [600] 400"),
            ("limits", "processing", "1 1024", "0 1025"), ("limits", "memory", sizes.right, sizes.wrong),
            ("limits", "maxPixels", #"1 "1MP""#, #"0 "0MP" "1KB""#),
            ("limits", "maxDimension", "1 65500", "0 65501"),
            ("limits", "maxFrames", "1", "0 2 100000 100001"),
            ("limits", "maxDuration", durations.right, durations.wrong),
            ("cache", "sizeLimit", sizes.right, sizes.wrong),
            ("cache", "maxAge", durations.right, durations.wrong),
            ("cache", "policy", #""none" "storeOriginalData""#, #""all""#),
            ("cache", "revalidate", #""never" "stale" "always""#, #""Never" true"#),
            ("condition", "minWidth", "0 1000000", "-1 1000001"),
            ("condition", "minHeight", "0 1000000", "-1 1000001"),
            ("condition", "maxAspect", "1 1000000", "0.999 1000000.001"),
        ] as [(String, String, String, String)]
    )
    func bounds(section: String, key: String, right: String, wrong: String) throws {
        let folder = try ManifestFolder()
        func errors(_ value: Substring) throws -> [String] {
            try folder.errors(try #require(SectionManifest.text(section, members: "\"\(key)\": \(value)")))
        }
        for value in right.split(separator: " ") { #expect(try errors(value) == [], "\(value)") }
        let path = ": \(section == "condition" ? "outputs[0].when" : section).\(key)"
        for value in wrong.split(separator: " ") {
            let errors = try errors(value)
            #expect(errors.count == 1, "\(value): \(errors)")
            let isThere = [": ", "[0]: "].contains { errors.first?.contains(path + $0) == true }
            #expect(isThere, "\(value): \(errors)")
        }
    }

    @Test("a dataset's tar file has from 1 to 1,000,000,000 items")
    func itemsPerFile() throws {
        let folder = try ManifestFolder()
        for (count, isRight) in [(0, false), (1, true), (1_000_000_000, true), (1_000_000_001, false)] {
            let dataset = #""outputs": [{}], "dataset": {"pack": "tar", "itemsPerFile": \#(count)}"#
            let errors = try folder.errors(#"{"sources": [{"urls": []}], \#(dataset)}"#)
            #expect(errors.isEmpty == isRight, "\(count): \(errors)")
        }
    }
}
