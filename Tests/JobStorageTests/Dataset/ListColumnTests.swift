import JobStorage
import Testing

@Suite struct ListColumnTests {
    @Test(
        "values of several types have the type in which nothing of them is lost",
        arguments: [
            (["null", "null"], [], .text), (["1", "null", "-1"], .integers, .integer),
            (["9223372036854775807", "-9223372036854775808"], [.integers, .longIntegers], .integer),
            (["9223372036854775808"], [.integers, .longIntegers, .hugeNumbers], .text),
            (["0.5", "1"], [.integers, .reals], .real),
            (["0.5", "9007199254740992", "-9007199254740992"], [.integers, .reals], .real),
            (["0.5", "9007199254740993"], [.integers, .longIntegers, .reals], .text),
            (["1e400"], [.reals, .hugeNumbers], .text), (["true", "null", "false"], .booleans, .boolean),
            (["true", "1"], [.booleans, .integers], .text), ([#""1""#, "1"], [.texts, .integers], .text),
            (["[1]"], .texts, .text), (["{}", "null"], .texts, .text),
        ] as [([String], ListColumn.Contents, ListColumn.Kind)]
    )
    func kinds(values: [String], contents: ListColumn.Contents, kind: ListColumn.Kind) throws {
        let store = try TestJob().open()
        try store.plan(
            values.enumerated().map { index, value in
                var item = row(index + 1)
                item.varsJSON = #"{"a":"x","b":\#(value)}"#
                return item
            }
        )
        let columns = try store.reader.listColumns()
        #expect(columns == [ListColumn("a", .texts), ListColumn("b", contents)])
        #expect(columns.map(\.kind) == [.text, kind])
    }
}
