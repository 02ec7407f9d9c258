import Imaging

/// The widths and formats of an entry of `outputs`, which stands for one output for each of them.
struct OutputVariants {
    /// The most outputs that one entry may stand for.
    static let most = 100

    /// The output without its widths and formats.
    private let output: Output
    /// In ascending order; empty without `widths`.
    let widths: [Int]
    /// In the manifest's order; empty without `formats`.
    let formats: [OutputFormat]
    /// The node that errors of the path belong to.
    private let pathNode: ManifestNode

    /// Takes the widths and formats of an output, and compares them with its other keys.
    init(_ written: ManifestOutput, _ fields: Fields, of output: Output) {
        self.output = output
        pathNode = fields.node("path") ?? fields.owner
        let widths = written.widths
        if !widths.isEmpty, output.format == .original {
            fields.node("widths")?.report(
                "\"original\" copies the bytes: remove the widths, or choose another format"
            )
        }
        formats = written.formats
        if let node = fields.node("formats") {
            if fields.node("format") != nil {
                node.report("cannot be combined with \"format\": remove one of them")
            }
            if !widths.isEmpty || !output.processors.isEmpty, case .array = node.value.kind {
                let copy = node.elements()?.first { $0.formatWord == OutputFormat.original.word }
                copy?.report("\"original\" copies the bytes: remove it, or the widths and processors")
            }
        }
        let isFew = widths.count * max(formats.count, 1) <= Self.most
        self.widths = isFew ? widths : []
        guard !isFew else { return }
        fields.node("widths")?.report("exceeds the limit of \(Self.most) outputs: list fewer widths")
    }

    /// The name in the manifest.
    var name: String { output.name }

    /// One output for each width and format, with its own name, path, format and a last resize; without both, the output
    /// itself.
    var outputs: [Output] {
        guard !widths.isEmpty || !formats.isEmpty else { return [output] }
        var outputs: [Output] = []
        for index in widths.isEmpty ? 0..<1 : widths.indices {
            for format in formats.isEmpty ? [nil] : formats.map(Optional.some) {
                var variant = output
                if !widths.isEmpty {
                    variant.name += "-\(widths[index])"
                    variant.processors.append(.resize(Resize(width: widths[index])))
                    variant.condition.widerThan = index > 0 ? widths[index - 1] : nil
                }
                if let format {
                    variant.name += "-\(format.word)"
                    variant.format = format
                }
                outputs.append(variant)
            }
        }
        return withPaths(outputs)
    }

    /// Reads the template for each output, and reports its first problem, or that it gives two outputs one path.
    private func withPaths(_ outputs: [Output]) -> [Output] {
        var outputs = outputs
        var known: [PathKey: Output] = [:]
        for index in outputs.indices {
            let path = pathNode.reporting { () throws(TextError) in try self.path(of: outputs[index]) }
            guard let path else { return outputs }
            outputs[index].path = path
            let output = outputs[index]
            let key = PathKey(output)
            if let first = known[key] {
                let missing = first.processors == output.processors ? "{ext}" : "{width}"
                pathNode.report(
                    "gives \"\(first.name)\" and \"\(output.name)\" the same path: add \(missing) or {output}"
                )
                return outputs
            }
            known[key] = output
        }
        return outputs
    }

    private func path(of variant: Output) throws(TextError) -> OutputPath {
        let (template, ext) = (output.path.template, variant.format.fixedExtension)
        let names = output.path.names
        if template == OutputPath.standard {
            return OutputPath(outputName: variant.name, fixedExtension: ext, names: names)
        }
        return try OutputPath(template, outputName: variant.name, fixedExtension: ext, names: names)
    }

    /// The parts of a path that distinguish the outputs of one entry.
    private struct PathKey: Hashable {
        let path: String
        let format: OutputFormat?
        let processors: [Step]

        init(_ output: Output) {
            let late = output.path.lateVariables
            path = output.path.description
            format = late.contains(.ext) ? output.format : nil
            processors = late.isDisjoint(with: [.width, .height]) ? [] : output.processors
        }
    }
}

extension KeyKind where Value == [Int] {
    /// Widths of variants, in ascending order.
    static var widths: Self {
        let schema: CanonicalJSON = [
            "type": "array", "items": JSONSchema.side, "minItems": 1,
            "maxItems": .integer(OutputVariants.most), "uniqueItems": true,
        ]
        return KeyKind("array of pixels", schema: schema) { node in
            guard let elements = node.elements() else { return nil }
            if elements.isEmpty { node.report("is empty: add a width, or remove the key") }
            var widths: Set<Int> = []
            for element in elements {
                guard let width = element.side() else { continue }
                if !widths.insert(width).inserted { element.report("\(width) is a duplicate: remove it") }
            }
            return widths.sorted()
        } write: {
            .array($0.map(CanonicalJSON.integer))
        }
    }
}

extension KeyKind where Value == OutputFormat {
    static var format: Self {
        let schema = JSONSchema.any(
            // The choice of a format needs a floor.
            JSONSchema.words(Value.section.keys.map(\.name).filter { $0 != "smallest" }),
            JSONSchema.section(Value.section)
        )
        return KeyKind("word or object", schema: schema, read: { Value($0) }, write: \.canonical)
    }
}

extension KeyKind where Value == [OutputFormat] {
    /// Formats of variants, each once.
    static var formats: Self {
        let schema: CanonicalJSON = [
            "type": "array", "items": KeyKind<OutputFormat>.format.schema, "minItems": 1, "uniqueItems": true,
        ]
        return KeyKind("array of words or objects", schema: schema) { node in
            guard let elements = node.elements() else { return nil }
            if elements.isEmpty { node.report("is empty: add a format, or remove the key") }
            var formats: [OutputFormat] = []
            var words: Set<String> = []
            for element in elements {
                let format = OutputFormat(element)
                if let word = element.formatWord, !words.insert(word).inserted {
                    element.report("\"\(word)\" is a duplicate: remove it")
                    continue
                }
                formats.append(format)
            }
            return formats
        } write: {
            .array($0.map(\.canonical))
        }
    }
}

extension ManifestNode {
    /// The name of a format as written, with or without settings; nil for anything else.
    fileprivate var formatWord: String? {
        switch value.kind {
        case .string(let word): word
        case .object(let members): members.count == 1 ? members[0].key : nil
        default: nil
        }
    }
}
