import JobFixtures
import JobManifest
import Testing

@Suite struct VariablesTests {
    @Test("text of a list is escaped so that expansion gives it back")
    func escaped() throws {
        let manifest = try ManifestFolder().read(
            #"{"sources": [{"urls": []}], "loading": {"headers": {"A": "${NAME}"}}}"#,
            environment: ["NAME": "value", "OTHER": "unused"]
        )
        for text in ["plain", "$", "${", "${NAME}", "a$${b", "$${NAME}", "x${NAME}y${"] {
            #expect(manifest.variables.expanded(Variables.escaped(text)) == text)
        }
        #expect(manifest.loading.headers == ["A": "value"])
        #expect(manifest.variables.all == ["NAME": "value"])
        // Only variables that the manifest names are known.
        #expect(manifest.variables.expanded("${OTHER}") == "${OTHER}")
    }

    @Test(
        "what is no variable is an error",
        arguments: ["${", "${}", "${1A}", "${A B}", "${A-B}", "x${é}", "${MISSING}"]
    )
    func wrong(text: String) throws {
        let errors = try ManifestFolder().errors(
            #"{"sources": [{"urls": []}], "destination": "\#(text)"}"#
        )
        #expect(errors.count == 1 && errors[0].contains("destination: "), "\(errors)")
    }
}
