import Files
import Foundation
import Testing

@Suite struct TextLinesTests {
    @Test(
        "lines are those that split finds, also of a part of the bytes",
        arguments: ["", "\n", "a", "a\n", "a\nb", "\n\na\n\nbc\n\n", "ü\r\n\u{0}\n"]
    )
    func lines(text: String) {
        let whole = Data(("x\n" + text + "\ny").utf8)
        let part = whole.dropFirst(2).dropLast(2)
        for data in [Data(text.utf8), whole, part] {
            #expect(data.lines == data.split(separator: UInt8(ascii: "\n")))
        }
    }
}
