import JobManifest
import JobPlanning
import TestSupport
import Testing

@Suite struct ListSampleTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func sample(_ text: String, _ name: String = "list.csv") throws -> ListSample {
        let format = try #require(ItemList.Format(ofFile: name))
        return try ListSample(path: folder.write(text, to: name), name: name, format: format)
    }

    @Test(
        "a column of URLs or of image files holds nothing else",
        arguments: [
            ("sku,image\n1,https://a.example/x\n2,\n", ["image"]), ("a,b\nx.JPG,y.png\n", ["a", "b"]),
            ("a,b\nx.txt,y\n", []), ("a,b\n,\n", []), ("a,b\n", []), ("", []), (",b\nx.jpg,2\n", []),
            ("a,b\nx.jpg\nhttp://a.example/,1\n", ["a"]),
            ("a;b\n", []), ("a,b\n\"data:image/png;base64,x\",c:d\n", ["a"]),
        ] as [(String, [String])]
    )
    func locations(text: String, columns: [String]) throws {
        #expect(try sample(text).locationColumns == columns)
    }

    @Test(
        "a column of identifiers has the name of one and no value twice",
        arguments: [
            ("url,sku\na.jpg,1\nb.jpg,2\n", "sku"), ("url,Article-Number\na.jpg,1\n", "Article-Number"),
            ("url,sku\na.jpg,1\nb.jpg,1\n", nil), ("url,sku\na.jpg,1\nb.jpg,\n", nil),
            ("url,colour\na.jpg,1\n", nil), ("url,sku\n", nil), ("url,id,sku\na.jpg,1,2\n", "id"),
        ] as [(String, String?)]
    )
    func identifiers(text: String, column: String?) throws {
        #expect(try sample(text).idColumn == column)
    }

    @Test("a text list has one column without a name, and no comments")
    func text() throws {
        let sample = try sample("# a\n\n https://a.example/1.jpg \r\nphotos/2.jpg\n", "list.txt")
        #expect(sample.columns == [""] && sample.rows.map(\.count) == [1, 1])
        #expect(sample.hasPaths(in: "") && !sample.hasPaths(in: "url"))
        #expect(try !self.sample("https://a.example/1.jpg\n", "urls.txt").hasPaths(in: ""))
    }

    @Test("no more than a thousand rows are read, and damage in them is an error")
    func beginning() throws {
        let rows = (0..<1500).map { "\($0).jpg\n" }.joined()
        #expect(try sample("url\n" + rows).rows.count == 1000)
        #expect(throws: SourceError.self) { try sample("url\n\"a.jpg\n") }
        #expect(throws: SourceError.self) { try sample("url\n", "list.csv.gz") }
    }
}
