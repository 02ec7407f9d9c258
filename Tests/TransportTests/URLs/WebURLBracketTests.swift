import Foundation
import Testing
import Transport

@Suite struct WebURLBracketTests {
    @Test(
        "brackets are encoded, and what is encoded stays",
        arguments: [
            ("http://a.example/b%20c[1].jpg", "http://a.example/b%20c%5B1%5D.jpg"),
            ("http://a.example/b?c[]=%5B%20", "http://a.example/b?c%5B%5D=%5B%20"),
            ("http://[::1]:80/[%20]?[", "http://[::1]:80/%5B%20%5D?%5B"),
            ("http://u[%40:p]@[::1]/a", "http://u%5B%40:p%5D@[::1]/a"),
            ("http://[::1]", "http://[::1]"), ("http://a.example/%20?%20", "http://a.example/%20?%20"),
            ("file:///a%20[b]//[c]", "file:///a%20%5Bb%5D//%5Bc%5D"),
            ("data:image/svg+xml,%3C![x]//[y]%3E", "data:image/svg+xml,%3C!%5Bx%5D//%5By%5D%3E"),
        ]
    )
    func brackets(text: String, expected: String) throws {
        #expect(URL(encoded: text)?.absoluteString == expected)
        // It is its own spelling.
        #expect(URL(encoded: expected)?.absoluteString == expected)
    }

    /// The control: once Foundation leaves escapes as they are, `URL(string:)` will do.
    @Test func foundationEncodesEscapesAgain() {
        #expect(URL(string: "http://a.example/b%20c[1]")?.path(percentEncoded: true) == "/b%2520c%5B1%5D")
    }
}
