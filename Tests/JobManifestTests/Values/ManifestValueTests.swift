import Imaging
import JobManifest
import Testing

@Suite struct ManifestValueTests {
    @Test(
        "durations",
        arguments: [
            ("250ms", .milliseconds(250)), ("30s", .seconds(30)), ("10m", .seconds(600)),
            ("2h", .seconds(7200)),
            ("7d", .seconds(604_800)), ("0s", .zero), ("007s", .seconds(7)),
            ("", nil), ("s", nil), ("30", nil), ("30 s", nil), ("-1s", nil), ("+1s", nil), ("1.5s", nil),
            ("1S", nil),
            ("1w", nil), ("١s", nil), ("9223372036854775807d", nil), ("99999999999999999999s", nil),
            ("36501d", nil),
        ] as [(String, Duration?)]
    )
    func duration(text: String, expected: Duration?) {
        #expect(ManifestValue.duration(text) == expected)
    }

    @Test(
        "ranges of durations",
        arguments: [
            ("1s..60s", true), ("5s..5s", true), ("2s..1s", false), ("1s", false), ("..1s", false),
            ("1s..", false), ("1s...2s", false),
        ]
    )
    func durations(text: String, isRange: Bool) {
        #expect((ManifestValue.durations(text) != nil) == isRange)
    }

    @Test(
        "sizes",
        arguments: [
            ("64KB", 64_000), ("64kB", 64_000), ("100MB", 100_000_000), ("10GB", 10_000_000_000),
            ("2TB", 2_000_000_000_000),
            ("64KiB", 65_536), ("1MiB", 1_048_576), ("1GiB", 1_073_741_824), ("500", 500),
            ("", nil), ("KB", nil), ("1kb", nil), ("1.5GB", nil), ("-1KB", nil), ("1 KB", nil),
            ("9223372036854775807KB", nil),
            ("99999999999999999999", nil),
        ] as [(String, Int?)]
    )
    func size(text: String, expected: Int?) {
        #expect(ManifestValue.size(text) == expected)
    }

    @Test(
        "pixels",
        arguments: [
            ("100MP", 100_000_000), ("5", 5), ("1mp", nil), ("MP", nil), ("9223372036854775807MP", nil),
        ]
            as [(String, Int?)]
    )
    func pixels(text: String, expected: Int?) {
        #expect(ManifestValue.pixels(text) == expected)
    }

    @Test(
        "rates",
        arguments: [
            ("80/s", 80.0), ("600/m", 10), ("3600/h", 1), ("0/s", nil), ("80", nil), ("/s", nil),
            ("8/d", nil), ("1000001/s", nil),
        ]
            as [(String, Double?)]
    )
    func rate(text: String, expected: Double?) {
        #expect(ManifestValue.rate(text)?.perSecond == expected)
    }

    @Test(
        "colours",
        arguments: [
            ("#FFF", "#ffffffff"), ("#1e90FF", "#1e90ffff"), ("#1E90FF80", "#1e90ff80"),
            ("", nil), ("#", nil), ("FFF", nil), ("#FFFF", nil), ("#GGG", nil), ("#é00", nil),
            ("#12345", nil), ("#１２３", nil),
        ] as [(String, String?)]
    )
    func color(text: String, expected: String?) {
        #expect(Color(text)?.hexadecimal == expected)
    }
}
