import Foundation
import JobFixtures
import JobManifest
import TestSupport
import Testing

/// The descriptions of keys against the reader and the schema, which are made from them.
@Suite(.timeLimit(.minutes(2))) struct KeyTests {
    /// The schema's definitions by the names of the sections.
    private static func definitions() throws -> [String: [String: Any]] {
        let schema = try JSONSerialization.jsonObject(with: Data(ManifestSchema.text.utf8)) as? [String: Any]
        return try #require(schema?["$defs"] as? [String: [String: Any]])
    }

    /// The schemas of a section's keys.
    private static func properties(of section: String) throws -> [String: [String: Any]] {
        try #require(try definitions()[section]?["properties"] as? [String: [String: Any]])
    }

    @Test(
        "every property of the schema has a description and an example, and each key with a default value has it"
    )
    func documented() throws {
        let definitions = try Self.definitions()
        #expect(definitions.count == ManifestSection.all.count)
        var count = 0
        for section in ManifestSection.all {
            let properties = try Self.properties(of: section.name)
            #expect(Set(properties.keys) == Set(section.keys.map(\.name)))
            for key in section.keys {
                let property = try #require(properties[key.name])
                let description = try #require(property["description"] as? String)
                #expect(
                    description.hasSuffix(".") && !description.contains("`") && !description.contains("](")
                )
                #expect((property["examples"] as? [Any])?.count == 1)
                switch key.default {
                case .value: #expect(property["default"] != nil, "\(section.name).\(key.name)")
                case .described: #expect(description.contains("Default: "))
                case .none: #expect(description.hasSuffix("Default: none."))
                case .required: #expect(description.hasSuffix("Required."))
                }
                count += 1
            }
        }
        #expect(count > 180)
    }

    @Test("names and synonyms are unambiguous, and summaries are sentences")
    func names() {
        for section in ManifestSection.all {
            let names = section.keys.map(\.name)
            #expect(Set(names).count == names.count)
            for key in section.keys {
                let place = "\(section.name).\(key.name)"
                #expect(key.summary.hasSuffix("."), "\(place)")
                #expect(!key.summary.contains("|") && !key.type.contains("|"), "\(place)")
                #expect(Set(key.synonyms).isDisjoint(with: names), "\(place)")
                #expect(Set(key.synonyms.map { $0.lowercased() }).count == key.synonyms.count, "\(place)")
            }
        }
    }

    @Test("a synonym of a key gives a hint that leads to a key of the same object")
    func synonyms() throws {
        let folder = try ManifestFolder()
        for section in SectionManifest.sections {
            let names = Set(section.keys.map(\.name))
            for key in section.keys {
                for synonym in key.synonyms {
                    let text = try #require(
                        SectionManifest.text(section.name, members: "\"\(synonym)\": 0")
                    )
                    let hint = try folder.errors(text).compactMap {
                        $0.firstMatch(of: /unknown key; did you mean "([^"]+)"/).map { String($0.1) }
                    }
                    #expect(hint.count == 1 && names.contains(hint[0]), "\(section.name).\(synonym): \(hint)")
                }
            }
        }
    }

    @Test(
        "words that people write for others are understood",
        arguments: [
            ("resize", #""width": 5, "fit": "cover""#, "contentMode"),
            ("resize", #""width": 5, "contentMode": "fit""#, "aspectFit"),
            ("resize", #""width": 5, "contentMode": "COVER""#, "aspectFill"),
            ("resize", #""size": 5"#, "width"),
            ("processor", #""blur": true"#, "gaussianBlur"),
            ("processor", #""greyscale": true"#, "grayscale"),
            ("output", #""format": "jpg""#, "jpeg"),
            ("output", #""format": {"jpg": {}}"#, "jpeg"),
            ("output", #""when": {"types": ["jpg"]}"#, "jpeg"),
            ("output", #""existing": "skip""#, "keep"),
            ("crop", #""width": 5, "height": 5, "gravity": "attention""#, "smart"),
            ("pad", #""width": 5, "gravity": "topLeft""#, "northWest"),
            ("limits", #""threads": 5"#, "processing"),
            ("limits", #""memroy": 5"#, "memory"),
        ]
    )
    func hints(section: String, members: String, expected: String) throws {
        let text = try #require(SectionManifest.text(section, members: members))
        let errors = try ManifestFolder().errors(text)
        #expect(errors.contains { $0.hasSuffix("; did you mean \"\(expected)\"?") }, "\(errors)")
    }

    @Test("a synonym that means nothing here gives no hint")
    func noHint() throws {
        let text = try #require(SectionManifest.text("pad", members: #""gravity": "attention""#))
        let errors = try ManifestFolder().errors(text)
        #expect(errors.count == 1 && !errors[0].contains("did you mean"), "\(errors)")
    }

    @Test(
        "the reader takes the bounds of the schema's ranges and refuses what is beyond",
        arguments: SectionManifest.sections.map(\.name)
    )
    func ranges(section: String) throws {
        let folder = try ManifestFolder()
        for (key, property) in try Self.properties(of: section) {
            guard let least = property["minimum"] as? Double, let most = property["maximum"] as? Double,
                property["multipleOf"] == nil
            else { continue }
            let isWhole = property["type"] as? String == "integer"
            let step = isWhole ? 1 : 0.001
            for (value, isRight) in [
                (least, true), (most, true), (least - step, false), (most + step, false),
            ] {
                let shown = isWhole ? String(Int(value)) : String(value)
                let text = try #require(
                    SectionManifest.text(section, members: "\"\(key)\": \(shown)", without: key)
                )
                let errors = try folder.errors(text)
                #expect(errors.isEmpty == isRight, "\(section).\(key) = \(shown): \(errors)")
            }
        }
    }

    @Test("every default and example is valid by the schema")
    func valid() async throws {
        var cases: [[String: String]] = []
        for section in ManifestSection.all {
            for key in section.keys {
                cases.append(["section": section.name, "key": key.name, "value": key.example.text])
                if case .value(let value) = key.default {
                    cases.append(["section": section.name, "key": key.name, "value": value.text])
                }
            }
        }
        let folder = try TemporaryFolder()
        let schema = try folder.write(ManifestSchema.text, to: "schema.json")
        let script = """
            import json, sys
            from jsonschema import Draft202012Validator
            schema = json.load(open(sys.argv[1]))
            for case in json.load(sys.stdin):
                pointer = "#/$defs/" + case["section"] + "/properties/" + case["key"]
                validator = Draft202012Validator({"$defs": schema["$defs"], "$ref": pointer})
                for error in validator.iter_errors(json.loads(case["value"])):
                    print(pointer, error.message)
            print("end")
            """
        let input = String(decoding: try JSONEncoder().encode(cases), as: UTF8.self)
        let outcome = try await Program(
            path: "/usr/bin/python3",
            ["-c", script, schema],
            in: "/",
            input: input
        ).wait()
        #expect(outcome.lines == ["end"], "\(outcome.output)\(outcome.errors)")
    }

    @Test("what is only spelt out, and is so anyway, is taken")
    func spelt() throws {
        let errors = try ManifestFolder().errors(
            #"""
            {"sources": [{"urls": []}], "outputs": [{"metadata": "strip"}],
             "cache": {"revalidate": "never", "compression": false, "staleIfError": false},
             "loading": {"method": "GET"}, "limits": {"maxFrames": 1}}
            """#
        )
        #expect(errors.isEmpty, "\(errors)")
    }

    @Test("a hidden key is bounded as others are, and no hint names it")
    func hidden() throws {
        let folder = try ManifestFolder()
        func errors(_ section: String, _ member: String) throws -> [String] {
            try folder.errors(try #require(SectionManifest.text(section, members: member)))
        }
        for (count, isRight) in [(0, false), (1, true), (1_000_000, true), (1_000_001, false)] {
            let errors = try errors("manifest", "\"partitionItems\": \(count)")
            #expect(errors.count == (isRight ? 0 : 1), "\(errors)")
            #expect(errors.allSatisfy { $0.contains(": partitionItems: ") }, "\(errors)")
        }
        let misspelt = [("manifest", "partitionItem"), ("manifest", "item"), ("limits", "maxFrame")]
        for (section, name) in misspelt {
            let errors = try errors(section, "\"\(name)\": [1]")
            #expect(errors.count == 1 && errors[0].contains("unknown key"), "\(errors)")
            #expect(!errors[0].contains("\(name)s"), "\(errors)")
        }
    }

    @Test("a default that is written out changes nothing", arguments: SectionManifest.sections.map(\.name))
    func defaults(section: String) throws {
        let section = try #require(SectionManifest.sections.first { $0.name == section })
        let folder = try ManifestFolder()
        for key in section.keys {
            guard case .value(let value) = key.default else { continue }
            let member = "\"\(key.name)\": \(value.text)"
            let text = try #require(SectionManifest.text(section.name, members: member, without: key.name))
            let separator = text.contains(", " + member) ? ", " : ""
            let written = try folder.read(text)
            let left = try folder.read(text.replacing(separator + member, with: ""))
            #expect(written.cache == left.cache, "\(member)")
            #expect(written.loading == left.loading, "\(member)")
            #expect(written.retry == left.retry, "\(member)")
            #expect(written.limits == left.limits, "\(member)")
            #expect(written.network == left.network, "\(member)")
            #expect(written.processors == left.processors, "\(member)")
            #expect(written.destination == left.destination && written.facts == left.facts, "\(member)")
            #expect(written.outputs.map(\.name) == left.outputs.map(\.name), "\(member)")
            #expect(written.outputs.map(\.existing) == left.outputs.map(\.existing), "\(member)")
            let recipes = [written, left].map { manifest in
                manifest.outputs.map { manifest.recipe(of: $0, source: 0) }
            }
            #expect(recipes[0] == recipes[1], "\(member)")
        }
    }
}
