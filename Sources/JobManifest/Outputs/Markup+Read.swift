/// Markup from a manifest.
extension Markup {
    /// Reads the markup of an entry of `outputs`; nil if it has none, or after an error of its file.
    init?(_ fields: Fields, of variants: OutputVariants, _ outputs: [Output]) {
        guard let own = fields.node("markup")?.fields(Self.section) else { return nil }
        guard let first = outputs.first, let file = File(own, outputName: variants.name) else { return nil }
        self.file = file
        name = variants.name
        existing = first.existing
        altColumn = own[MarkupKeys.alt] ?? MarkupKeys.alt.standard
        baseURL = Self.baseURL(own)
        let hasWidths = !variants.widths.isEmpty
        sizes = hasWidths ? own[MarkupKeys.sizes] ?? MarkupKeys.sizes.standard : nil
        if !hasWidths { own.node(MarkupKeys.sizes)?.report("has no effect here: it needs \"widths\"") }
        var formats: [Format] = []
        for format in variants.formats.isEmpty ? [first.format] : variants.formats {
            formats.append(
                Format(
                    mediaType: format.mediaType,
                    outputs: outputs.filter { $0.format == format }.map(\.name)
                )
            )
        }
        self.formats = formats
        if formats.dropLast().contains(where: { $0.mediaType == nil }) {
            fields.node("formats")?.report(
                "has a format that depends on the original: list it last, where markup needs no type"
            )
        }
    }

    /// Reports files that two outputs would write, and markup that a dataset has no place for.
    static func check(_ entries: [CheckedOutputs], with dataset: DatasetSettings?) {
        var entryOfPath: [String: Int] = [:]
        for entry in entries {
            for output in entry.outputs { entryOfPath[output.path.description] = output.entry }
        }
        for entry in entries {
            guard let (markup, node) = entry.markup else { continue }
            if dataset?.pack != nil {
                node.report("needs files of their own: remove it, or the dataset's \"pack\"")
            }
            if let known = entryOfPath[markup.path] {
                node.report("writes the same files as outputs[\(known)]: name another file")
            } else if dataset?.index == markup.path {
                node.report("is the dataset's index: name another file")
            }
            entryOfPath[markup.path] = entryOfPath[markup.path] ?? entry.outputs[0].entry
        }
    }

    private static func baseURL(_ fields: Fields) -> String {
        guard let node = fields.node(MarkupKeys.baseURL), let url = fields[MarkupKeys.baseURL] else {
            return ""
        }
        if url.isEmpty { node.report("is empty: remove it, or write a URL") }
        if url.unicodeScalars.contains(where: {
            $0.value <= 0x20 || $0.value == 0x7F || "\"'<>\\,?#".unicodeScalars.contains($0)
        }) {
            node.report("should be a URL or path without spaces, quotes, commas, ? and #")
        }
        return url.utf8.last == UInt8(ascii: "/") ? url : url + "/"
    }
}

extension Markup.File {
    /// Reads `file`; nil after an error.
    fileprivate init?(_ fields: Fields, outputName: String) {
        guard let node = fields.node(MarkupKeys.file), let template = fields[MarkupKeys.file] else {
            return nil
        }
        let path = node.reporting { () throws(TextError) in
            try OutputPath(template, outputName: outputName, fixedExtension: nil)
        }
        guard let path else { return nil }
        let late = path.lateVariables.subtracting([.hash, .shard]).map { "{\($0.rawValue)}" }.sorted()
        if let variable = late.first {
            node.report("has \(variable), which differs between the images of an item: remove it")
            return nil
        }
        let isIndex = path.parts.allSatisfy { if case .text = $0 { true } else { false } }
        let ending = isIndex ? ".json" : ".html"
        guard path.description.utf8.suffix(5).elementsEqual(ending.utf8) else {
            node.report(
                isIndex
                    ? "should end in .json, for an index, or hold a variable such as {stem}, for a snippet of each item"
                    : "should end in .html, as a snippet of each item"
            )
            return nil
        }
        self = isIndex ? .index(PathValue.joined(path.description)) : .snippets(path)
    }
}
