import Foundation
import Imaging

/// The manifest's contract as a JSON Schema (draft 2020-12), for editors and for other programs.
///
/// It is made of what the reader of manifests itself goes by: the keys of each object and the words of each choice. What it
/// cannot say is left to the reader: files that must be there, variables of the environment, keys that come twice, names and
/// paths that several outputs share.
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
        var definitions: [String: CanonicalJSON] = [:]
        for section in ManifestSection.allCases { definitions["\(section)"] = object(section) }
        return [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "A manifest of nuke-batch, version 1",
            "$ref": "#/$defs/manifest",
            "$defs": .object(definitions),
        ]
    }

    /// An object with the keys of `section` and no others.
    private static func object(_ section: ManifestSection) -> CanonicalJSON {
        var members: [String: CanonicalJSON] = [
            "type": "object",
            "properties": .object(properties(of: section)),
            "additionalProperties": false,
        ]
        members.merge(rules(of: section)) { $1 }
        return .object(members)
    }

    /// Which keys of an object must be there, and which go together.
    private static func rules(of section: ManifestSection) -> [String: CanonicalJSON] {
        switch section {
        case .manifest:
            [
                "anyOf": [["required": ["sources"]], ["required": ["include"]]],
                "dependentSchemas": [
                    "dataset": [
                        "anyOf": [
                            ["required": ["include"]],
                            ["required": ["outputs"], "properties": ["outputs": ["minItems": 1]]],
                        ]
                    ]
                ],
            ]
        case .source:
            [
                "oneOf": .array(
                    ["urls", "list", "files", "template", "sitemap", "sqlite"].map {
                        ["required": [.string($0)]]
                    }
                ),
                "dependentRequired": [
                    "as": ["list"], "query": ["sqlite"], "sqlite": ["query"], "template": ["vars"],
                ],
                "dependentSchemas": [
                    "columns": ["anyOf": [["required": ["list"]], ["required": ["sqlite"]]]]
                ],
                "if": ["required": ["template"]],
                "then": ["properties": ["vars": values]],
                "else": ["properties": ["vars": variables]],
            ]
        case .entry: ["required": ["url"]]
        case .format, .processor, .authorization: ["minProperties": 1, "maxProperties": 1]
        case .resize:
            [
                "anyOf": either("width", "height"),
                "if": ["properties": ["crop": ["const": true]], "required": ["crop"]],
                "then": [
                    "properties": ["contentMode": ["const": "aspectFill"]],
                    "required": ["width", "height", "contentMode"],
                ],
            ]
        case .crop:
            [
                "oneOf": [
                    ["required": ["rect"], "maxProperties": 1],
                    ["required": ["width", "height"], "not": ["required": ["rect"]]],
                ]
            ]
        case .gravity: ["required": ["x", "y"]]
        case .pad: ["anyOf": either("width", "height")]
        case .roundedCorners: ["required": ["radius"]]
        case .border: ["required": ["color"]]
        case .rotate: ["anyOf": either("degrees", "flip")]
        case .adjust: ["anyOf": either("brightness", "contrast", "saturation", "gamma")]
        case .watermark: ["required": ["image"]]
        case .basic: ["required": ["user", "password"]]
        case .awsSigV4: ["required": ["region", "service", "accessKey"]]
        case .dataset: ["dependentRequired": ["itemsPerFile": ["pack"]]]
        default: [:]
        }
    }

    private static func either(_ names: String...) -> CanonicalJSON {
        .array(names.map { ["required": [.string($0)]] })
    }
}
