import Files
import Testing

@Suite struct TextPartsTests {
    @Test("an ASCII character is found wherever it stands, also before a combining mark")
    func containsASCII() {
        for text in ["#", "a#b", "#\u{301}", "日本#", String(repeating: "é", count: 40) + "#"] {
            #expect(text.containsASCII("#"), "\(text)")
        }
        for text in ["", "a", "＃", String(repeating: "é", count: 40)] {
            #expect(!text.containsASCII("#"), "\(text)")
        }
    }

    @Test("what is behind a prefix is compared byte by byte")
    func rest() {
        #expect("/photos/a.jpg".rest(behind: "/photos/") == "a.jpg")
        #expect("/photos".rest(behind: "/photos") == "")
        #expect("/photo".rest(behind: "/photos") == nil)
        #expect("e\u{301}a".rest(behind: "é") == nil)
        #expect("/\u{301}a".rest(behind: "/") == "\u{301}a")
    }

    @Test("separators are scalars, and parts may be empty")
    func parts() {
        #expect("a//b/\u{301}c".parts(at: "/") == ["a", "", "b", "\u{301}c"])
        #expect("a:b:c".parts(at: ":", maxSplits: 1) == ["a", "b:c"])
    }
}
