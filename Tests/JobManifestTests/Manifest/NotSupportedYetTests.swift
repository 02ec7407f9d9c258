import JobFixtures
import JobManifest
import Testing

@Suite struct NotSupportedYetTests {
    @Test(
        "what later releases do is refused, in these words",
        arguments: [
            (#""limits": {"maxFrames": 2}"#, "limits.maxFrames")
        ]
    )
    func refused(part: String, path: String) throws {
        let errors = try ManifestFolder().errors(#"{"sources": [{"urls": []}], \#(part)}"#)
        #expect(errors.count == 1, "\(errors)")
        #expect(errors.first?.contains("not supported yet") == true)
        #expect(errors.first?.contains(": \(path): ") == true, "\(errors)")
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
