import JobManifest
import TestSupport
import Testing

@testable import JobPlanning

@Suite struct DelimitedReaderTests {
    /// The rows of `text`, each with its number: the bytes of its first field, or the length of one that was passed over.
    private func rows(_ text: String, passesLongRows: Bool = true) throws -> [String] {
        let folder = try TemporaryFolder()
        let path = try folder.write(text, to: "a.csv")
        var reader = try DelimitedReader(try FileStream(path: path, name: "a.csv"), name: "a.csv")
        reader.passesLongRows = passesLongRows
        var rows: [String] = []
        while let bytes = try reader.next() {
            let text = reader.excess.map(String.init) ?? reader.fields.first?.text(of: bytes)
            rows.append("\(reader.number):\(text ?? "no text")")
            #expect(reader.fields.isEmpty == (reader.excess != nil))
        }
        return rows
    }

    @Test(
        "a row that is too long is passed over alone, with the line ends and quotes in it",
        arguments: [
            ("", "", "\n"), ("", "", "\r\n"), ("", "", "\r"), ("\"a\"\"\n,\n\"\"\",\"", "\"", "\n"),
            ("\"\"\"", "\"\"\"", "\r\n"),
        ]
    )
    func passed(start: String, end: String, lineEnd: String) throws {
        for length in [1_000_001, 1 << 20, (1 << 20) + 1, 3_000_000] {
            let long = start + String(repeating: "x", count: length) + end
            let count = long.utf8.count
            #expect(
                try rows("a,b\n" + long + lineEnd + "c,d\n") == ["1:a", "2:\(count)", "3:c"],
                "\(length)"
            )
            #expect(try rows("a\n" + long) == ["1:a", "2:\(count)"], "\(length)")
        }
    }

    @Test("the longest row that is read is 1,000,000 bytes with its end")
    func longest() throws {
        let row = String(repeating: "x", count: 999_999)
        #expect(try rows(row + "\ny\n") == ["1:\(row)", "2:y"])
        #expect(try rows(row + "x\ny\n") == ["1:1000000", "2:y"])
    }

    @Test("where people write the rows, one that is too long is an error, since it is a quote without an end")
    func refused() throws {
        let error = #expect(throws: SourceError.self) {
            try rows("a\n\"" + String(repeating: "x", count: 1_100_000) + "\n", passesLongRows: false)
        }
        #expect(error?.description.contains("a.csv:2: the row does not end within 1000000 bytes") == true)
    }
}
