import Imaging
import JobFixtures
@testable import JobManifest
import Testing

/// Keys of the cache, and digests of outputs.
@Suite struct ManifestKeyTests {
    private func manifest(
        _ text: String = #"{"sources": [{"urls": ["https://${HOST}/a.jpg"]}]}"#,
        host: String = "a.example"
    ) throws -> Manifest {
        try ManifestFolder().read(text, environment: ["HOST": host])
    }

    @Test("an original without headers and variables has its URL as its key")
    func plain() throws {
        #expect(try manifest().cacheKey(of: "https://a.example/$1", headers: [:]) == "https://a.example/$1")
    }

    @Test("headers are part of the key, in no order and their names in no case")
    func headers() throws {
        let manifest = try manifest()
        let key = manifest.cacheKey(of: "u", headers: ["Accept": "x", "B": "y"])
        #expect(key.hasPrefix("u\n") && key.count == 66)
        #expect(manifest.cacheKey(of: "u", headers: ["b": "y", "ACCEPT": "x"]) == key)
        #expect(manifest.cacheKey(of: "u", headers: ["Accept": "X", "B": "y"]) != key)
        #expect(manifest.cacheKey(of: "u", headers: ["Accept": "x"]) != key)
    }

    @Test("keys of a bucket that are equal as strings, and differ in their bytes, are two keys")
    func bytes() throws {
        let keys = try ["\u{E9}", "e\u{301}"].map {
            try manifest().cacheKey(of: "s3://b/\($0)", headers: [:])
        }
        #expect(keys[0] != keys[1] && keys[0].hasPrefix("s3://b/\u{E9}\n"))
    }

    @Test("another value of a variable is another key, which holds none of them")
    func variables() throws {
        let url = "https://${HOST}/a.jpg"
        let key = try manifest().cacheKey(of: url, headers: [:])
        #expect(key.hasPrefix(url + "\n") && key.count == url.count + 65 && !key.contains("a.example"))
        #expect(try manifest().cacheKey(of: url, headers: [:]) == key)
        #expect(try manifest(host: "b.example").cacheKey(of: url, headers: [:]) != key)
        let both = try manifest().cacheKey(of: url, headers: ["A": "b"])
        #expect(both.hasPrefix(key + "\n") && both.count == key.count + 65)
    }

    private static let steps = #"""
        {"sources": [{"urls": [], "processors": [{"trim": true}]}, {"urls": []}], "processors": [{"grayscale": true}],
         "outputs": [{"name": "a", "processors": [{"circle": true}]}, {"name": "b", "format": "original"}]}
        """#

    @Test("the manifest's processors come first, then the source's, then the output's")
    func order() throws {
        let manifest = try manifest(Self.steps)
        let output = manifest.outputs[0]
        #expect(manifest.steps(of: output, source: 0) == [.grayscale, .trim(Trim()), .circle(Circle())])
        #expect(manifest.steps(of: output, source: 1) == [.grayscale, .circle(Circle())])
        #expect(manifest.steps(of: output, source: 2) == [.grayscale, .circle(Circle())])
        #expect(manifest.steps(of: manifest.outputs[1], source: 0).isEmpty)
    }

    @Test("outputs have digests of 32 digits, others for other sources")
    func digests() throws {
        let manifest = try manifest(Self.steps)
        let digests = (0...1).map { manifest.digest(of: manifest.outputs[0], source: $0) }
        #expect(digests[0] != digests[1] && digests.allSatisfy { $0.count == 32 })
        let copies = (0...1).map { manifest.digest(of: manifest.outputs[1], source: $0) }
        #expect(copies[0] == copies[1])
    }

    @Test(
        "everything that shapes an output is in its recipe, and nothing else is",
        arguments: [
            (#""metadata": "keep""#, true), (##""background": "#000""##, true), (#""format": "png""#, true),
            (#""when": {"minWidth": 1}"#, true), (#""when": {"minHeight": 1}"#, true),
            (#""when": {"maxAspect": 2}"#, true), (#""when": {"types": ["gif"]}"#, true),
            (#""path": "x""#, true), (#""processors": [{"trim": true}]"#, true),
            (#""hdr": "tonemap""#, true), (#""hdr": "keep""#, true), (#""hdr": "drop""#, false),
            (#""existing": "keep""#, false),
            (#""metadata": "strip""#, false), (#""when": {}"#, false),
        ]
    )
    func recipe(member: String, changes: Bool) throws {
        func digest(_ member: String) throws -> String {
            let manifest = try manifest(#"{"sources": [{"urls": []}], "outputs": [{\#(member)}]}"#)
            return manifest.digest(of: manifest.outputs[0], source: 0)
        }
        #expect(try (digest(member) != digest("")) == changes)
    }

    @Test("in tar files outputs have recipes of their own, and the standard path")
    func pack() throws {
        let start = #"{"sources": [{"urls": []}], "outputs": [{"name": "a", "path": "x"}], "dataset": "#
        let packed = try manifest(start + #"{"pack": "tar"}}"#)
        let plain = try manifest(start + "{}}")
        #expect(packed.outputs.map(\.path.description) == ["a/{host}/{dir}/{stem}.{ext}"])
        #expect(plain.outputs.map(\.path.description) == ["x"])
        #expect(packed.recipe(of: packed.outputs[0], source: 0).hasPrefix("tar {"))
        #expect(plain.recipe(of: plain.outputs[0], source: 0).hasPrefix("{"))
    }
}
