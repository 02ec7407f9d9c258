import JobFixtures
import Foundation
import JobManifest
import TestSupport
import Testing

/// `Jobs/manifest.schema.json` says what the reader of manifests does; python3-jsonschema is the judge.
@Suite(.timeLimit(.minutes(10))) struct ManifestSchemaTests {
    private static let path = Repository.root.appendingPathComponent("Jobs/manifest.schema.json").path

    /// Returns true for each text that is valid by the schema.
    private func judged(_ manifests: [String], by schema: String = path) async throws -> [Bool] {
        let script = """
            import json, sys
            from jsonschema import Draft202012Validator
            schema = json.load(open(sys.argv[1]))
            Draft202012Validator.check_schema(schema)
            validator = Draft202012Validator(schema)
            for manifest in json.load(sys.stdin):
                print(validator.is_valid(json.loads(manifest)))
            """
        let input = String(decoding: try JSONEncoder().encode(manifests), as: UTF8.self)
        let outcome = try await Program(
            path: "/usr/bin/python3",
            ["-c", script, schema],
            in: "/",
            input: input
        ).wait()
        #expect(outcome.exit == 0, "\(outcome.errors)")
        return outcome.lines.map { $0 == "True" }
    }

    @Test("the file is what the program prints: NUKE_BATCH_RECORD=1 writes it anew")
    func published() throws {
        if ProcessInfo.processInfo.environment["NUKE_BATCH_RECORD"] == "1" {
            try ManifestSchema.text.write(toFile: Self.path, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOfFile: Self.path, encoding: .utf8) == ManifestSchema.text)
    }

    @Test("the samples are right by the schema, and name it")
    func samples() async throws {
        let jobs = Repository.root.appendingPathComponent("Jobs")
        let names = try FileManager.default.contentsOfDirectory(atPath: jobs.path).filter {
            $0.hasSuffix(".json") && !$0.hasSuffix(".schema.json")
        }
        let texts = try names.map { try String(contentsOf: jobs.appendingPathComponent($0), encoding: .utf8) }
        #expect(texts.count >= 4)
        #expect(texts.allSatisfy { $0.contains("\"$schema\": \"manifest.schema.json\"") })
        #expect(try await judged(texts).allSatisfy { $0 })
    }

    /// Parts of a manifest, with whether they are right.
    private static let parts: [(String, Bool)] = [
        (##""version": 1"##, true), (##""version": 2"##, false), (##""version": "1""##, false),
        (##""nme": "x""##, false),
        (##""facts": ["size", "blurHash"]"##, true), (##""facts": ["size", "size"]"##, false),
        (##""facts": ["sizes"]"##, false),
        (##""destination": """##, false), (##""destination": 1"##, false), (##""dataset": {}"##, false),
        (##""state": """##, false), (##""state": 1"##, false), (##""state": "a.sqlite""##, true),
        (##""outputs": [], "dataset": {}"##, false), (##""outputs": [{}], "dataset": {}"##, true),
        (
            ##""outputs": [{}], "dataset": {"pack": "tar", "itemsPerFile": 5, "index": "a/b.jsonl", "honourOptOut": false}"##,
            true
        ),
        (##""outputs": [{}], "dataset": {"pack": "zip"}"##, false),
        (##""outputs": [{}], "dataset": {"pack": "tar", "itemsPerFile": 0}"##, false),
        (##""outputs": [{}], "dataset": {"itemsPerFile": 5}"##, false),
        (##""outputs": [{}], "dataset": {"caption": "a"}"##, false),
        (##""outputs": [{}], "dataset": {"pack": "tar", "caption": []}"##, false),
        (##""outputs": [{}], "dataset": {"pack": "tar", "caption": ["a", ""]}"##, false),
        (##""outputs": [{}], "dataset": {"index": "../index.csv"}"##, false),
        (##""outputs": [{}], "dataset": {"index": "/index.csv"}"##, false),
        (##""outputs": [{}], "dataset": {"index": "a//index.csv"}"##, false),
        (##""outputs": [{}], "dataset": {"index": "a/.csv"}"##, false),
        (##""outputs": [{}], "dataset": {"index": "index.txt"}"##, false),
        (##""outputs": [{}], "dataset": {"index": "a.b/.c/index.csv"}"##, true),
        (
            ##""cache": {"sizeLimit": "10GB", "policy": "none", "revalidate": "never", "staleIfError": true}"##,
            true
        ),
        (##""cache": {"sizeLimit": "10 GB"}"##, false), (##""cache": {"sizeLimit": 0}"##, false),
        (##""cache": {"policy": "all"}"##, false),
        (
            ##""loading": {"rate": "80/s", "timeout": "250ms", "maxBytes": 5, "hosts": {"a.example:80": {"burst": 3}}}"##,
            true
        ),
        (##""loading": {"rate": "0/s"}"##, false), (##""loading": {"rate": 80}"##, false),
        (##""loading": {"timeout": "1"}"##, false),
        (##""loading": {"concurrency": 0}"##, false), (##""loading": {"concurrency": 1.5}"##, false),
        (##""loading": {"hosts": {"a/b": {}}}"##, false),
        (##""loading": {"hosts": {"a": {"hosts": {}}}}"##, false),
        (##""loading": {"headers": {"X-A": "b"}, "method": "GET"}"##, true),
        (##""loading": {"headers": {"X A": "b"}}"##, false),
        (##""loading": {"headers": {"X": "a\nb"}}"##, false),
        (##""loading": {"auth": {"bearer": "x"}}"##, true),
        (##""loading": {"auth": {"basic": {"user": "x", "password": ""}}}"##, true),
        (##""loading": {"auth": {"basic": {"user": "x"}}}"##, false), (##""loading": {"auth": {}}"##, false),
        (##""loading": {"auth": {"bearer": "x", "basic": {"user": "x", "password": "y"}}}"##, false),
        (##""retry": {"attempts": 3, "backoff": "1s..2m", "statuses": [500]}"##, true),
        (##""retry": {"backoff": "1s"}"##, false),
        (##""retry": {"statuses": [200]}"##, false),
        (##""limits": {"maxPixels": "50MP", "maxDuration": "2h"}"##, true),
        (##""limits": {"maxPixels": "50 MP"}"##, false), (##""limits": {"maxDimension": 70000}"##, false),
        (##""limits": {"maxDuration": "0s"}"##, false),
        (
            ##""network": {"schemes": ["https"], "allow": ["localhost", "10.0.0.0/8", "::1"], "fileRoots": ["x"]}"##,
            true
        ),
        (##""network": {"schemes": ["gopher"]}"##, false), (##""network": {"allow": ["a b"]}"##, false),
        (##""network": {"allow": "a"}"##, false),
        (
            ##""outputs": [{"name": "a", "format": "jpeg", "path": "{id}.{ext}", "metadata": "keep", "existing": "keep"}]"##,
            true
        ),
        (
            ##""outputs": [{"format": {"jpeg": {"quality": 82, "subsampling": "4:4:4"}}, "background": "#FFF"}]"##,
            true
        ),
        (
            ##""outputs": [{"format": {"png": {"compression": 9, "palette": true}}, "when": {"maxAspect": 4, "types": ["jpeg"]}}]"##,
            true
        ),
        (##""outputs": [{"widths": [400, 800], "formats": [{"webp": {"quality": 5}}, "jpeg"]}]"##, true),
        (##""outputs": [{"format": {"webp": {"maxBytes": "20kB", "lossless": false}}}]"##, true),
        (##""outputs": [{"format": {"webp": {"maxBytes": "20kB", "lossless": true}}}]"##, false),
        (##""outputs": [{"format": {"png": {"maxBytes": "20kB"}}}]"##, false),
        (##""outputs": [{"widths": []}]"##, false), (##""outputs": [{"widths": [400, 400]}]"##, false),
        (##""outputs": [{"widths": [0]}]"##, false), (##""outputs": [{"widths": 400}]"##, false),
        (##""outputs": [{"formats": []}]"##, false), (##""outputs": [{"formats": ["tiff"]}]"##, false),
        (##""outputs": [{"formats": ["jpeg", "jpeg"]}]"##, false),
        (##""outputs": [{"formats": ["jpeg"], "format": "png"}]"##, false),
        (
            ##""outputs": [{"widths": [5], "markup": {"file": "x.json", "sizes": "50vw", "baseURL": "/a"}}]"##,
            true
        ),
        (##""outputs": [{"markup": {}}]"##, false), (##""outputs": [{"markup": {"file": 5}}]"##, false),
        (##""outputs": [{"format": "jpg"}]"##, false),
        (##""outputs": [{"format": {"jpeg": {}, "png": {}}}]"##, false),
        (##""outputs": [{"format": {}}]"##, false),
        (##""outputs": [{"format": {"jpeg": {"quality": 0}}}]"##, false),
        (##""outputs": [{"format": {"webp": {"effort": 7}}}]"##, false),
        (##""outputs": [{"when": {"maxAspect": 0.5}}]"##, false),
        (##""outputs": [{"background": "#FFFFFF80"}]"##, false), (##""outputs": [{"name": ""}]"##, false),
        (##""outputs": [{"existing": "skip"}]"##, false), (##""outputs": {}"##, false),
        (##""processors": [{}]"##, false),
    ]

    /// Processors, with whether they are right.
    private static let processors: [(String, Bool)] = [
        (##"{"resize": {"width": 3}}"##, true), (##"{"resize": {}}"##, false),
        (##"{"resize": {"width": 0}}"##, false), (##"{"resize": {"width": "3"}}"##, false),
        (
            ##"{"resize": {"width": 3, "height": 4, "contentMode": "aspectFill", "crop": true, "filter": "box"}}"##,
            true
        ),
        (##"{"resize": {"width": 3, "crop": true}}"##, false),
        (##"{"resize": {"width": 3, "filter": "cubic"}}"##, false),
        (##"{"resize": {"width": 3}, "trim": {}}"##, false), (##"{"scale": {}}"##, false),
        (##"{"crop": {"width": 3, "height": 4, "gravity": "smart"}}"##, true),
        (##"{"crop": {"rect": [0, 0, 1, 1]}}"##, true),
        (##"{"crop": {"rect": [0, 0, 0, 1]}}"##, false), (##"{"crop": {"rect": [0, 0, 1]}}"##, false),
        (##"{"crop": {"rect": [0, 0, 1, 1], "width": 1}}"##, false),
        (##"{"crop": {"width": 3}}"##, false),
        (##"{"crop": {"width": 3, "height": 4, "gravity": {"x": 0.5, "y": 1}}}"##, true),
        (##"{"crop": {"width": 3, "height": 4, "gravity": {"x": 0.5}}}"##, false),
        (##"{"pad": {"width": 3, "gravity": "smart"}}"##, false),
        (##"{"pad": {"width": 3, "background": "#12345678"}}"##, true),
        (##"{"pad": {"background": "#123"}}"##, false), (##"{"circle": true}"##, true),
        (##"{"circle": {"border": {"color": "#000", "width": 2.5}}}"##, true),
        (##"{"circle": {"border": {"width": 2}}}"##, false), (##"{"circle": false}"##, false),
        (##"{"roundedCorners": {"radius": 5}}"##, true), (##"{"roundedCorners": true}"##, false),
        (##"{"gaussianBlur": {"radius": 8}}"##, true),
        (##"{"gaussianBlur": {"radius": 1001}}"##, false), (##"{"sharpen": true}"##, true),
        (##"{"sharpen": {"amount": 11}}"##, false),
        (##"{"rotate": {"degrees": -90}}"##, true), (##"{"rotate": {"degrees": 45}}"##, false),
        (##"{"rotate": {"flip": "horizontal"}}"##, true), (##"{"rotate": {}}"##, false),
        (##"{"grayscale": {}}"##, true), (##"{"grayscale": true}"##, true),
        (##"{"grayscale": {"x": 1}}"##, false), (##"{"flatten": {"background": "#FFF"}}"##, true),
        (##"{"flatten": {"background": "white"}}"##, false), (##"{"trim": {"tolerance": 10}}"##, true),
        (##"{"trim": {"tolerance": 256}}"##, false),
        (##"{"adjust": {"gamma": 2.2}}"##, true), (##"{"adjust": {}}"##, false),
        (##"{"adjust": {"brightness": 2}}"##, false),
        (##"{"watermark": {"image": "https://a.example/a.png", "scale": 0.5, "tile": true}}"##, true),
        (##"{"watermark": {}}"##, false),
        (##"{"watermark": {"image": "https://a.example/a.png", "gravity": "smart"}}"##, false),
    ]

    /// Sources, with whether they are right.
    private static let sources: [(String, Bool)] = [
        (
            ##"{"urls": ["https://a.example/1", {"url": "https://a.example/2", "id": 4, "priority": "high", "vars": {"a": 1}}]}"##,
            true
        ),
        (##"{"urls": [{"id": "x"}]}"##, false),
        (##"{"urls": [{"url": "https://a.example/2", "colour": "red"}]}"##, false),
        (##"{"urls": "x"}"##, false),
        (##"{"urls": [], "list": "-", "as": "txt"}"##, false), (##"{}"##, false),
        (##"{"list": "-", "as": "csv", "columns": {"url": "u"}}"##, true),
        (##"{"list": "-", "as": "xml"}"##, false),
        (##"{"list": "-", "as": "csv", "columns": {"link": "u"}}"##, false),
        (##"{"urls": [], "as": "txt"}"##, false),
        (##"{"urls": [], "columns": {}}"##, false), (##"{"urls": [], "query": "x"}"##, false),
        (##"{"sqlite": "a.db"}"##, false),
        (##"{"template": "https://a.example/{n}", "vars": {"n": "1..3"}}"##, true),
        (##"{"template": "https://a.example/{n}", "vars": {"n": ["a", 1]}}"##, true),
        (##"{"template": "https://a.example/{n}", "vars": {"n": []}}"##, false),
        (##"{"template": "https://a.example/{n}", "vars": {"n": "a"}}"##, false),
        (##"{"template": "https://a.example/{n}"}"##, false),
        (##"{"urls": [], "vars": {"n": ["a"]}}"##, false), (##"{"urls": [], "vars": {"id": "a"}}"##, false),
        (##"{"urls": [], "vars": {"a/b": "a"}}"##, false),
        (##"{"sitemap": "https://a.example/sitemap.xml", "priority": "low"}"##, true),
        (##"{"sitemap": 1}"##, false), (##"{"urls": [], "priority": "urgent"}"##, false),
        (##"{"urls": [], "processors": [{"resize": {}}]}"##, false),
    ]

    @Test("what only programs write, or earlier releases had, is read though the schema does not have it")
    func hidden() async throws {
        let hidden = [
            #""items": "rest.items.jsonl.gz""#, #""partitionItems": 5"#, #""limits": {"maxFrames": 1}"#,
        ]
        let texts = hidden.map { #"{"sources": [{"urls": []}], \#($0)}"# }
        #expect(try await judged(texts) == [false, false, false])
        let folder = try ManifestFolder()
        for text in texts { #expect(try folder.errors(text) == []) }
    }

    @Test("right and wrong manifests are judged alike by the schema and by the reader")
    func alike() async throws {
        var cases = Self.parts.map { (#"{"sources": [{"urls": []}], \#($0.0)}"#, $0.1) }
        cases += Self.processors.map { (#"{"sources": [{"urls": []}], "processors": [\#($0.0)]}"#, $0.1) }
        cases += Self.sources.map { (#"{"sources": [\#($0.0)]}"#, $0.1) }
        cases += [("{}", false), ("[]", false), (#"{"sources": []}"#, false), (#"{"sources": {}}"#, false)]
        let judged = try await judged(cases.map(\.0))
        try #require(judged.count == cases.count)
        let folder = try ManifestFolder()
        for ((text, isRight), isValid) in zip(cases, judged) {
            let errors = try folder.errors(text)
            #expect(errors.isEmpty == isRight, "the reader: \(text): \(errors)")
            #expect(isValid == isRight, "the schema: \(text)")
        }
        // The judge can say no: by a schema that nothing fits, nothing is right.
        let never = try folder.folder.write(#"{"not": {}}"#, to: "never.json")
        #expect(try await !self.judged(cases.map(\.0), by: never).contains(true))
    }
}
