import JobManifest
import Testing

@Suite struct QuantityTests {
    @Test(
        "bytes",
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1_250_000, "1.2 MB"), (2_000_000_000, "2.0 GB"),
            (3_400_000_000_000, "3.4 TB"),
        ]
    )
    func bytes(count: Int, text: String) {
        #expect(Quantity.bytes(count) == text)
    }

    @Test(
        "durations",
        arguments: [
            (0, "0:00"), (59.4, "0:59"), (59.6, "1:00"), (3599, "59:59"), (3600, "1:00:00"),
            (1_000_000, "99:59:59"),
        ] as [(Double, String)]
    )
    func durations(seconds: Double, text: String) {
        #expect(Quantity.duration(seconds) == text)
    }

    @Test(
        "counts",
        arguments: [
            (0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (-1234, "-1,234"),
            (-123, "-123"),
        ]
    )
    func counts(count: Int, text: String) {
        #expect(Quantity.grouped(count) == text)
    }

    @Test(
        "partitions",
        arguments: [
            ("1/1", true), ("3/8", true), ("8/8", true), ("0/8", false), ("9/8", false), ("1/0", false),
            ("1", false), ("1/2/3", false), ("a/2", false), ("/2", false), ("", false),
        ]
    )
    func partitions(text: String, isValid: Bool) {
        let partition = Partition(text)
        #expect((partition != nil) == isValid)
        if let partition { #expect("\(partition.number)/\(partition.count)" == text) }
    }
}
