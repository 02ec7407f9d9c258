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
        let key = Key("a", .size, default: "2KiB", summary: "A size.", example: 1)
        #expect(key.standard == 2048 && key.name == "a" && key.description.type == "size")
        #expect(S3Keys.putRate.standard == Rate(count: 1000, seconds: 1))
        #expect(JPEGKeys.quality.standard == 82 && ManifestKeys.version.standard == 1)
    }

    @Test("a section knows its keys, those it needs, and the words for them")
    func sections() {
        let section = ManifestSection(
            "test",
            title: "Test",
            keys: [
                Key("width", .side, default: .required, summary: "", example: 1, synonyms: ["w", "size"]),
                Key("height", .side, summary: "", example: 1, synonyms: ["h", "size"]),
                Key("depth", .side, default: 5, summary: "", example: 1),
            ]
        )
        #expect(section.required == ["width"])
        #expect(section.contains("depth") && !section.contains("w") && !section.contains("Depth"))
        #expect(section.synonyms == ["w": "width", "h": "height", "size": "width"])
        #expect(section.remedy(for: "SIZE") == #"; did you mean "width"?"#)
        #expect(section.remedy(for: "dept") == #"; did you mean "depth"?"#)
        #expect(section.remedy(for: "colour") == "; known are depth, height, width")
        #expect(ManifestSection.same.remedy(for: "x") == ": remove it")
    }
}
