import Imaging
@testable import JobManifest
import Testing

@Suite struct KeyKindTests {
    @Test("a value out of range, or of another type, is none")
    func values() {
        let kind = KeyKind.integer(1...5)
        #expect(kind.value(of: 5) == 5 && kind.value(of: .number(4)) == 4)
        #expect(kind.value(of: 6) == nil && kind.value(of: "5") == nil && kind.value(of: .null) == nil)
        let list = KeyKind.list(of: kind, "list")
        #expect(list.value(of: [1, 2]) == [1, 2] && list.value(of: [1, 9]) == nil)
        #expect(KeyKind.opaqueColor.value(of: "#12345680") == nil)
        #expect(KeyKind.headers.value(of: ["a": "b", "c": "d"]) == ["a": "b", "c": "d"])
        #expect(KeyKind.bool.value(of: false) == false && KeyKind.bool.value(of: 0) == nil)
    }

    @Test("a list reports each of its elements")
    func lists() throws {
        let reading = try NodeReading("[0, 1, 2, 3]")
        #expect(KeyKind.list(of: .integer(1...2), "list").read(reading.node) == [1, 2])
        #expect(reading.errors.map { $0.prefix(4) } == ["[0]:", "[3]:"])
        #expect(KeyKind.list(of: .integer(1...2), "list").read(try NodeReading("5").node) == nil)
    }

    @Test("a default is read as a manifest's own value")
    func standard() {
        let key = KeyName("a", "A size.").holds(.size, default: "2KiB", example: 1)
        #expect(key.standard == 2048 && key.name == "a" && key.description.type == "size")
        #expect(S3Settings().putRate == Rate(count: 1000, seconds: 1))
        #expect(JPEGOptions.standard.quality == 82 && ManifestKeys.version.standard == 1)
    }

    @Test("a bound key sets its property, writes it, and shows its default as people write it")
    func bound() throws {
        func key(_ name: String) throws -> BoundKey<LoadingSettings> {
            try #require(LoadingSettings.keys.first { $0.name == name })
        }
        let defaults = try ["timeout", "totalTimeout", "maxBytes", "burst"].map { name in
            guard case .value(let value) = try key(name).description.default else { return "" }
            return value.text
        }
        #expect(defaults == [#""60s""#, #""10m""#, #""100MB""#, "25"])
        var settings = LoadingSettings()
        let timeout = try key("timeout")
        timeout.read(try NodeReading(#""90s""#).node, &settings)
        #expect(settings.timeout == .seconds(90) && timeout.write(settings)?.text == #""90000ms""#)
        let reading = try NodeReading("5")
        timeout.read(reading.node, &settings)
        #expect(settings.timeout == .seconds(90) && reading.errors.count == 1)
    }

    @Test("a key that was added later is written only where it has another value than its default")
    func addedLater() {
        #expect(PNGOptions().json.text == #"{"compression":4}"#)
        #expect(PNGOptions(palette: true).json.text == #"{"compression":4,"palette":true}"#)
    }

    @Test(
        "quantities are shown in the largest unit that leaves a whole number",
        arguments: [
            (CanonicalJSON.size(1 << 30), #""1GiB""#), (.size(10_000_000_000), #""10GB""#),
            (.size(1001), "1001"),
            (.pixels(100_000_000), #""100MP""#), (.pixels(5), "5"),
            (.string(CanonicalJSON.shown(.seconds(60))), #""60s""#),
            (.string(CanonicalJSON.shown(.seconds(7200))), #""2h""#),
            (.string(CanonicalJSON.shown(.seconds(86_400))), #""1d""#),
            (.string(CanonicalJSON.shown(.milliseconds(1500))), #""1500ms""#),
        ] as [(CanonicalJSON, String)]
    )
    func shown(json: CanonicalJSON, text: String) {
        #expect(json.text == text)
    }

    @Test("a section knows its keys, those it needs, and the words for them")
    func sections() {
        let section = ManifestSection(
            "test",
            title: "Test",
            keys: [
                KeyName("width", "").synonyms(["w", "size"]).holds(.side, default: .required, example: 1),
                KeyName("height", "").synonyms(["h", "size"]).holds(.side, example: 1),
                KeyName("depth", "").holds(.side, default: 5, example: 1),
            ]
        )
        #expect(section.required == ["width"])
        #expect(section.contains("depth") && !section.contains("w") && !section.contains("Depth"))
        #expect(section.synonyms == ["w": "width", "h": "height", "size": "width"])
        #expect(section.remedy(for: "SIZE") == #"; did you mean "width"?"#)
        #expect(section.remedy(for: "dept") == #"; did you mean "depth"?"#)
        #expect(section.remedy(for: "colour") == "; known are depth, height, width")
        #expect(OutputFormat.plainSection.remedy(for: "x") == ": remove it")
    }
}
