import JobPlanning
import JobFixtures
import Foundation
import JobManifest
import TestSupport
import Testing

@Suite struct ManifestErrorTests {
    /// A manifest and what its errors begin with, in order.
    struct Wrong: Sendable, CustomTestStringConvertible {
        let text: String
        let errors: [String]
        var testDescription: String { text }

        init(_ text: String, _ errors: String...) {
            self.text = text
            self.errors = errors
        }
    }

    static let manifests = [
        Wrong("", "1:1: the text ends too early"),
        Wrong("[]", "1:1: should be an object, not an array"),
        Wrong("{}", "1:1: \"sources\" is missing"),
        Wrong(#"{"sources": []}"#, "1:13: sources: is empty"),
        Wrong(
            "{\n  \"sources\": [{\"urls\": []}],\n  \"outputz\": []\n}",
            "3:3: outputz: unknown key; did you mean \"outputs\"?"
        ),
        Wrong(
            #"{"sources": [{"urls": []}], "name": "a", "name": "b"}"#,
            "1:42: name: duplicate key, also in line 1, column 29"
        ),
        Wrong(
            #"{"sources": [{"urls": []}], "name": 5, "version": 2}"#,
            "1:37: name: should be a string, not a number",
            "1:51: version: version 2"
        ),
        Wrong(
            #"{"sources": [{"urls": [], "list": "a.txt"}]}"#,
            "1:14: sources[0]: should have exactly one of"
        ),
        Wrong(
            #"{"sources": [{"list": "gone.txt"}, {"list": "a.dat"}]}"#,
            "1:14: sources[0]: gone.txt: there is no such file",
            "1:45: sources[1].list: the list's format is unknown"
        ),
        Wrong(
            #"{"sources": [{"list": "a.csv", "columns": {"id": "skew"}}]}"#,
            "1:14: sources[0]: a.csv:1: has no column \"skew\", only \"sku\", \"url\""
        ),
        Wrong(#"{"sources": [{"files": "gone/*.jpg"}]}"#, "1:14: sources[0]: "),
        Wrong(
            #"{"sources": [{"files": "[a.jpg"}, {"files": "{a.jpg"}]}"#,
            "1:24: sources[0].files: has a [ without its ]",
            "1:45: sources[1].files: has a { without its }"
        ),
        Wrong(
            #"{"sources": [{"urls": ["a", 7, {"id": "x"}, {"url": "b", "prio": "low", "priority": "hihg"}]}]}"#,
            "1:29: sources[0].urls[1]: should be an object, not a number",
            "1:32: sources[0].urls[2]: \"url\" is missing",
            "1:58: sources[0].urls[3].prio: unknown key; known are",
            "1:85: sources[0].urls[3].priority: \"hihg\" is none of \"high\", \"low\", \"normal\", \"veryHigh\", \"veryLow\"; did you mean \"high\"?"
        ),
        Wrong(
            #"{"sources": [{"urls": []}], "processors": [{"resize": {}}, {"resize": {"width": 0, "heigth": 5}}, {"rotate": {"degrees": 45}}, {}]}"#,
            "1:55: processors[0].resize: \"width\" or \"height\" is missing",
            "1:81: processors[1].resize.width: should be from 1 to 65500, not 0",
            "1:84: processors[1].resize.heigth: unknown key; did you mean \"height\"?",
            "1:122: processors[2].rotate.degrees: should be a multiple of 90",
            "1:128: processors[3]: should have one key"
        ),
        Wrong(
            #"{"sources": [{"urls": []}], "limits": {"maxDimension": 100}, "processors": [{"resize": {"width": 101}}]}"#,
            "1:98: processors[0].resize.width: should be from 1 to 100, not 101"
        ),
        Wrong(
            #"{"sources": [{"urls": []}], "processors": [{"crop": {"width": 5}}, {"crop": {"rect": [0, 0, 5]}}, {"crop": {"width": 1, "height": 1, "gravity": "nord"}}]}"#,
            "1:53: processors[0].crop: needs \"width\" and \"height\"",
            "1:86: processors[1].crop.rect: should be [x, y, width, height], not 3",
            "1:145: processors[2].crop.gravity: \"nord\" is none of"
        ),
        Wrong(
            #"{"sources": [{"urls": []}], "outputs": [{"format": "jpg"}, {"format": {"jpeg": {"quality": 101, "subsampling": "4:1:1"}}}]}"#,
            "1:52: outputs[0].format: \"jpg\" is none of",
            "1:60: outputs[1]: outputs[0] has the name \"output\" too",
            "1:92: outputs[1].format.jpeg.quality: should be from 1 to 100, not 101",
            "1:112: outputs[1].format.jpeg.subsampling: \"4:1:1\" is none of"
        ),
        Wrong(
            #"{"sources": [{"urls": []}], "outputs": [{"name": "a", "path": "../{stem}"}, {"name": "b", "path": "/tmp/x"}, {"name": "c", "path": "{colour}/x"}, {"name": "d", "path": "{hosts}/x"}, {"name": "e", "path": "{stem"}]}"#,
            "1:63: outputs[0].path: has a component ..",
            "1:99: outputs[1].path: is absolute",
            "1:132: outputs[2].path: unknown variable {colour} for the items of sources[0]; known are",
            "1:169: outputs[3].path: unknown variable {hosts} for the items of sources[0]; did you mean \"host\"?",
            "1:205: outputs[4].path: has an unmatched brace"
        ),
        Wrong(
            ##"{"sources": [{"urls": []}], "outputs": [{"format": "original", "processors": [{"grayscale": {}}], "background": "#12345", "existing": "overwrite", "when": {"types": ["jpg"]}}]}"##,
            "1:78: outputs[0].processors: \"original\" copies the bytes",
            "1:113: outputs[0].background: \"#12345\" is not a colour",
            "1:135: outputs[0].existing: \"overwrite\" is none of",
            "1:167: outputs[0].when.types[0]: \"jpg\" is none of"
        ),
        Wrong(
            #"{"sources": [{"urls": []}], "loading": {"rate": "80", "timeout": 30, "connectTimeout": "10 s", "maxBytes": "1XB", "headers": {"A": "b\r\nC: d", "é": "x"}}}"#,
            "1:49: loading.rate: \"80\" is not a rate",
            "1:66: loading.timeout: should be a string, not a number",
            "1:88: loading.connectTimeout: \"10 s\" is not a duration",
            "1:108: loading.maxBytes: \"1XB\" is not a size",
            "1:132: loading.headers.A: the value holds a line break",
            "1:150: loading.headers[\"é\"]: \"é\" is not a header name"
        ),
        Wrong(
            #"{"sources": [{"urls": []}], "retry": {"attempts": 0, "backoff": "60s..1s", "statuses": [200]}, "limits": {"maxPixels": -1, "memory": 1.5}}"#,
            "1:51: retry.attempts: should be from 1 to 100, not 0",
            "1:65: retry.backoff: \"60s..1s\" is not a duration range",
            "1:89: retry.statuses[0]: should be from 400 to 599, not 200",
            "1:120: limits.maxPixels: -1 is not a pixel count",
            "1:134: limits.memory: 1.5 is not a size"
        ),
        Wrong(
            #"{"sources": [{"urls": []}], "network": {"schemes": ["gopher"], "allow": ["10.0.0.0/33", "a b", "::1/128", "localhost"]}, "cache": {"policy": "all"}}"#,
            "1:53: network.schemes[0]: \"gopher\" is none of",
            "1:74: network.allow[0]: \"10.0.0.0/33\" is not a host, address or range",
            "1:89: network.allow[1]: \"a b\" is not a host",
            "1:142: cache.policy: \"all\" is none of"
        ),
        Wrong(
            #"{"sources": [{"urls": ["${SET}/a.jpg", "${UNSET}/b.jpg"]}], "destination": "${}", "loading": {"auth": {"bearer": "${TOKEN}"}}}"#,
            "1:40: sources[0].urls[1]: the environment variable UNSET is not set",
            "1:76: destination: after ${ the name",
            "1:114: loading.auth.bearer: the environment variable TOKEN is not set"
        ),
        Wrong(
            #"{"sources": [{"urls": []}], "outputs": [{"name": "a", "path": "x.jpg"}, {"name": "b", "path": "x.jpg"}]}"#,
            "1:95: outputs[1].path: writes the same files as outputs[0]"
        ),
    ]

    @Test("every error comes at once, with its place and its way", arguments: manifests)
    func everyError(of wrong: Wrong) throws {
        let folder = try ManifestFolder()
        try folder.folder.write("sku,url\n", to: "a.csv")
        let errors = try folder.errors(wrong.text, environment: ["SET": "https://example.com"])
        #expect(errors.count == wrong.errors.count, "\(errors.joined(separator: "\n"))")
        for (error, expected) in zip(errors, wrong.errors) {
            #expect(error.hasPrefix(expected), "\(error)")
        }
    }

    @Test("an error names the file as it was given")
    func fileName() throws {
        let folder = try ManifestFolder()
        let path = try folder.folder.write("{\n  \"sources\": 5\n}", to: "sub/job.json")
        let error = #expect(throws: ManifestErrors.self) { try Manifest.read(path: path, environment: [:]) }
        let remedy = #"write it in brackets, "sources": [ … ]"#
        #expect(error?.description == "\(path):2:14: sources: should be an array, not a number: \(remedy)")
    }

    @Test("a manifest that is not there, or is a folder, is one error without a line")
    func unreadable() throws {
        let folder = try ManifestFolder()
        for name in ["gone.json", ""] {
            let error = #expect(throws: ManifestErrors.self) {
                try Manifest.read(path: folder.folder.path(name), environment: [:])
            }
            #expect(error?.errors.count == 1)
            #expect(error?.errors.first?.line == nil)
        }
    }

    @Test("a manifest that cannot be reached is not told to be missing")
    func unreachable() throws {
        let folder = try ManifestFolder()
        let path = folder.folder.path("circle.json")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "circle.json")
        let error = #expect(throws: ManifestErrors.self) { try Manifest.read(path: path, environment: [:]) }
        #expect(error?.description.contains("opening failed: Too many levels") == true)
    }

