import JobStorage
import TestSupport
import Testing

@testable import NukeBatch

@Suite struct MetricFamilyTests {
    private let requests = MetricFamily(
        name: "nuke_batch_response_bytes",
        kind: .counter,
        unit: "bytes",
        help: "Bytes.",
        samples: [.init(suffix: "_total", labels: [("host_class", "a.example")], value: 12)]
    )

    @Test("OpenMetrics names the family, and its unit")
    func openMetrics() {
        #expect(
            requests.text(.openmetrics, common: [("manifest", "m")]) == """
                # HELP nuke_batch_response_bytes Bytes.
                # TYPE nuke_batch_response_bytes counter
                # UNIT nuke_batch_response_bytes bytes
                nuke_batch_response_bytes_total{manifest="m",host_class="a.example"} 12

                """
        )
    }

    @Test("the older format names the counter's samples")
    func prometheus() {
        #expect(
            requests.text(.prometheus, common: [("manifest", "m")]) == """
                # HELP nuke_batch_response_bytes_total Bytes.
                # TYPE nuke_batch_response_bytes_total counter
                nuke_batch_response_bytes_total{manifest="m",host_class="a.example"} 12

                """
        )
    }

    @Test(
        "labels are escaped, so that no manifest's name breaks the text",
        arguments: [
            (#"a"b"#, #"a\"b"#), (#"a\b"#, #"a\\b"#), ("a\nb", #"a\nb"#), ("a\u{1B}[2Jb", "a\u{FFFD}[2Jb"),
            (#"\""#, #"\\\""#), ("a\r\nb", #"a�\nb"#), ("ä{},=€", "ä{},=€"), ("", ""),
        ]
    )
    func labels(value: String, escaped: String) throws {
        let family = MetricFamily(name: "a", kind: .gauge, help: "A.", samples: [.init(value: 1)])
        let text = family.text(.openmetrics, common: [("manifest", value)]) + "# EOF\n"
        #expect(text.contains("a{manifest=\"\(escaped)\"} 1\n"))
        #expect(try OpenMetricsText(text).samples.count == 1)
    }

    @Test(
        "numbers have neither exponents nor rounding errors",
        arguments: [
            (0, "0"), (1_764_390_000.25, "1764390000.250000"), (3e9, "3000000000"), (0.1 + 0.2, "0.300000"),
        ]
    )
    func numbers(value: Double, text: String) {
        let family = MetricFamily(name: "a", kind: .gauge, help: "A.", samples: [.init(value: value)])
        #expect(family.text(.openmetrics, common: [("b", "c")]).contains("a{b=\"c\"} \(text)\n"))
    }

    @Test("buckets are cumulative")
    func histogram() throws {
        var increments = CounterIncrements()
        for seconds in [0.02, 0.02, 0.7, 100] {
            increments.add(to: .requestBuckets, hostClass: "a", detail: LatencyBuckets.text(of: seconds))
            increments.add(seconds, to: .requestSeconds, hostClass: "a")
        }
        let family = JobCounter.requestDurations(increments.amounts)
        let text = family.text(.openmetrics, common: [("manifest", "m")]) + "# EOF\n"
        let samples = try OpenMetricsText(text).samples
        let bucket = { (bound: String) in
            samples[
                "nuke_batch_request_duration_seconds_bucket{manifest=\"m\",host_class=\"a\",le=\"\(bound)\"}"
            ]
        }
        #expect(bucket("0.01") == 0 && bucket("0.025") == 2 && bucket("0.5") == 2 && bucket("1.0") == 3)
        #expect(bucket("60.0") == 3 && bucket("+Inf") == 4)
        let labels = #"{manifest="m",host_class="a"}"#
        #expect(samples["nuke_batch_request_duration_seconds_count\(labels)"] == 4)
        #expect(samples["nuke_batch_request_duration_seconds_sum\(labels)"] == 100.74)
    }
}
