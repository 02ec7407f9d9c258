@testable import JobManifest
import Testing

@Suite struct ValueBoundsTests {
    @Test(
        "no duration is longer than 36,500 days",
        arguments: [
            ("36500d", true), ("876000h", true), ("876001h", false), ("52560000m", true),
            ("52560001m", false), ("3153600000s", true), ("3153600001s", false), ("3153600000000ms", true),
            ("3153600000001ms", false),
        ]
    )
    func duration(text: String, isRight: Bool) {
        #expect(ManifestValue.duration(text) == (isRight ? .seconds(3_153_600_000) : nil))
    }

    @Test("a range of durations keeps its bounds")
    func durations() {
        let range = Duration.milliseconds(250)...Duration.seconds(120)
        #expect(ManifestValue.durations("250ms..2m") == range)
        #expect(ManifestValue.durations("0s..0s") == Duration.zero...Duration.zero)
        #expect(ManifestValue.durations("1000ms..1s") == Duration.seconds(1)...Duration.seconds(1))
        #expect(ManifestValue.durations("1001ms..1s") == nil)
    }

    @Test(
        "a size is at most what fits",
        arguments: [
            ("9223372036854775807", .max), ("9223372036854775808", nil), ("1TiB", 1_099_511_627_776),
            ("1TB", 1_000_000_000_000), ("9007199254740991KiB", 9_223_372_036_854_774_784),
            ("9007199254740992KiB", nil), ("0", 0), ("1B", nil), ("1K", nil), ("KiB", nil),
        ] as [(String, Int?)]
    )
    func size(text: String, expected: Int?) {
        #expect(ManifestValue.size(text) == expected)
    }

    @Test(
        "a rate keeps its count and its period",
        arguments: [
            ("1/s", Rate(count: 1, seconds: 1)), ("1000000/s", Rate(count: 1_000_000, seconds: 1)),
            ("600/m", Rate(count: 600, seconds: 60)), ("1000000/h", Rate(count: 1_000_000, seconds: 3600)),
            ("1000001/h", nil), ("0/m", nil), ("-1/s", nil), ("1.5/s", nil), ("1/ s", nil),
        ] as [(String, Rate?)]
    )
    func rate(text: String, expected: Rate?) {
        #expect(ManifestValue.rate(text) == expected)
    }
}
