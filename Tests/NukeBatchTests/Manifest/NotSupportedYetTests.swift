import NukeBatch
import Testing

@Suite struct NotSupportedYetTests {
    @Test(
        "what later releases do is refused, in these words",
        arguments: [
            (#""dataset": {"pack": "tar"}"#, "dataset"), (#""include": "x.json""#, "include"),
            (#""destination": "s3://bucket/prefix""#, "destination"),
            (#""limits": {"maxFrames": 2}"#, "limits.maxFrames"),
        ]
    )
    func refused(part: String, path: String) throws {
        let errors = try ManifestFolder().errors(#"{"sources": [{"urls": []}], \#(part)}"#)
        #expect(errors.count == 1, "\(errors)")
        #expect(errors.first?.contains("not supported yet") == true)
        #expect(errors.first?.contains(": \(path): ") == true, "\(errors)")
    }

    @Test(
        "sources of later releases are refused, once each, whatever else they say",
        arguments: [
            #"{"template": "https://a.example/{n}.jpg", "vars": {"n": "1..10", "m": ["a"]}}"#,
            #"{"sitemap": "https://a.example/sitemap.xml"}"#,
            #"{"sqlite": "a.db", "query": "select 1"}"#,
        ]
    )
    func sources(source: String) throws {
        let errors = try ManifestFolder().errors(#"{"sources": [\#(source)]}"#)
        #expect(errors.contains { $0.contains("not supported yet") })
        #expect(
            errors.allSatisfy { $0.contains("not supported yet") || $0.contains(".query: ") },
            "\(errors)"
        )
    }

    @Test("what is only spelt out, and is so anyway, is taken")
    func defaults() throws {
        let errors = try ManifestFolder().errors(
            #"""
            {"sources": [{"urls": []}], "outputs": [{"metadata": "strip"}],
             "cache": {"revalidate": "never", "compression": false, "staleIfError": false},
             "loading": {"method": "GET"}, "limits": {"maxFrames": 1}}
            """#
        )
        #expect(errors.isEmpty, "\(errors)")
    }
}
