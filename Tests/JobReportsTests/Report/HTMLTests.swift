import JobReports
import Testing

struct HTMLTests {
    @Test func escapesWhatIsPutIn() {
        let name = "<script>alert('x')</script> & \"more\""
        let html: HTML = "<p title=\"\(name)\">\(name)</p>"
        let escaped = "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;more&quot;"
        #expect(html.source == "<p title=\"\(escaped)\">\(escaped)</p>")
    }

    @Test func putsPiecesInAsTheyAre() {
        let pieces: [HTML] = ["<i>\("a<b")</i>", "<i>2</i>"]
        let html: HTML = "<p>\(pieces)\(7)\(HTML(pieces))</p>"
        #expect(html.source == "<p><i>a&lt;b</i>\n<i>2</i>7<i>a&lt;b</i>\n<i>2</i></p>")
    }

    @Test func showsControlsAndWhatTurnsTheDirection() {
        #expect(HTML.escaped("a\u{0}b\u{1B}c\u{202E}d\ne") == "a\u{FFFD}b\u{FFFD}c\u{FFFD}d e")
        #expect(HTML.escaped("é 日本 🖼") == "é 日本 🖼")
    }
}
