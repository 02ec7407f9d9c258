@testable import JobManifest
import Testing

@Suite struct YAMLScalarTests {
    private func name(_ text: String) -> String {
        switch YAMLScalar.kind(of: text) {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let text): "number \(text)"
        case .string(let text): "text \(text)"
        case nil: "ambiguous"
        default: "another value"
        }
    }

    @Test("null and truth values are those of all versions of YAML, no others")
    func words() {
        for text in ["", "~", "null", "Null", "NULL"] { #expect(name(text) == "null") }
        for text in ["true", "True", "TRUE"] { #expect(name(text) == "true") }
        for text in ["false", "False", "FALSE"] { #expect(name(text) == "false") }
        for text in ["yes", "No", "on", "OFF", "y", "n", "tRUE", "nULL", "nil", "~~"] {
            #expect(name(text) == "text \(text)")
        }
    }

    @Test(
        "numbers are those of JSON, as written",
        arguments: ["0", "-1", "12.50", "1e5", "-0.5E+3", "123456789012345678901"]
    )
    func numbers(text: String) {
        #expect(name(text) == "number \(text)")
    }

    @Test(
        "text that another reader takes for a number is neither",
        arguments: [
            "0777", "00", "-012", "0x1F", "0X1f", "0b101", "0o17", "1_000", "+1", "+0.5", ".5", "5.", "-.5",
            "1_0.5e3",
            "10:30", "1:30:00", "-1:30", "190:20:30.15", "16:9", ".inf", "-.INF", ".NaN", "01.5", "5.e3",
        ]
    )
    func ambiguous(text: String) {
        #expect(name(text) == "ambiguous")
    }

    @Test(
        "all else is text",
        arguments: [
            "1..10", "01..10", "10.0.0.0/8", "10.0.0.1:8080", "2024-01-01", "1.2.3", "100MB", "30s", "80/s",
            "1s..60s",
            "-", "--", ".", "..", "../a.jpg", "./a", ".hidden", "0x", "0xg", "1:2:99", "1:", ":1", "10:300",
            "1e", "1e+",
            "-a", "+", "5%", "1 2", "3x", "1:2a", "1.5:30",
        ]
    )
    func text(text: String) {
        #expect(name(text) == "text \(text)")
    }
}
