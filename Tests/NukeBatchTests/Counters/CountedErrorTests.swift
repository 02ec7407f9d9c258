import JobManifest
import Testing

@testable import NukeBatch

@Suite struct CountedErrorTests {
    @Test(
        "an error counts under its name, and a rare status with its kind",
        arguments: [
            ("http_404", "http_404"), ("timeout", "timeout"), ("http_418", "http_4xx"),
            ("http_599", "http_5xx"), ("http_304", "http_3xx"), ("unheard_of", "unheard_of"),
        ]
    )
    func name(error: String, counted: String) {
        #expect(ErrorCode.counted(error) == counted)
    }
}
