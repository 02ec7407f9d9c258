@testable import JobManifest
import Testing

@Suite struct PathValueTests {
    @Test(
        "letters and digits of all scripts are kept, all else is made _",
        arguments: [
            ("aZ09._-", "aZ09._-"), ("", ""), ("a b/c\\d:e", "a_b_c_d_e"), (".a", "_a"), ("..a", "_.a"),
            ("-a", "-a"), ("a.", "a."), ("éß", "éß"), ("e\u{301}", "\u{E9}"), ("\u{301}", "_"),
            ("\u{663}", "\u{663}"), ("\u{BD}", "_"), ("\u{AA}", "\u{AA}"), ("\u{2B0}", "\u{2B0}"),
            ("\u{1C5}", "\u{1C5}"), ("€", "_"), ("a\u{200D}b", "a_b"), ("{a}", "_a_"), ("@[`~", "____"),
        ]
    )
    func sanitized(text: String, expected: String) {
        #expect(PathValue.sanitized(text) == expected)
    }

    @Test("a value has 200 bytes, a longer one is cut and told from others by its digest")
    func long() {
        let full = String(repeating: "a", count: 200)
        #expect(PathValue.sanitized(full) == full)
        #expect(PathValue.sanitized(full + "a") == String(repeating: "a", count: 192) + "a92efd82")
        let wide = String(repeating: "ä", count: 100)
        #expect(PathValue.sanitized(wide) == wide)
        let cut = PathValue.sanitized(wide + "ä")
        #expect(cut.hasPrefix(String(repeating: "ä", count: 96)) && cut.utf8.count == 200)
        // A character of two bytes does not fit into the last one.
        #expect(PathValue.sanitized("a" + wide).utf8.count == 199)
        #expect(PathValue.sanitized(full + " ") != PathValue.sanitized(full + "/"))
    }

    @Test(
        "a path has no empty names and none of dots",
        arguments: [
            ("a/b", "a/b"), ("a//b", "a/b"), ("/a", "a"), ("a/", "a"), ("", "_"), ("/", "_"),
            ("a/./b", "a/_/b"), ("a/../b", "a/_/b"), ("..", "_"), (".", "_"), ("...", "..."),
            ("a/.../b", "a/.../b"),
            (".a/b.", ".a/b."), ("../..", "_/_"),
        ]
    )
    func joined(path: String, expected: String) {
        #expect(PathValue.joined(path) == expected)
    }

    @Test("a name has 255 bytes, a longer one is cut before its extension")
    func longNames() {
        let stem = String(repeating: "x", count: 251)
        #expect(PathValue.joined("a/\(stem).jpg/b") == "a/\(stem).jpg/b")
        let cut = PathValue.joined("a/x\(stem).jpg/b")
        #expect(cut.hasPrefix("a/" + String(repeating: "x", count: 188)) && cut.hasSuffix(".jpg/b"))
        #expect(cut.utf8.count == "a/".count + 200 + "/b".count)
        #expect(PathValue.joined(stem + "abcde").utf8.count == 200)
    }

    @Test("an extension has 16 bytes with its dot, a longer one is a part of the name")
    func longExtensions() {
        let stem = String(repeating: "x", count: 250)
        let short = "." + String(repeating: "e", count: 15)
        #expect(PathValue.joined(stem + short).hasSuffix(short))
        let long = short + "e"
        let cut = PathValue.joined(stem + long)
        #expect(cut.utf8.count == 200 && !cut.contains("."))
    }
}
