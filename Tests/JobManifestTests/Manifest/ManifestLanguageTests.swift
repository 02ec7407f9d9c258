import Foundation
import JobFixtures
@testable import JobManifest
import TestSupport
import Testing

@Suite struct ManifestLanguageTests {
    @Test(
        "a file's extension tells its language",
        arguments: [
            ("/a/b.json", .json), ("/a/b.yaml", .yaml), ("/a/b.YML", .yaml), ("/a/yaml", .json),
            ("/a.yaml/b", .json),
        ] as [(String, ManifestLanguage)]
    )
    func names(path: String, language: ManifestLanguage) {
        #expect(ManifestLanguage(path: path) == language)
    }

    @Test(
        "a text without a name is JSON if a brace is its first character behind blanks and comments",
        arguments: [
            ("{", .json), (" \r\n\t{", .json), ("\u{FEFF}{", .json), ("// x\n{", .json), ("/* { */ {", .json),
            ("/* x", .json), ("# x\n{", .json), ("", .yaml), ("a: {}", .yaml), ("---\n{", .yaml),
            ("[", .yaml),
            ("/ {", .yaml), ("/", .yaml), ("# {", .yaml), ("// {", .yaml),
        ] as [(String, ManifestLanguage)]
    )
    func texts(text: String, language: ManifestLanguage) {
        #expect(ManifestLanguage(text: Data(text.utf8)) == language)
    }

    @Test("a manifest in YAML is the one that JSON makes")
    func same() throws {
        let folder = try ManifestFolder()
        let json = try folder.read(
            """
            {"sources": [{"urls": ["https://a.example/1.jpg"], "vars": {"n": 1.50}}], "limits": {"memory": "2GiB"},
             "outputs": [{"name": "small", "processors": [{"resize": {"width": 320}}], "format": {"webp": {"lossless": true}}}]}
            """
        )
        let yaml = try folder.read(
            """
            sources:
              - urls: [https://a.example/1.jpg]
                vars: {n: 1.50}
            limits: {memory: 2GiB}
            outputs:
              - name: small
                processors:
                  - resize: {width: 320}
                format: {webp: {lossless: true}}
            """,
            as: "job.yaml"
        )
        #expect(yaml.name == json.name && yaml.limits == json.limits && yaml.statePath == nil)
        #expect(yaml.recipe(of: yaml.outputs[0], source: 0) == json.recipe(of: json.outputs[0], source: 0))
    }

    @Test("errors of a manifest in YAML have the same paths and words, all at once")
    func errors() throws {
        let text = """
            sources:
              - urls: [a.png]
                prio: low
            outputs:
              - format: {jpeg: {quality: 101, progressive: yes}}
                processors:
                  - flatten:
                      background: #FFF
                  - resize: {width: "5"}
            name: a
            name: b
            """
        let errors = try ManifestFolder().errors(text, as: "job.yaml")
        let beginnings = [
            "3:5: sources[0].prio: unknown key", "5:30: outputs[0].format.jpeg.quality: should be from",
            #"5:48: outputs[0].format.jpeg.progressive: should be true or false, not the text "yes": write true"#,
            "8:22: outputs[0].processors[0].flatten.background: is null, not a colour: write it in quotes",
            #"9:25: outputs[0].processors[1].resize.width: should be a number, not the text "5""#,
            "11:1: name: duplicate key, also in line 10, column 1",
        ]
        #expect(errors.count == beginnings.count, "\(errors)")
        for (error, beginning) in zip(errors, beginnings) { #expect(error.hasPrefix(beginning), "\(error)") }
    }

    @Test("manifests of both languages include each other, and errors name the file")
    func include() throws {
        let folder = try ManifestFolder()
        try folder.folder.write("retry: {attempts: 9} # x\ninclude: more.json\n", to: "sub/common.yml")
        try folder.folder.write("{\"limits\": {\"processing\": 3,}, /* x */}", to: "sub/more.json")
        let manifest = try folder.read(#"{"include": "sub/common.yml", "sources": [{"urls": []}]}"#)
        #expect(manifest.retry.attempts == 9 && manifest.limits.processing == 3)
        let again = try folder.read("include: sub/common.yml\nsources: [{urls: []}]\n", as: "job.yaml")
        #expect(again.retry == manifest.retry && again.limits == manifest.limits)
        try folder.folder.write("retry:\n  attempts: *x\n", to: "sub/common.yml")
        let errors = try folder.errors(#"{"include": "sub/common.yml", "sources": [{"urls": []}]}"#)
        let path = folder.folder.path("sub/common.yml")
        #expect(
            errors.count == 1 && errors[0].hasPrefix("\(path):2:13: aliases are not supported"),
            "\(errors)"
        )
    }

    @Test("a path without its extension leads to the file in YAML", arguments: ["yaml", "yml"])
    func missing(name: String) throws {
        let folder = try ManifestFolder()
        _ = try folder.read("sources: [{urls: []}]", as: "job.\(name)")
        let path = folder.folder.path("job")
        let error = #expect(throws: ManifestErrors.self) {
            try Manifest.read(path: path, environment: [:], inspector: try UnseenSources())
        }
        #expect(error?.description.hasSuffix("did you mean \(path).\(name)?") == true)
    }
}
