@testable import JobManifest
import Testing

@Suite struct GlobPartTests {
    private func fits(_ pattern: String, _ name: String) throws -> Bool {
        try GlobPart(Array(pattern.unicodeScalars)).fits(Array(name.unicodeScalars))
    }

    @Test(
        "names fit whole, in their case",
        arguments: [
            ("a.jpg", "a.jpg", true), ("a.jpg", "A.jpg", false), ("a.jpg", "a.jpgx", false),
            ("a.jpg", "xa.jpg", false), ("a.jpg", "a.jp", false), ("a.jpg", "aXjpg", false),
            ("é", "é", true), ("?", "\u{E9}", true), ("?", "e\u{301}", false),
        ]
    )
    func plain(pattern: String, name: String, expected: Bool) throws {
        #expect(try fits(pattern, name) == expected)
    }

    @Test(
        "* stands for any number of characters, ? for one",
        arguments: [
            ("*", "a", true), ("?", "a", true), ("?", "ab", false), ("??", "a", false), ("a?", "a", false),
            ("*.jpg", "a.jpg", true), ("*.jpg", "a.jpg.jpg", true), ("*.jpg", "a.jpe", false),
            ("a*", "a", true), ("*a", "ba", true), ("*a", "ab", false), ("a*b*c", "abc", true),
            ("a*b*c", "aXbYc", true), ("a*b*c", "acb", false), ("a*b*c", "abcb", false),
            ("a*b*c", "abcbc", true), ("*a*", "xay", true), ("*a*", "xyz", false), ("?*", "a", true),
            ("*??", "a", false), ("*??", "abc", true),
        ]
    )
    func wildcards(pattern: String, name: String, expected: Bool) throws {
        #expect(try fits(pattern, name) == expected)
    }

    @Test(
        "names that begin with a dot fit only what begins with one",
        arguments: [
            ("*", ".a", false), ("?a", ".a", false), ("[.]a", ".a", false), ("[!x]a", ".a", false),
            (".*", ".a", true), ("\\.a", ".a", true), (".?", ".a", true), ("*", "a.", true),
            ("**", ".git", false), ("**", "a", true), ("**", "a.b", true),
        ]
    )
    func dots(pattern: String, name: String, expected: Bool) throws {
        #expect(try fits(pattern, name) == expected)
    }

    @Test(
        "sets hold their ranges, both bounds included",
        arguments: [
            ("[a-c]", "a", true), ("[a-c]", "c", true), ("[a-c]", "d", false), ("[a-c]", "`", false),
            ("[a-c]", "-", false), ("[!a-c]", "d", true), ("[!a-c]", "c", false), ("[^a-c]", "`", true),
            ("[^a-c]", "a", false), ("[a!]", "!", true), ("[]a]", "]", true), ("[]a]", "a", true),
            ("[]a]", "b", false), ("[!]a]", "]", false), ("[!]a]", "b", true), ("[-a]", "-", true),
            ("[a-]", "-", true), ("[a-]", "a", true), ("[a-]", "b", false), ("[abd-f]", "e", true),
            ("[abd-f]", "c", false), ("[a-a]", "a", true), ("[*]", "*", true), ("[*]", "a", false),
            ("x[0-9]y", "x5y", true), ("x[0-9]y", "xy", false),
        ]
    )
    func sets(pattern: String, name: String, expected: Bool) throws {
        #expect(try fits(pattern, name) == expected)
    }

    @Test(
        "what is escaped stands for itself",
        arguments: [
            ("\\*", "*", true), ("\\*", "a", false), ("a\\?", "a?", true), ("a\\?", "ab", false),
            ("\\[a]", "[a]", true), ("\\[a]", "a", false), ("\\\\", "\\", true), ("\\a", "a", true),
        ]
    )
    func escapes(pattern: String, name: String, expected: Bool) throws {
        #expect(try fits(pattern, name) == expected)
    }
}