    @Test("a manifest of more than 64 MB is refused before it is parsed")
    func tooLarge() throws {
        let folder = try ManifestFolder()
        let path = folder.folder.path("large.json")
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.truncate(atOffset: 64_000_001)
        let error = #expect(throws: ManifestErrors.self) { try Manifest.read(path: path, environment: [:]) }
        #expect(error?.description.contains("larger than 64000000 bytes") == true)
    }

    @Test("no manifest with a few bytes changed crashes, and each is right or has an error with its place")
    func noise() throws {
        let folder = try ManifestFolder()
        let texts = Self.manifests.map { Array($0.text.utf8) }.filter { !$0.isEmpty }
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            var text = try #require(texts.randomElement(using: &random))
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: text.indices, using: &random)
                text[index] = try #require(text.randomElement(using: &random))
            }
            let path = try folder.folder.write(Data(text), to: "job.json")
            do {
                _ = try Manifest.read(path: path, environment: [:])
            } catch {
                let isPlaced = error.errors.allSatisfy { $0.line ?? 0 > 0 && $0.column ?? 0 > 0 }
                #expect(isPlaced && !error.errors.isEmpty, "seed \(seed)")
            }
        }
    }

    @Test("no control character of a manifest gets into an error")
    func controlCharacters() throws {
        let folder = try ManifestFolder()
        let errors = try folder.errors(
            #"{"\u001b[2J": 1, "sources": [{"urls": []}], "outputs": [{"format": "\u001b]0;x\u0007"}]}"#
        )
        #expect(errors.count == 2)
        #expect(errors.joined().unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
    }

    @Test("of very many errors the first thousand are told")
    func manyErrors() throws {
        let keys = (0..<200_000).map { "\"key\($0)\": \($0)" }.joined(separator: ",\n")
        let errors = try ManifestFolder().errors(#"{"sources": [{"urls": []}],\#n\#(keys)}"#)
        #expect(errors.count == 1001)
        #expect(errors.first?.hasPrefix("2:1: key0: unknown key") == true)
        #expect(errors.last?.hasSuffix(" 199000 more errors are not shown: correct these first") == true)
    }
}
