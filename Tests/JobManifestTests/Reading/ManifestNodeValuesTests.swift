import Imaging
@testable import JobManifest
import Testing

@Suite struct ManifestNodeValuesTests {
    @Test(
        "durations of settings are above 0",
        arguments: [
            ("1ms", .milliseconds(1)), ("36500d", .seconds(36_500 * 86_400)), ("0s", nil), ("36501d", nil),
            ("1", nil),
        ] as [(String, Duration?)]
    )
    func duration(text: String, expected: Duration?) throws {
        let reading = try NodeReading("\"\(text)\"")
        #expect(reading.node.duration() == expected)
        #expect(reading.errors.isEmpty == (expected != nil))
    }

    @Test("a duration of 0 is told apart from what is none")
    func zero() throws {
        let zero = try NodeReading(#""0ms""#)
        _ = zero.node.duration()
        #expect(zero.errors == [#": should be above 0, not "0ms""#])
        let none = try NodeReading(#""soon""#)
        _ = none.node.duration()
        #expect(none.errors.first?.hasPrefix(#": "soon" is not a duration: "#) == true)
    }

    @Test(
        "sizes and pixel counts are numbers or texts above 0",
        arguments: [
            ("1", 1, 1), ("5e3", 5000, 5000), (#""7""#, 7, 7), (#""2KB""#, 2000, nil),
            (#""2MP""#, nil, 2_000_000), ("0", nil, nil), ("-1", nil, nil), ("1.5", nil, nil),
            (#""0""#, nil, nil), (#""0KB""#, nil, nil), ("true", nil, nil), ("null", nil, nil),
        ] as [(String, Int?, Int?)]
    )
    func quantities(json: String, size: Int?, pixels: Int?) throws {
        let (first, second) = (try NodeReading(json), try NodeReading(json))
        #expect(first.node.size() == size && second.node.pixels() == pixels)
        #expect(first.errors.isEmpty == (size != nil), "\(first.errors)")
        #expect(second.errors.isEmpty == (pixels != nil), "\(second.errors)")
        #expect(first.errors.allSatisfy { $0.contains("is not a size: ") })
        #expect(second.errors.allSatisfy { $0.contains("is not a pixel count: ") })
    }

    @Test("an opaque colour has no alpha below 255")
    func opaque() throws {
        for (text, isOpaque) in [("#123", true), ("#112233FF", true), ("#112233FE", false)] {
            let reading = try NodeReading("\"\(text)\"")
            #expect(reading.node.opaqueColor() == RGBColor(red: 0x11, green: 0x22, blue: 0x33))
            #expect(reading.errors == (isOpaque ? [] : [": should be opaque: remove its alpha"]))
        }
    }

    @Test("the names of headers are tokens")
    func headerNames() throws {
        let name = "!#$%&'*+-.^_`|~0aZ9"
        #expect(try NodeReading("{\"\(name)\": \"x\"}").node.headers() == [name: "x"])
        for name in ["", "a b", "a:", "(a)", "é", "a/b", "a@b", "a\\u007f"] {
            let reading = try NodeReading("{\"\(name)\": \"x\"}")
            _ = reading.node.headers()
            #expect(reading.errors.count == 1, "\(name)")
            #expect(reading.errors.first?.contains("is not a header name") == true, "\(name)")
        }
    }

    @Test(
        "the values of headers hold no control character but tab",
        arguments: [
            ("a\\tb", true), (" ~é", true), ("", true), ("a\\nb", false), ("a\\rb", false),
            ("a\\u001f", false), ("a\\u007f", false), ("\\u0008", false),
        ]
    )
    func headerValues(value: String, isRight: Bool) throws {
        let reading = try NodeReading("{\"A\": \"\(value)\"}")
        _ = reading.node.headers()
        #expect(reading.errors.isEmpty == isRight)
        #expect(reading.errors.allSatisfy { $0.hasPrefix("A: the value holds ") })
    }

    @Test("a header comes once, in whatever case")
    func headerTwice() throws {
        let reading = try NodeReading(#"{"Accept": "a", "ACCEPT": "b", "Other": "c"}"#)
        _ = reading.node.headers()
        #expect(reading.errors == ["ACCEPT: duplicate header, in other case: keep one"])
    }

    @Test("nothing is expanded in a row")
    func rows() throws {
        let reading = try NodeReading(#""${HOME}${""#)
        #expect(reading.node.expandedString() == "${HOME}${" && reading.errors.isEmpty)
    }
}
