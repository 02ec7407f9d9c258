import Foundation

/// The manifest's format as a JSON Schema (draft 2020-12), for editors and for other programs.
///
/// It is made from the same descriptions of keys that the reader of manifests uses. It cannot express everything: the reader
/// alone checks that files exist, that environment variables are set, that no key comes twice, and that the names and paths of
/// outputs differ.
public enum ManifestSchema {
    /// The schema's text, as `Jobs/manifest.schema.json` has it.
    public static var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(json) else {
            preconditionFailure("a schema of texts and numbers is always JSON")
        }
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    private static var json: CanonicalJSON {
        let definitions = ManifestSection.all.map { ($0.name, object($0)) }
        return [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "A manifest of nuke-batch, version 1",
            "$ref": "#/$defs/manifest",
            "$defs": .object(Dictionary(uniqueKeysWithValues: definitions)),
        ]
    }

    /// An object with the keys of `section` and no others.
    private static func object(_ section: ManifestSection) -> CanonicalJSON {
        let properties = section.keys.map { ($0.name, property($0)) }
        var members: [String: CanonicalJSON] = [
            "type": "object",
            "properties": .object(Dictionary(uniqueKeysWithValues: properties)),
            "additionalProperties": false,
        ]
        if !section.required.isEmpty {
            members["required"] = .array(section.required.map(CanonicalJSON.string))
        }
        return .object(members.merging(section.rules) { $1 })
    }

    /// The schema of a key's value, with its documentation.
    private static func property(_ key: KeyDescription) -> CanonicalJSON {
        guard case .object(var members) = key.schema else {
            preconditionFailure("the schema of a value is an object")
        }
        let summary = plain(key.summary)
        switch key.default {
        case .value(let value):
            members["default"] = value
            members["description"] = .string(summary)
        case .described(let text): members["description"] = .string("\(summary) Default: \(plain(text)).")
        case .none: members["description"] = .string("\(summary) Default: none.")
        case .required: members["description"] = .string("\(summary) Required.")
        }
        members["examples"] = [key.example]
        return .object(members)
    }

    /// Markdown as plain text, which is what editors show.
    private static func plain(_ markdown: String) -> String {
        markdown.replacing(/\[([^\]]+)\]\([^)]+\)/) { $0.1 }.replacing("`", with: "")
    }
}
