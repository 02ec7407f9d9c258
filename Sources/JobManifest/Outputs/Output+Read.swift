import Imaging

/// Outputs from a manifest.
extension Output {
    /// Reads all outputs, and compares their names and paths.
    static func list(_ node: ManifestNode?) -> [Manifest.CheckedOutputs] {
        var entries: [Manifest.CheckedOutputs] = []
        var indexOfName: [String: Int] = [:]
        var indexOfPath: [SharedPath: Int] = [:]
        for (index, element) in (node?.elements() ?? []).enumerated() {
            guard let fields = element.fields(.output) else { continue }
            var output = Output(fields)
            output.entry = index
            let variants = OutputVariants(fields, of: output)
            let outputs = variants.outputs
            let paths = Set(outputs.compactMap(\.sharedPath))
            if let known = outputs.first(where: { indexOfName[$0.name] != nil }) {
                (fields.node(OutputKeys.name) ?? element).report(
                    "outputs[\(indexOfName[known.name] ?? 0)] has the name \"\(known.name)\" too: give each output a unique name"
                )
            } else if let first = paths.compactMap({ indexOfPath[$0] }).min() {
                (fields.node(OutputKeys.path) ?? element).report(
                    "writes the same files as outputs[\(first)]: add {output} to the path"
                )
            }
            for output in outputs { indexOfName[output.name] = indexOfName[output.name] ?? index }
            for path in paths { indexOfPath[path] = indexOfPath[path] ?? index }
            var entry = Manifest.CheckedOutputs(
                outputs: outputs,
                pathNode: fields.node(OutputKeys.path) ?? element
            )
            if let markup = Markup(fields, of: variants, outputs) {
                entry.markup = (markup, fields.node(OutputKeys.markup) ?? element)
            }
            entry.objectNode = fields.node(OutputKeys.object)
            entries.append(entry)
        }
        return entries
    }

    /// Reports attributes of objects where outputs are files, or members of tar files.
    static func checkObjects(_ entries: [Manifest.CheckedOutputs], in place: Destination, isPacked: Bool) {
        for entry in entries where entry.outputs.contains(where: { $0.object != ObjectSettings() }) {
            if place.bucket == nil {
                entry.objectNode?.report("is for a destination s3://bucket/prefix: remove it")
            } else if isPacked {
                entry.objectNode?.report("needs objects of their own: remove it, or the dataset's \"pack\"")
            }
        }
    }

    private init(_ fields: Fields) {
        if let node = fields.node(OutputKeys.name), let written = fields[OutputKeys.name] {
            name = written
            if written.isEmpty { node.report("is empty: name the output") }
            if !ManifestNode.isHeaderValue(written) { node.report("holds a control character: remove it") }
        }
        processors = Step.list(fields[OutputKeys.processors])
        format = OutputFormat(fields[OutputKeys.format])
        let names = fields[OutputKeys.names] ?? OutputKeys.names.standard
        path = Self.path(fields.node(OutputKeys.path), names, name: name, format: format)
        existing = fields[OutputKeys.existing] ?? existing
        onCollision = fields[OutputKeys.onCollision] ?? onCollision
        condition = OutputCondition(fields[OutputKeys.when])
        background = fields[OutputKeys.background] ?? background
        metadata = fields[OutputKeys.metadata] ?? metadata
        object = ObjectSettings(fields[OutputKeys.object])
        if format == .original, !processors.isEmpty {
            fields[OutputKeys.processors]?.report(
                "\"original\" copies the bytes: remove the processors, or choose another format"
            )
        }
    }

    /// The key that two outputs share if their paths are equal for every item.
    private struct SharedPath: Hashable {
        let path: String
        /// The format, where it decides about the extension.
        let format: OutputFormat?
    }

    /// Nil if the size of the results, which can differ, is in the path.
    private var sharedPath: SharedPath? {
        let late = path.lateVariables
        guard late.isDisjoint(with: [.width, .height]) else { return nil }
        return SharedPath(path: path.description, format: late.contains(.ext) ? format : nil)
    }

    private static func path(
        _ node: ManifestNode?,
        _ names: OutputPath.Names,
        name: String,
        format: OutputFormat
    ) -> OutputPath {
        let ext = format.fixedExtension
        let standard = OutputPath(outputName: name, fixedExtension: ext, names: names)
        guard let node, let template = node.string() else { return standard }
        do {
            return try OutputPath(template, outputName: name, fixedExtension: ext, names: names)
        } catch {
            node.report(error.message)
            return standard
        }
    }
}

extension OutputCondition {
    fileprivate init(_ node: ManifestNode?) {
        guard let fields = node?.fields(.condition) else { return }
        minWidth = fields[ConditionKeys.minWidth]
        minHeight = fields[ConditionKeys.minHeight]
        maxAspect = fields[ConditionKeys.maxAspect]
        types = Set(fields[ConditionKeys.types] ?? ConditionKeys.types.standard)
    }
}
