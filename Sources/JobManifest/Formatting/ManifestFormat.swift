import Files
public import Foundation

/// The text of a manifest in its canonical form: keys in the order of the schema, comments kept.
///
/// JSON is laid out anew; the blocks of YAML only change places. Numbers, strings and their escapes stay as they are
/// written, and the manifest that is read from the text stays the same.
public struct ManifestFormat: Sendable {
    /// The manifest's path as it was given; `<stdin>` for standard input.
    public let name: String
    /// The text as it was.
    public let original: Data
    /// The text in its canonical form.
    public let text: Data

    /// True if the text was in another form.
    public var isChanged: Bool { text != original }

    /// Reads the manifest at `path`, or standard input if that is `-`, and formats it.
    ///
    /// Values are not checked, and included files not read: a manifest that another includes need not be complete.
    /// - Throws: `ManifestErrors`: each error of the syntax and each unknown or repeated key with its line and column.
    public init(path: String) throws(ManifestErrors) {
        let origin = Manifest.Origin(path, in: FileManager.default.currentDirectoryPath)
        let shared = ManifestReading.Shared(
            environment: [:],
            objectWithKey: ManifestSection.article(ofObjectWithKey:)
        )
        let text: Data
        do throws(SourceError) {
            text = try ManifestFile.contents(of: origin, shared)
        } catch {
            throw ManifestErrors(error.message, in: origin.name)
        }
        let language = origin.isFile ? ManifestLanguage(path: path) : ManifestLanguage(text: text)
        try self.init(name: origin.name, text: text, language, shared)
    }

    private init(
        name: String,
        text: Data,
        _ language: ManifestLanguage,
        _ shared: ManifestReading.Shared
    ) throws(ManifestErrors) {
        let reading = ManifestReading(file: name, text: text, folder: "/", shared)
        let root = language.root(of: text, reading)
        if let root {
            let node = ManifestNode(value: root, path: .top, reading: reading)
            // Reported as by reading a manifest.
            if case .object = root.kind { KeyOrder.manifest.check(node) } else { node.wrongType("an object") }
        }
        guard let root, reading.errors.isEmpty else { throw ManifestErrors(errors: reading.errors) }
        let bytes =
            switch language {
            case .json: JSONLayout([UInt8](text)).text(of: root)
            case .yaml: YAMLBlocks([UInt8](text)).text(of: root)
            }
        (self.name, original, self.text) = (name, text, Data(bytes))
        // A formatter that is wrong must not lose anything.
        guard let formatted = language.root(of: self.text, reading), formatted.isSame(as: root) else {
            throw ManifestErrors(
                "cannot be formatted without a change of its values, and stays as it is: order its keys by hand",
                in: name
            )
        }
    }
}

extension JSONValue {
    /// True if the values are equal but for the order of keys; equal numbers are written alike.
    fileprivate func isSame(as other: JSONValue) -> Bool {
        switch (kind, other.kind) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        case (.object(let left), .object(let right)):
            left.count == right.count
                && zip(left.sortedByKey, right.sortedByKey).allSatisfy { left, right in
                    left.key.utf8.elementsEqual(right.key.utf8) && left.value.isSame(as: right.value)
                }
        default: false
        }
    }
}

extension [JSONMember] {
    fileprivate var sortedByKey: [JSONMember] {
        sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
}

extension [UInt8] {
    /// The end of the lines of a text: CRLF if the first one ends with it, else LF.
    var lineEnd: [UInt8] {
        guard let first = firstIndex(of: 0x0A), first > 0, self[first - 1] == 0x0D else { return [0x0A] }
        return [0x0D, 0x0A]
    }
}
