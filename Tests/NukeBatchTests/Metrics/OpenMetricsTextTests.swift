import TestSupport
import Testing

/// The checker of metrics files takes a right text, and refuses each of these: the control of all tests that use it.
@Suite struct OpenMetricsTextTests {
    private static let right = """
        # HELP a Items.
        # TYPE a gauge
        a{m="x",s="done"} 1
        a{m="x",s="a\\"b\\\\\\n"} 2.5
        # HELP b_bytes Bytes.
        # TYPE b_bytes counter
        # UNIT b_bytes bytes
        b_bytes_total{m="x"} 3
        # HELP c_seconds Time.
        # TYPE c_seconds histogram
        # UNIT c_seconds seconds
        c_seconds_bucket{m="x",le="0.5"} 1
        c_seconds_bucket{m="x",le="+Inf"} 2
        c_seconds_count{m="x"} 2
        c_seconds_sum{m="x"} 4.5
        # EOF

        """

    @Test func takesARightText() throws {
        let text = try OpenMetricsText(Self.right)
        #expect(text.types == ["a": "gauge", "b_bytes": "counter", "c_seconds": "histogram"])
        #expect(text.units == ["b_bytes": "bytes", "c_seconds": "seconds"])
        #expect(text.samples.count == 7 && text.samples[#"a{m="x",s="done"}"#] == 1)
    }

    @Test(
        arguments: [
            ("# EOF\n", ""), ("# EOF\n", "# EOF"), ("# EOF\n", "# EOF\n\n"), ("# TYPE a gauge\n", ""),
            ("# HELP a Items.\n", ""), ("# TYPE a gauge\n", "# TYPE a gauge\n# TYPE a gauge\n"),
            ("# TYPE a gauge", "# TYPE a sum"), ("b_bytes_total{", "b_bytes{"), ("b_bytes", "b_total"),
            ("# UNIT b_bytes bytes", "# UNIT b_bytes seconds"), ("} 3\n", "} -3\n"), ("} 3\n", "} 3 \n"),
            ("} 3\n", "} 3e2\n"), ("} 3\n", "} \n"), (#"{m="x",s="done"}"#, #"{m="x",m="done"}"#),
            (#"{m="x",s="done"}"#, #"{m="x",s="do"ne"}"#), (#"{m="x",s="done"}"#, #"{m="x",s="\q"}"#),
            (#"s="done"} 1"#, "s=\"done\"} 1\na{m=\"x\",s=\"done\"} 1"), (#"le="0.5""#, #"le="5""#),
            (#"le="0.5"} 1"#, #"le="0.5"} 3"#), (#"c_seconds_bucket{m="x",le="+Inf"} 2"# + "\n", ""),
            (#"c_seconds_count{m="x"} 2"#, #"c_seconds_count{m="x"} 3"#),
            (#"c_seconds_sum{m="x"} 4.5"# + "\n", ""), ("# EOF\n", "a{m=\"x\",s=\"late\"} 1\n# EOF\n"),
            ("# EOF\n", "# HELP a Again.\n# EOF\n"), ("# HELP a Items.", "# NOTE a Items."),
            ("# HELP a", "\n# HELP a"),
        ]
    )
    func refusesAWrongText(part: String, change: String) throws {
        let wrong = Self.right.replacing(part, with: change)
        try #require(wrong != Self.right)
        #expect(throws: OpenMetricsText.Failure.self) { try OpenMetricsText(wrong) }
    }
}
