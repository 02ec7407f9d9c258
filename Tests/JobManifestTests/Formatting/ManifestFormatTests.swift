import Foundation
@testable import JobManifest
import TestSupport
import Testing

@Suite struct ManifestFormatTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func format(_ text: String, as name: String = "job.json") throws -> String {
        try folder.write(Data(text.utf8), to: name)
        let format = try ManifestFormat(path: folder.path(name))
        #expect(format.isChanged == (String(decoding: format.text, as: UTF8.self) != text))
        return String(decoding: format.text, as: UTF8.self)
    }

    /// The canonical text, which is to be that of itself as well.
    private func settled(_ text: String, as name: String = "job.json") throws -> String {
        let first = try format(text, as: name)
        #expect(try format(first, as: name) == first)
        return first
    }

    @Test(
        "keys come in the order of their declarations, at each depth; names of one's own stay where they are"
    )
    func order() throws {
        let text = """
            {"destination": "out", "outputs": [{"path": "{stem}.{ext}", "format": {"webp": {"quality": 80}}, "name": "a"}],
             "loading": {"hosts": {"z.example": {"rate": "1/s"}, "a.example": {"rate": "2/s"}}},
             "sources": [{"headers": {"Z": "1", "A": "2"}, "urls": ["https://a.example/1", {"id": "x", "url": "https://a.example/2"}]}]}
            """
        #expect(
            try settled(text) == """
                {
                  "sources": [
                    {
                      "urls": ["https://a.example/1", {"url": "https://a.example/2", "id": "x"}],
                      "headers": {"Z": "1", "A": "2"}
                    }
                  ],
                  "outputs": [{"name": "a", "format": {"webp": {"quality": 80}}, "path": "{stem}.{ext}"}],
                  "destination": "out",
                  "loading": {"hosts": {"z.example": {"rate": "1/s"}, "a.example": {"rate": "2/s"}}}
                }

                """
        )
    }

    @Test("comments of JSON move with what they are about, and none is lost")
    func comments() throws {
        let text = """
            // The shop.
            { // all of it
              /* heading */

              // where to
              "destination": "out", // a folder

              "sources": /* the photographs */ [
                // one
                {"files": "a/*"}, /* first */ {"files": "b/*"}, // second

                // the end
              ], // no more
              "outputs": [/* none */],
              // last
            }
            // behind
            """
        #expect(
            try settled(text) == """
                // The shop.
                {
                  // all of it
                  /* heading */

                  /* the photographs */
                  "sources": [
                    // one
                    {"files": "a/*"},
                    /* first */
                    {"files": "b/*"} // second

                    // the end
                  ], // no more
                  "outputs": [
                    /* none */
                  ],

                  // where to
                  "destination": "out" // a folder
                  // last
                }
                // behind

                """
        )
    }

    @Test("a comment of JSON between a value and its comma or bracket moves with that value")
    func commentsBehindValues() throws {
        let text = """
            {"outputs": [{"path": "a" /* the path */, /* the name */ "name": "b" /* still */}], "sources": [] /* none */}
            """
        #expect(
            try settled(text) == """
                {
                  "sources": [], /* none */
                  "outputs": [
                    {
                      /* the name */
                      "name": "b", /* still */
                      "path": "a" /* the path */
                    }
                  ]
                }

                """
        )
    }

    @Test("numbers, strings and escapes stay as they are written; line ends are those of the first line")
    func values() throws {
        let text =
            "\u{FEFF}{\r\n\"outputs\": [ ],\r\n\"name\":\"\\u00e9\\/é\", /* a\r\n * b */\r\n\"limits\":{\"maxPixels\":1.50E+2}}"
        #expect(
            try settled(text)
                == "{\r\n  \"name\": \"\\u00e9\\/é\", /* a\r\n   * b */\r\n  \"outputs\": [],\r\n"
                + "  \"limits\": {\"maxPixels\": 1.50E+2}\r\n}\r\n"
        )
    }

    @Test("what does not fit into 110 columns, or was written on several lines, stays on several")
    func lines() throws {
        let urls = (0..<6).map { "\"https://images.example.com/\($0).jpg\"" }
        let text = """
            {"sources": [{"urls": [\(urls.joined(separator: ","))]}], "outputs": [{
            "name": "a"}, {"name": "b",
            "format": "webp"}]}
            """
        #expect(
            try settled(text) == """
                {
                  "sources": [
                    {
                      "urls": [
                        \(urls.joined(separator: ",\n        "))
                      ]
                    }
                  ],
                  "outputs": [
                    {
                      "name": "a"
                    },
                    {"name": "b", "format": "webp"}
                  ]
                }

                """
        )
    }

    @Test("blocks of YAML change places with their comments; nothing else of them changes")
    func blocks() throws {
        let text = """
            # yaml-language-server: $schema=manifest.schema.json
            # The heading.

            # where to
            destination: out   # a folder
              # more of it
            outputs:
            # made of each
            - path: "{stem}.{ext}"
              # the name
              name: 'small'

              format: {webp: {quality: 80}}
            - processors: [{resize: {width: 5}}]
              name: >-
                a
                b
            sources:
              - urls:
                  - https://a.example/1 # one
              # the end
            name: "x"
            """
        #expect(
            try settled(text, as: "job.yaml") == """
                # yaml-language-server: $schema=manifest.schema.json
                # The heading.

                name: "x"
                sources:
                  - urls:
                      - https://a.example/1 # one
                  # the end
                outputs:
                # made of each
                - # the name
                  name: 'small'

                  format: {webp: {quality: 80}}
                  path: "{stem}.{ext}"
                - name: >-
                    a
                    b
                  processors: [{resize: {width: 5}}]
                # where to
                destination: out   # a folder
                  # more of it
                """
        )
    }

    @Test(
        "a byte order mark before YAML stays before it, whatever its first line is",
        arguments: ["", "# c\n"]
    )
    func markBeforeYAML(comment: String) throws {
        #expect(
            try settled("\u{FEFF}\(comment)outputs: []\nsources: [{files: a}]\n", as: "job.yaml")
                == "\u{FEFF}sources: [{files: a}]\n\(comment)outputs: []\n"
        )
    }

    @Test("a block of YAML that cannot move without a change of its text stays, and the file with it")
    func keptText() throws {
        let text = "destination: |+\n  out\n\n\nsources: [{files: a}]\nname: |\n  x"
        let error = try #require(throws: ManifestErrors.self) { try format(text, as: "job.yaml") }
        #expect(error.description.hasSuffix("order its keys by hand"))
    }

    @Test("a manifest that others include need not be complete, and values are not looked at")
    func parts() throws {
        #expect(try format(#"{"retry": {"attempts": "many"}, "name": 5}"#).contains(#""name": 5"#))
    }

    @Test(
        "what is no manifest is an error with its place",
        arguments: [
            (#"{"sources": [}"#, ":1:14: a value should be here"),
            (#"{"name": "a", "name": "b"}"#, ":1:15: name: duplicate key"),
            (#"{"outputs": [{"nam": "b"}]}"#, #":1:15: outputs[0].nam: unknown key; did you mean "name"?"#),
            (#"{"scripts": {}}"#, ":1:2: scripts: unknown key"), ("[]", ":1:1: should be an object"),
            ("", ":1:1: "),
        ]
    )
    func errors(text: String, message: String) throws {
        let error = try #require(throws: ManifestErrors.self) { try format(text) }
        #expect(error.description.contains(message), "\(error)")
    }

    @Test("a file that cannot be read is an error")
    func missing() throws {
        let error = try #require(throws: ManifestErrors.self) {
            try ManifestFormat(path: folder.path("none.json"))
        }
        #expect(error.errors.count == 1)
    }
}
