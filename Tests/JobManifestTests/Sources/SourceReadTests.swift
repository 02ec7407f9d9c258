@testable import JobManifest
import Testing

@Suite struct SourceReadTests {
    private func source(_ text: String, environment: [String: String] = [:]) throws -> Source {
        try #require(try UnseenSources().read(text, environment: environment).sources.first)
    }

    @Test(
        "a source is of one kind, and has no key of another",
        arguments: [
            (
                "{}",
                ##": should have exactly one of "files", "list", "objects", "sitemap", "sqlite", "template", "urls", not none"##
            ),
            (##"{"urls": [], "files": "*.jpg"}"##, ##", not files and urls"##),
            (##"{"urls": [], "as": "txt"}"##, ##".as: is only for "list": remove it"##),
            (##"{"files": "*", "columns": {}}"##, ##".columns: is only for "list" and "sqlite": remove it"##),
            (##"{"list": "a.csv", "query": "x"}"##, ##".query: is only for "sqlite": remove it"##),
            (##"{"sqlite": "a.db", "query": "x", "as": "csv"}"##, ##".as: is only for "list": remove it"##),
            (##"{"list": "a.txt", "columns": {}}"##, ".columns: is only for tables"),
            (##"{"sqlite": "a.db"}"##, ##": "query" is missing: add it"##),
            (##"{"list": "a.gz"}"##, ".list: the list's format is unknown"),
            (##"{"list": "-"}"##, ".list: the list's format is unknown"),
            (
                ##"{"list": "-", "as": "xml"}"##,
                ##".as: "xml" is none of "csv", "jsonl", "parquet", "tsv", "txt""##
            ),
            (##"{"sitemap": "ftp://a.example/s"}"##, ##".sitemap: the scheme "ftp" is none of"##),
            (##"{"sitemap": "https:"}"##, ".sitemap: the URL has no host"),
            (##"{"template": "a/{n}"}"##, ##".template: needs "vars""##),
            (##"{"objects": "photos/*.jpg"}"##, ##".objects: should name a bucket and a pattern of keys"##),
            (
                ##"{"objects": "s3://pho*os/*.jpg"}"##,
                ##".objects: should name a bucket and a pattern of keys"##
            ),
            (##"{"objects": "s3://photos/*/"}"##, ##".objects: names no object"##),
            (##"{"objects": []}"##, ##".objects: is empty"##),
            (##"{"objects": "s3://photos/", "as": "txt"}"##, ##".as: is only for "list": remove it"##),
            (##"{"list": "s3://lists/a.parquet.gz"}"##, ".list: Parquet is compressed inside"),
            (##"{"list": "s3://lists/*/"}"##, ".list: the list's format is unknown"),
            (##"{"list": "s3://lists/{a.parquet"}"##, ".list: "),
            (##"{"files": "/none/*.jpg"}"##, ": /none: is not there"),
            (
                ##"{"files": "s3://photos/*.jpg"}"##,
                ##".files: is a URL, not a path: for objects of a bucket, use "objects""##
            ),
            (##"{"files": ["https://a.example/x.jpg"]}"##, ##".files[0]: is a URL, not a path: use "urls""##),
            (
                ##"{"sitemap": "s3://photos/sitemap.xml"}"##,
                ".sitemap: cannot be in a bucket yet: use its https URL"
            ),
            (
                ##"{"list": "a.csv", "base": "gs://photos"}"##,
                ##".base: has the scheme "gs", which is not supported"##
            ),
            (
                ##"{"list": "a.csv", "base": "https://photos.s3.amazonaws.com/x"}"##,
                ".base: is a URL of the web: write s3://photos/x"
            ),
            (
                ##"{"urls": [], "processors": [{"watermark": {"image": "s3://photos/logo.png"}}]}"##,
                ".watermark.image: cannot be in a bucket yet: use its https URL"
            ),
        ]
    )
    func wrong(source: String, error: String) throws {
        let errors = try UnseenSources().errors(source)
        #expect(errors.count == 1 && errors[0].hasPrefix("sources[0]"), "\(errors)")
        #expect(errors[0].contains(error), "\(errors)")
    }

    @Test(
        "a Parquet list in a bucket is an object, or those that a glob matches",
        arguments: [
            ("s3://lists/a/urls.parquet", nil), ("s3://lists/a/train-*-of-3.parquet", "a/train-"),
            ("s3://lists/{b,a}/*.parquet", ""),
        ] as [(String, String?)]
    )
    func objects(name: String, prefix: String?) throws {
        let source = try source(#"{"list": "\#(name)"}"#)
        guard case .list(let list) = source.kind else {
            Issue.record("\(source.kind) is no list")
            return
        }
        #expect(list.path == nil && list.glob == nil && list.location != nil)
        #expect(list.objects?.targets.map(\.prefix) == prefix.map { [$0] })
    }

    @Test(
        "a list's name tells its format, unless the manifest does",
        arguments: [
            ("a.txt", "", .txt, false), ("b/a.CSV", "", .csv, false), ("a.tsv.gz", "", .tsv, true),
            ("a.jsonl.GZ", "", .jsonl, true), ("a.csv", "jsonl", .jsonl, false), ("a.gz", "csv", .csv, true),
            ("a", "txt", .txt, false), ("a.csv.txt", "", .txt, false),
        ] as [(String, String, ItemList.Format, Bool)]
    )
    func lists(name: String, format: String, expected: ItemList.Format, isCompressed: Bool) throws {
        let more = format.isEmpty ? "" : #", "as": "\#(format)""#
        let source = try source(#"{"list": "\#(name)"\#(more)}"#)
        guard case .list(let list) = source.kind else {
            Issue.record("\(source.kind)")
            return
        }
        #expect(list.format == expected && list.isCompressed == isCompressed && list.name == name)
        #expect(list.path == source.folder + "/" + name)
        #expect(list.columns == ItemList.Columns())
    }

    @Test("standard input has no path, and is read by one source only")
    func standardInput() throws {
        let input = #"{"list": "-", "as": "txt"}"#
        guard case .list(let list) = try source(input).kind else {
            Issue.record("no list")
            return
        }
        #expect(list.path == nil && list.name == "-")
        let errors = try UnseenSources().errors(#"\#(input), {"urls": []}, \#(input), \#(input)"#)
        let message = "standard input can be read by one source only"
        #expect(errors == ["sources[2]: \(message)", "sources[3]: \(message)"])
    }

    @Test("columns that the manifest names are required, others are not")
    func columns() throws {
        let source = try source(#"{"list": "a.csv", "columns": {"url": "link", "priority": "p"}}"#)
        guard case .list(let list) = source.kind else {
            Issue.record("\(source.kind)")
            return
        }
        #expect(list.columns.url == "link" && list.columns.id == "id" && list.columns.priority == "p")
        #expect(list.columns.required == ["link", "p"])
        #expect(ItemList.Columns().required.isEmpty && ItemList.Columns().url == "url")
    }

    @Test("a query has its file below the manifest's folder")
    func query() throws {
        let source = try source(
            #"{"sqlite": "${DIR}/a.db", "query": "select 1", "columns": {"id": "sku"}}"#,
            environment: ["DIR": "data"]
        )
        guard case .sqlite(let query) = source.kind else {
            Issue.record("\(source.kind)")
            return
        }
        #expect(query.name == "data/a.db" && query.path == source.folder + "/data/a.db")
        #expect(query.query == "select 1" && query.columns.id == "sku" && query.columns.required == ["sku"])
    }

    @Test("a sitemap keeps what is written, and is named without its query")
    func sitemap() throws {
        let source = try source(
            #"{"sitemap": "https://${HOST}/s.xml?k=${KEY}"}"#,
            environment: ["HOST": "a.example", "KEY": "secret"]
        )
        guard case .sitemap(let sitemap) = source.kind else {
            Issue.record("\(source.kind)")
            return
        }
        #expect(sitemap.written == "https://${HOST}/s.xml?k=${KEY}")
        #expect(sitemap.url == "https://a.example/s.xml?k=secret")
        #expect(sitemap.label == "https://${HOST}/s.xml")
        #expect(Sitemap.label(of: "a.xml") == "a.xml")
    }

    @Test("an entry has what it says, and no id where that is empty")
    func entries() throws {
        let source = try source(
            #"""
            {"urls": ["a", {"url": "b", "id": "", "vars": {"n": 1}},
                      {"url": "c", "id": 42, "priority": "veryLow", "headers": {"A": "b"}}]}
            """#
        )
        guard case .urls(let entries) = source.kind else {
            Issue.record("\(source.kind)")
            return
        }
        #expect(
            entries == [
                ItemEntry(url: "a"), ItemEntry(url: "b", variables: ["n": "1"]),
                ItemEntry(url: "c", id: "42", priority: .veryLow, headers: ["A": "b"]),
            ]
        )
        #expect(source.priority == .normal && source.headers.isEmpty && source.variables.isEmpty)
    }

    @Test(
        "the path variables of all items are those of the source, and those that every row has",
        arguments: [
            (#"{"urls": [], "vars": {"s": 1}}"#, nil, ["s"]),
            (
                #"{"urls": [{"url": "a", "vars": {"a": 1, "b": 1}}, {"url": "b", "vars": {"b": 2, "c": 2}}], "vars": {"s": 1}}"#,
                nil, ["b", "s"]
            ),
            (#"{"urls": [{"url": "a", "vars": {"a": 1}}, "b"]}"#, nil, []),
            (#"{"list": "a.txt", "vars": {"s": 1}}"#, nil, ["s"]),
            (#"{"list": "a.csv", "vars": {"s": 1}}"#, nil, nil),
            (#"{"list": "a.csv", "vars": {"s": 1}}"#, ["x", "y"], ["s", "x", "y"]),
            (#"{"list": "a.jsonl"}"#, nil, nil),
            (#"{"sqlite": "a.db", "query": "x", "vars": {"s": 1}}"#, ["x"], ["s", "x"]),
            (#"{"template": "a/{n}/{m}", "vars": {"n": "1..2", "m": ["x"]}}"#, nil, ["m", "n"]),
            (#"{"files": "*.jpg", "vars": {"s": 1}}"#, nil, ["s"]),
            (#"{"sitemap": "https://a.example/s.xml", "vars": {"s": 1}}"#, nil, ["s"]),
        ] as [(String, [String]?, [String]?)]
    )
    func known(source: String, columns: [String]?, expected: [String]?) throws {
        let known = try self.source(source).knownVariables(columns: columns)
        #expect(known?.sorted() == expected)
    }

    @Test(
        "a path may name only what the items of every source have",
        arguments: [
            ("{colour}", ""), ("{index}-{id}-{host}-{dir}-{stem}-{name}.{ext}", ""),
            ("{color}", #"; did you mean "colour"?"#), ("{size}", "; known are colour, dir, ext, hash, "),
            ("{only}", "; known are colour, dir, "),
        ]
    )
    func paths(path: String, error: String) throws {
        let sources = #"{"list": "a.csv", "vars": {"only": 1}}, {"list": "b.csv"}, {"list": "c.jsonl"}"#
        let errors = try UnseenSources(names: ["colour"]).errors(
            sources,
            more: #", "outputs": [{"path": "\#(path)"}]"#
        )
        guard !error.isEmpty else {
            #expect(errors.isEmpty)
            return
        }
        #expect(errors.allSatisfy { $0.hasPrefix("outputs[0].path: unknown variable \(path) for ") })
        #expect(errors.contains { $0.contains("the items of sources[1]\(error)") }, "\(errors)")
        #expect(errors.contains { $0.contains("sources[0]") } == (path != "{only}"))
    }
}
