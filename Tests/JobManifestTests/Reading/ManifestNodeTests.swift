@testable import JobManifest
import Testing

@Suite struct ManifestNodeTests {
    @Test(
        "whole numbers are taken up to both bounds, however they are written",
        arguments: [
            ("1", 1), ("5", 5), ("0", nil), ("6", nil), ("1.0", 1), ("0.5e1", 5), ("1.5", nil), ("5.1", nil),
            ("-1", nil), ("1e400", nil),
        ] as [(String, Int?)]
    )
    func integer(json: String, expected: Int?) throws {
        let reading = try NodeReading(json)
        #expect(reading.node.integer(1...5) == expected)
        #expect(reading.errors.isEmpty == (expected != nil))
        #expect(reading.errors.allSatisfy { $0.contains(" from 1 to 5, not ") }, "\(reading.errors)")
    }

    @Test(
        "a whole number is exact, or none",
        arguments: [
            ("9007199254740993", 9_007_199_254_740_993), ("9223372036854775807", .max),
            ("9223372036854775808", nil), ("1e15", 1_000_000_000_000_000), ("9e15", nil),
            ("8999999999999999.0", 8_999_999_999_999_999), ("-1e3", -1000), ("-9e15", nil), ("0.0", 0),
            ("1e-1", nil),
        ] as [(String, Int?)]
    )
    func exact(text: String, expected: Int?) {
        #expect(ManifestNode.integer(text) == expected)
    }

    @Test(
        "numbers are taken up to both bounds",
        arguments: [
            ("0.1", 0.1), ("10", 10), ("10.0", 10), ("0.0999", nil), ("10.001", nil), ("-1", nil),
            ("1e400", nil),
        ] as [(String, Double?)]
    )
    func number(json: String, expected: Double?) throws {
        let reading = try NodeReading(json)
        #expect(reading.node.number(0.1...10) == expected)
        #expect(reading.errors == (expected == nil ? [": should be from 0.1 to 10.0, not \(json)"] : []))
    }

    @Test(
        "a value of another type is told with both types",
        arguments: [
            ("null", "null"), ("true", "true or false"), ("1", "a number"), (#""x""#, "a string"),
            ("[]", "an array"), ("{}", "an object"),
        ]
    )
    func types(json: String, name: String) throws {
        let reading = try NodeReading(json)
        let node = reading.node
        _ = (node.string(), node.text(), node.bool(), node.integer(1...1), node.number(1...1))
        _ = (node.elements(), node.members())
        let expected = [
            "a string", "a string", "true or false", "a number", "a number", "an array", "an object",
        ]
        var wrong = expected.filter { $0 != name }
        // A number may stand for a text.
        if name == "a number" { wrong.remove(at: 1) }
        #expect(
            reading.errors
                == wrong.map { type in
                    let isScalar = ["true or false", "a number"].contains(type)
                    return
                        ": should be \(type), not \(name == "a string" && isScalar ? "the text \(json)" : name)"
                }
        )
    }

    @Test("a number that stands for a text keeps its digits")
    func text() throws {
        #expect(try NodeReading("1.50").node.text() == "1.50")
        #expect(try NodeReading(#""x""#).node.text() == "x")
    }

    @Test("NUL is refused in every text")
    func nul() throws {
        let reading = try NodeReading(#""a\u0000""#)
        #expect(reading.node.string() == nil && reading.node.text() == nil)
        #expect(reading.errors == Array(repeating: ": holds a NUL character: remove it", count: 2))
    }

    @Test("elements and members know their places")
    func places() throws {
        let elements = try #require(try NodeReading("[1, [2]]").node.elements())
        #expect(elements.map(\.path.description) == ["[0]", "[1]"])
        #expect(elements.map(\.value.offset) == [1, 4])
        let members = try #require(try NodeReading(#"{"b": 1, "a c": [2]}"#).node.members())
        #expect(members.map(\.key) == ["b", "a c"])
        #expect(members.map(\.node.path.description) == ["b", #"["a c"]"#])
        #expect(members[1].node.elements()?.first?.path.description == #"["a c"][0]"#)
    }
}
