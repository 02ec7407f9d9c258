import Imaging

/// Outputs from a manifest.
extension Output {
    /// Reads all outputs, and compares their names and paths.
    static func list(_ node: ManifestNode?) -> [CheckedOutputs] {
        var entries: [CheckedOutputs] = []
        var indexOfName: [String: Int] = [:]
        var indexOfPath: [SharedPath: Int] = [:]
        for (index, element) in (node?.elements() ?? []).enumerated() {
            guard let fields = element.fields(ManifestOutput.section) else { continue }
            var written = ManifestOutput()
            written.read(fields)
            var output = Output(written, fields)
            output.entry = index
            let variants = OutputVariants(written, fields, of: output)
            let outputs = variants.outputs
            if outputs.contains(where: { $0.format == .original }), let node = fields.node("metadata"),
                case .object = node.value.kind
            {
                node.report("\"original\" copies the bytes, with all metadata: choose another format")
            }
            if written.hdr == .tonemap, outputs.contains(where: { $0.format == .original }) {
                fields.node("hdr")?.report(
                    "\"original\" copies the bytes, whatever their brightness: choose another format"
                )
            }
            let paths = Set(outputs.compactMap(\.sharedPath))
            if let known = outputs.first(where: { indexOfName[$0.name] != nil }) {
                (fields.node("name") ?? element).report(
                    "outputs[\(indexOfName[known.name] ?? 0)] has the name \"\(known.name)\" too: give each output a unique name"
                )
            } else if let first = paths.compactMap({ indexOfPath[$0] }).min() {
                (fields.node("path") ?? element).report(
                    "writes the same files as outputs[\(first)]: add {output} to the path"
                )
            }
            for output in outputs { indexOfName[output.name] = indexOfName[output.name] ?? index }
            for path in paths { indexOfPath[path] = indexOfPath[path] ?? index }
            var entry = CheckedOutputs(outputs: outputs, pathNode: fields.node("path") ?? element)
            if let markup = Markup(fields, of: variants, outputs) {
                entry.markup = (markup, fields.node("markup") ?? element)
            }
            entry.objectNode = fields.node("object")
            entry.animationNode = fields.node("animation")
            entries.append(entry)
        }
        return entries
    }

    /// Reports attributes of objects where outputs are files, or members of tar files.
    static func checkObjects(_ entries: [CheckedOutputs], in place: Destination, isPacked: Bool) {
        for entry in entries where entry.outputs.contains(where: { $0.object != ObjectSettings() }) {
            if place.bucket == nil {
                entry.objectNode?.report("is for a destination s3://bucket/prefix: remove it")
            } else if isPacked {
                entry.objectNode?.report("needs objects of their own: remove it, or the dataset's \"pack\"")
            }
        }
    }

    private init(_ written: ManifestOutput, _ fields: Fields) {
        name = written.name
        processors = written.processors
        format = written.format
        path = Self.path(written, at: fields.node("path"))
        existing = written.existing
        onCollision = written.onCollision
        condition = written.condition
        background = written.background
        metadata = written.metadata
        hdr = written.hdr
        animation = written.animation
        object = written.object
        if format == .original, !processors.isEmpty {
            fields.node("processors")?.report(
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

    private static func path(_ output: ManifestOutput, at node: ManifestNode?) -> OutputPath {
        let (name, names, ext) = (output.name, output.names, output.format.fixedExtension)
        let standard = OutputPath(outputName: name, fixedExtension: ext, names: names)
        guard let template = output.path else { return standard }
        let path = node?.reporting { () throws(TextError) in
            try OutputPath(template, outputName: name, fixedExtension: ext, names: names)
        }
        return path ?? standard
    }
}
