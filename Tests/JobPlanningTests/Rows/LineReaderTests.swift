import Foundation
import JobManifest
import TestSupport
import Testing

@testable import JobPlanning

@Suite struct LineReaderTests {
    /// The lines of `text` with their numbers; those that are too long with their length.
    private func lines(_ text: String) throws -> [String] {
        let folder = try TemporaryFolder()
        let path = try folder.write(text, to: "a.txt")
        var reader = try LineReader(try FileStream(path: path, name: "a.txt"), name: "a.txt")
        var lines: [String] = []
        while let line = try reader.next() {
            switch line {
            case .text(let bytes): lines.append("\(reader.number):\(String(decoding: bytes, as: UTF8.self))")
            case .tooLong(let count, _): lines.append("\(reader.number):\(count)")
            }
        }
        return lines
    }

    @Test(
        "line ends, empty lines and a last line without an end",
        arguments: [
            ("", []), ("\n", ["1:"]), ("a", ["1:a"]), ("a\n", ["1:a"]), ("a\r\nb\n", ["1:a", "2:b"]),
            ("a\rb\n", ["1:a", "2:b"]), ("a\rb\rc", ["1:a", "2:b", "3:c"]),
            ("a\r\r\nb", ["1:a", "2:", "3:b"]), ("\r\n\r\n", ["1:", "2:"]), ("a\n\nb", ["1:a", "2:", "3:b"]),
            ("\u{FEFF}a\n\u{FEFF}b", ["1:a", "2:\u{FEFF}b"]), ("a\r", ["1:a"]),
        ] as [(String, [String])]
    )
    func ends(text: String, expected: [String]) throws {
        #expect(try lines(text) == expected)
    }

    @Test("a CR LF is one line end wherever the pieces of a stream are divided")
    func divided() throws {
        for length in [(1 << 18) - 2, (1 << 18) - 1, 1 << 18] {
            let line = String(repeating: "a", count: length)
            #expect(try lines("\(line)\r\nb\r\rc").map(\.utf8.count) == [length + 2, 3, 2, 3])
        }
    }

    @Test(
        "UTF-16 and UTF-32 are refused by name",
        arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32]
    )
    func wide(encoding: String.Encoding) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            try #require("url\nhttps://a.example/1\n".data(using: encoding)),
            to: "a.txt"
        )
        let error = #expect(throws: SourceError.self) {
            try LineReader(try FileStream(path: path, name: "a.txt"), name: "a.txt")
        }
        #expect(error?.description.contains("UTF-16") == true)
    }

    @Test("the longest line is whole, one byte more is too long, and the lines behind it are read")
    func longest() throws {
        let limit = RowBuffer.longestRow
        let whole = String(repeating: "a", count: limit)
        let found = try lines("x\n\(whole)\n\(whole)b\ny\n\(whole)\(whole)")
        #expect(found.count == 5 && found[0] == "1:x" && found[3] == "4:y")
        #expect(found[1].utf8.count == limit + 2)
        #expect(found[2] == "3:\(limit + 1)" && found[4] == "5:\(2 * limit)")
    }
}
