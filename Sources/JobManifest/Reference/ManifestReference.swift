import Imaging

/// `docs/manifest.md`: the reference of manifests, made from the descriptions of their keys.
package enum ManifestReference {
    /// The document in Markdown.
    package static var markdown: String {
        let chapters = ManifestSection.chapters.flatMap { chapter in
            chapter.enumerated().map { index, section in self.section(section, level: index == 0 ? 2 : 3) }
        }
        return ([opening, languages, values] + chapters + [facts]).joined(separator: "\n\n") + "\n"
    }

    private static func section(_ section: ManifestSection, level: Int) -> String {
        var parts = [String(repeating: "#", count: level) + " " + section.title] + section.about
        if !section.keys.isEmpty {
            let rows = section.keys.map { key in
                "| `\(key.name)` | \(key.type) | \(self.default(of: key)) | \(key.summary) |"
            }
            let head = ["| key | type | default | meaning |", "| --- | --- | --- | --- |"]
            parts.append((head + rows).joined(separator: "\n"))
        }
        if let example = section.example {
            if case .list(_, let name, let rows) = example {
                parts.append("```csv file=\(name)\n\(rows)\n```")
            }
            parts.append("```json manifest=\(section.name).json\n\(example.manifest)\n```")
        }
        return parts.joined(separator: "\n\n")
    }

    /// The default of a key in Markdown.
    package static func `default`(of key: KeyDescription) -> String {
        switch key.default {
        case .value(.array(let elements)):
            "`[\(elements.map(\.text).joined(separator: ", "))]`"
        case .value(let value): "`\(value.text)`"
        case .described(let text): text
        case .none: "none"
        case .required: "required"
        }
    }

    private static var facts: String {
        let rows = Fact.allCases.map { fact in
            "| `\(fact.rawValue)` | \(fact.summary) | \(fact.needsPixels ? "pixels" : "header") |"
        }
        let head = ["| fact | value | read from |", "| --- | --- | --- |"]
        let warnings = ImageWarning.allCases.map { "- `\($0.rawValue)`: \($0.sentence)" }
        return """
            ## Facts

            nuke-batch records the facts listed in `facts` for every original; `nuke-batch export` prints them. Facts from the
            header need no decoding. `exif` does not include the `location`, which is private.

            \((head + rows).joined(separator: "\n"))

            ```json manifest=facts.json
            {
              "sources": [{"files": "photos/*"}],
              "facts": ["size", "format", "blurHash"]
            }
            ```

            ### Warnings

            A file may break a rule of its format and still tell all of its pixels. Where common decoders show such a file,
            nuke-batch shows it, and records a list of what it passed over as the fact `warnings`, without being asked. If
            `facts` names it, an image without faults has an empty list. `nuke-batch explain` prints the sentences. Data that
            end early, wrong checksums of pixels, and pixels without a meaning remain [errors](errors.md).

            \(warnings.joined(separator: "\n"))
            """
    }
}

extension ManifestSection.Example {
    /// The text of a whole manifest with the example in it.
    package var manifest: String {
        switch self {
        case .manifest(let text): text
        case .setting(let text):
            """
            {
              "sources": [{"files": "photos/*"}],
              "outputs": [{"processors": [{"resize": {"width": 320}}], "format": "jpeg"}],
            \(Self.indented(text, by: 2))
            }
            """
        case .source(let text), .list(let text, _, _):
            """
            {
              "sources": \(Self.array(of: text)),
              "outputs": [{"processors": [{"resize": {"width": 320}}], "format": "jpeg"}]
            }
            """
        case .output(let text):
            """
            {
              "sources": [{"files": "photos/*"}],
              "outputs": \(Self.array(of: text))
            }
            """
        case .processor(let text):
            """
            {
              "sources": [{"files": "photos/*"}],
              "outputs": [{"format": "png", "processors": [\(text)]}]
            }
            """
        }
    }

    private static func array(of text: String) -> String {
        text.contains("\n") ? "[\n\(indented(text, by: 4))\n  ]" : "[\(text)]"
    }

    private static func indented(_ text: String, by count: Int) -> String {
        let indent = String(repeating: " ", count: count)
        return text.split(separator: "\n").map { indent + $0 }.joined(separator: "\n")
    }
}
