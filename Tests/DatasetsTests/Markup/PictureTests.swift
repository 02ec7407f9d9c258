import Foundation
import Testing

@testable import Datasets

/// The texts of markup; `MarkupTests` of the command line has whole elements.
@Suite struct PictureTests {
    @Test(
        "nothing in a path is left that would end a URL, a candidate of srcset or an attribute",
        arguments: [
            ("a/b-1_2.~jpg", "a/b-1_2.~jpg"), ("a b,c.jpg", "a%20b%2Cc.jpg"), ("x:y?z#w", "x%3Ay%3Fz%23w"),
            ("100%/\"'<>&", "100%25/%22%27%3C%3E%26"), ("é/日", "%C3%A9/%E6%97%A5"), ("", ""),
        ]
    )
    func urls(path: String, expected: String) {
        #expect(Picture.percentEncoded(path) == expected)
        #expect(Picture.percentEncoded(path).removingPercentEncoding == path)
    }

    @Test(
        "a value is escaped, and what neither HTML nor XML allows becomes a space",
        arguments: [
            ("<b> & \"x\" 'y'", "&lt;b&gt; &amp; &quot;x&quot; &#39;y&#39;"), ("&amp;", "&amp;amp;"),
            ("a\u{0}\u{1}\n\tb\u{7F}\u{85}", "a    b  "), ("\u{FFFE}\u{FFFF}\u{1FFFE}", "   "),
            // The joiner in an emoji, the non-joiner in Persian.
            ("👩\u{200D}🚀 می\u{200C}خواهم", "👩\u{200D}🚀 می\u{200C}خواهم"), ("", ""),
        ]
    )
    func escaped(text: String, expected: String) {
        #expect(Picture.escaped(text) == expected)
    }
}
