/// An object of a manifest: the keys that it may have, the rules between them, and its documentation.
package struct ManifestSection: Sendable {
    /// The name of the object's definition in the JSON Schema.
    package let name: String
    /// The heading of its documentation; by default its name.
    package let title: String
    /// Its documentation in Markdown, a paragraph an element.
    package let about: [String]
    /// The example in its documentation; nil if the example of another section covers it.
    package let example: Example?
    /// The keys that people write, in the order of the documentation.
    package let keys: [KeyDescription]
    /// The names of keys of which at least one must be there; empty if there are none.
    let anyOf: [String]
    /// The rules that go together with its keys, as members of its JSON Schema.
    let rules: [String: CanonicalJSON]
    /// The names of all keys, the hidden ones included.
    private let keyNames: Set<String>

    /// A JSON text for one part of a manifest.
    package enum Example: Sendable {
        /// A whole manifest.
        case manifest(String)
        /// One key of a manifest with its value.
        case setting(String)
        /// A source.
        case source(String)
        /// A source that reads a list, with the list's name and rows.
        case list(String, name: String, rows: String)
        /// An output.
        case output(String)
        /// A processor.
        case processor(String)
    }

    /// Makes a section whose required keys follow from their defaults.
    init(
        _ name: String,
        title: String? = nil,
        about: [String] = [],
        example: Example? = nil,
        keys: [any ManifestKey],
        anyOf: [String] = [],
        rules: [String: CanonicalJSON] = [:]
    ) {
        self.name = name
        self.title = title ?? name
        self.about = about
        self.example = example
        self.keys = keys.map(\.description).filter { !$0.isHidden }
        self.anyOf = anyOf
        self.rules =
            anyOf.isEmpty ? rules : rules.merging(["anyOf": JSONSchema.anyRequired(anyOf)]) { $1 }
        keyNames = Set(keys.map { $0.description.name })
    }

    /// Makes the section of a processor whose keys explain it, with the settings of its example as JSON.
    init(processor name: String, _ settings: String, keys: [any ManifestKey]) {
        self.init(name, example: .processor(#"{"\#(name)": \#(settings)}"#), keys: keys)
    }

    /// The names of its keys that must be there.
    var required: [String] {
        keys.compactMap { if case .required = $0.default { $0.name } else { nil } }
    }

    func contains(_ name: String) -> Bool { keyNames.contains(name) }

    /// The object as messages call it: `the output`.
    var article: String { "the \(name)" }

    /// The end of an error about an unknown key: the key that was probably meant, or all keys; `isSeveral` if it has an array.
    func remedy(for word: String, isSeveral: Bool = false) -> String {
        let names = Set(keys.map(\.name))
        if isSeveral, names.contains(word + "s") { return "; did you mean \"\(word)s\"?" }
        if name == "manifest", ["hooks", "hook", "onFinish", "webhook"].contains(word) {
            return
                ": a manifest is data and runs no commands; use --on-finish COMMAND or --webhook URL of run"
        }
        if ["png", "same"].contains(name), word == "maxBytes" {
            return ": only \"jpeg\", \"webp\", \"avif\" and \"jxl\" have it, whose quality can be lowered"
        }
        if ["s3", "storage"].contains(name), Self.credentials.contains(word.lowercased()) {
            return
                ": credentials are never part of a manifest; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "
                + "AWS_PROFILE; see docs/object-storage.md"
        }
        let hint = NearestName.hint(for: word, among: names, synonyms: synonyms)
        if !hint.isEmpty { return hint }
        return keys.isEmpty ? ": remove it" : "; known are \(names.sorted().joined(separator: ", "))"
    }

    /// The names of credentials that people write into `storage`, in lower case.
    private static let credentials: Set<String> = [
        "accesskey", "accesskeyid", "access_key", "access_key_id", "aws_access_key_id", "secretkey",
        "secretaccesskey",
        "secret_key", "secret_access_key", "aws_secret_access_key", "sessiontoken", "session_token",
        "credentials",
        "profile", "password",
    ]

    /// The keys by the other names that people write for them.
    var synonyms: [String: String] {
        Dictionary(keys.flatMap { key in key.synonyms.map { ($0, key.name) } }) { first, _ in first }
    }
}
