import Foundation

/// The languages in which a manifest is written; both give the same tree of values.
enum ManifestLanguage {
    /// JSON with comments and commas after the last element.
    case json
    /// The part of YAML 1.1 that says the same as JSON.
    case yaml

    /// The language of a file, by its extension.
    init(path: String) {
        let name = path.lowercased()
        self = name.hasSuffix(".yaml") || name.hasSuffix(".yml") ? .yaml : .json
    }

    /// The language of a text without a name: JSON if its first character behind blanks and comments is a brace.
    init(text: Data) {
        self = text.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            Self.startsWithBrace(bytes.bindMemory(to: UInt8.self)) ? .json : .yaml
        }
    }

    /// Reads a whole text.
    /// - Throws: The first place that is not of this language.
    private func parse(_ text: UnsafeBufferPointer<UInt8>) throws(JSONParser.SyntaxError)
        -> JSONParser.Document
    {
        switch self {
        case .json: try JSONParser.parse(text, as: .relaxed)
        case .yaml: try YAMLParser.parse(text)
        }
    }

    /// Returns the value of a whole text; nil after an error, which `reading` has then.
    func root(of text: Data, _ reading: ManifestReading) -> JSONValue? {
        text.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> JSONValue? in
            let text = bytes.bindMemory(to: UInt8.self)
            do throws(JSONParser.SyntaxError) {
                let document = try parse(text)
                reading.report(document.duplicateKeys, of: text)
                return document.root
            } catch {
                reading.report(error.message, at: error.offset, path: .top)
                return nil
            }
        }
    }

    private static func startsWithBrace(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var index = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while true {
            index = YAMLSpace.end(in: text, from: index)
            guard index < text.count, text[index] == UInt8(ascii: "/") else { break }
            // A comment that does not end is an error of JSON.
            guard let end = JSONParser.endOfComment(in: text, from: index) else { return true }
            guard end > index else { break }
            index = end
        }
        return index < text.count && text[index] == UInt8(ascii: "{")
    }
}

extension ManifestReading {
    fileprivate func report(_ duplicates: [JSONParser.DuplicateKey], of text: UnsafeBufferPointer<UInt8>) {
        let firsts = duplicates.map(\.firstOffset)
        let sorted = firsts.sorted()
        let positions = Dictionary(
            zip(sorted, TextPosition.positions(of: sorted, in: text)),
            uniquingKeysWith: { first, _ in first }
        )
        for (duplicate, first) in zip(duplicates, firsts) {
            let position = positions[first].map { " in line \($0.line), column \($0.column)" } ?? ""
            report(
                "duplicate key, also\(position): remove one of them",
                at: duplicate.offset,
                path: duplicate.path
            )
        }
    }
}
