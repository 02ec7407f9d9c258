import Foundation

/// Values as one line of JSON with sorted keys.
public enum JSONLine {
    /// The line for `fields`.
    public static func text(_ fields: [String: any Encodable & Sendable]) -> String {
        text(Fields(values: fields))
    }

    /// The line for `value`.
    public static func text(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        guard let data = try? encoder.encode(value) else {
            preconditionFailure("texts, numbers and lists of them are always JSON")
        }
        return String(decoding: data, as: UTF8.self)
    }

    private struct Fields: Encodable {
        let values: [String: any Encodable & Sendable]

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            for (name, value) in values { try container.encode(value, forKey: Key(stringValue: name)) }
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) {
            nil
        }
    }
}
