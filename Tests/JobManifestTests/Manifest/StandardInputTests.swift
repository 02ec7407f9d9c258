import Foundation
@testable import JobManifest
import Testing

/// A manifest from standard input, whose text is given here.
@Suite struct StandardInputTests {
    private func read(_ text: String) throws -> Manifest {
        try Manifest.read(
            path: "-",
            text: Data(text.utf8),
            environment: ["DIRECTORY": "x"],
            inspector: try UnseenSources()
        )
    }

    @Test(
        "it is JSON or YAML, and its paths start from the working directory",
        arguments: [
            #"{"sources": [{"urls": []}], "state": "${DIRECTORY}/a.sqlite"} // x"#,
            "sources: [{urls: []}]\nstate: ${DIRECTORY}/a.sqlite\n",
        ]
    )
    func paths(text: String) throws {
        let manifest = try read(text)
        let folder = FileManager.default.currentDirectoryPath
        #expect(manifest.folder == folder && manifest.statePath == folder + "/x/a.sqlite")
        #expect(manifest.destination.description == folder + "/out" && manifest.name == "stdin")
        #expect(manifest.path == "-" && manifest.shownPath == "<stdin>" && manifest.text == Data(text.utf8))
    }

    @Test(
        "errors name it",
        arguments: [
            (#"{"sources": []}"#, "<stdin>:1:13: sources: is empty"),
            ("", "<stdin>:1:1: the document is empty"),
            ("sources: *a", "<stdin>:1:10: aliases"), ("{\n  /* x", "<stdin>:2:3: the comment does not end"),
            (
                #"{"sources": [{"list": "-", "as": "txt"}]}"#,
                "<stdin>:1:14: sources[0]: the manifest itself is standard input: write the list to a file"
            ),
        ]
    )
    func errors(text: String, beginning: String) {
        let error = #expect(throws: ManifestErrors.self) { try read(text) }
        #expect(
            error?.errors.count == 1 && error?.description.hasPrefix(beginning) == true,
            "\(error as Any)"
        )
    }
}
