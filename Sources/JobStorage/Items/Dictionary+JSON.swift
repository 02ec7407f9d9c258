import Foundation

extension [String: String] {
    /// Reads the JSON object of texts in a column; empty if there is none.
    package init(json: String?) {
        guard let json, json != "{}" else {
            self = [:]
            return
        }
        // Nearly every item has one, and JSONDecoder would take more time than all other work with it.
        self =
            Self(plainJSON: json)
            ?? (try? JSONDecoder().decode([String: String].self, from: Data(json.utf8))) ?? [:]
    }

    /// The JSON object, with its keys sorted.
    var jsonText: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Texts can always be encoded.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// The JSON object, with its keys sorted, if its texts need no escapes; nil if one does.
    package var plainJSON: String? {
        var text = "{"
        for (key, value) in sorted(by: { $0.key < $1.key }) {
            guard key.isPlainJSON, value.isPlainJSON else { return nil }
            if text.utf8.count > 1 { text += "," }
            text += "\"\(key)\":\"\(value)\""
        }
        return text + "}"
    }

    /// Reads an object of texts without escapes or white space between them; nil for any other.
    package init?(plainJSON json: String) {
        let bytes = json.utf8
        guard !bytes.contains(UInt8(ascii: "\\")) else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        guard parts.count > 1, parts.count % 4 == 1 else { return nil }
        self.init(minimumCapacity: parts.count / 4)
        for index in stride(from: 0, to: parts.count - 1, by: 4) {
            guard parts[index].elementsEqual((index == 0 ? "{" : ",").utf8),
                parts[index + 2].elementsEqual(":".utf8)
            else { return nil }
            self[String(Substring(parts[index + 1]))] = String(Substring(parts[index + 3]))
        }
        guard parts[parts.count - 1].elementsEqual("}".utf8) else { return nil }
    }
}

extension String {
    /// True for a text of printable ASCII characters, none of which JSON escapes.
    fileprivate var isPlainJSON: Bool {
        utf8.allSatisfy { byte in
            byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        }
    }
}
