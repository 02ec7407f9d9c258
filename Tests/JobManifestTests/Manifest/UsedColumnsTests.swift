@testable import JobManifest
import Testing

@Suite struct UsedColumnsTests {
    private func used(_ more: String, of source: String = #"{"list": "a.parquet"}"#) throws -> UsedColumns? {
        let manifest = try UnseenSources(names: ["title", "name", "seo"]).read(source, more: ", " + more)
        return manifest.usedColumns(of: manifest.sources[0])
    }

    @Test("columns of paths must be there, those with a meaning may be")
    func paths() throws {
        let found = try used(#""outputs": [{"format": "png", "path": "{title}/{id}.{ext}"}]"#)
        #expect(found == UsedColumns(required: ["url", "title"], optional: ["id", "priority"]))
    }

    @Test(
        "a column that the manifest names must be there; a variable of the source stands in for one of a path"
    )
    func named() throws {
        let source =
            #"{"list": "a.parquet", "columns": {"url": "link", "id": "sku"}, "vars": {"title": "x"}}"#
        let found = try used(#""outputs": [{"format": "png", "path": "{title}.{ext}"}]"#, of: source)
        #expect(found == UsedColumns(required: ["link", "sku"], optional: ["title", "priority"]))
    }

    @Test("{name} is a column, where there is one")
    func names() throws {
        let found = try used(#""outputs": [{"format": "png", "path": "{name}-{index}.{ext}"}]"#)
        #expect(found == UsedColumns(required: ["url"], optional: ["id", "priority", "name"]))
    }

    @Test("an index or a shard has all columns", arguments: [#"{"index": "i.csv"}"#, #"{"pack": "tar"}"#])
    func datasets(dataset: String) throws {
        #expect(try used(#""outputs": [{"format": "png"}], "dataset": \#(dataset)"#) == nil)
    }
}
