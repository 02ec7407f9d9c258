import Imaging

/// Outputs from a manifest.
extension Output {
    /// Reads all outputs, and compares their names and paths.
    static func list(_ node: ManifestNode?) -> [Manifest.CheckedOutput] {
        var outputs: [Manifest.CheckedOutput] = []
        var indexOfName: [String: Int] = [:]
        var indexOfPath: [String: Int] = [:]
        for (index, element) in (node?.elements() ?? []).enumerated() {
            guard let fields = element.fields(.output) else { continue }
            let output = Output(fields)
            if let first = indexOfName[output.name] {
                (fields["name"] ?? element).report(
                    "outputs[\(first)] is named \"\(output.name)\" too: give each output a name of its own"
                )
            } else if let first = indexOfPath[output.path.description] {
                (fields["path"] ?? element).report(
                    "writes the same files as outputs[\(first)]: add {name} to the path"
                )
            }
            indexOfName[output.name] = indexOfName[output.name] ?? index
            indexOfPath[output.path.description] = indexOfPath[output.path.description] ?? index
            outputs.append(Manifest.CheckedOutput(output: output, pathNode: fields["path"] ?? element))
        }
        return outputs
    }

    private init(_ fields: Fields) {
        if let node = fields["name"], let written = node.string() {
            name = written
            if written.isEmpty { node.report("is empty: name the output") }
            if !ManifestNode.isHeaderValue(written) { node.report("holds a control character: remove it") }
        }
        processors = Step.list(fields["processors"])
        format = OutputFormat(fields["format"])
        path = Self.path(fields["path"], name: name, format: format)
        existing = fields["existing"]?.choice(Existing.self) ?? .replace
        condition = OutputCondition(fields["when"])
        background = fields["background"]?.opaqueColor() ?? background
        metadata = fields["metadata"]?.choice(MetadataPolicy.self) ?? .strip
        if format == .original, !processors.isEmpty {
            fields["processors"]?.report(
                "\"original\" copies the bytes as they came: remove the processors, or choose another format"
            )
        }
    }

    private static func path(_ node: ManifestNode?, name: String, format: OutputFormat) -> OutputPath {
        let standard = OutputPath(outputName: name, fixedExtension: format.fixedExtension)
        guard let node, let template = node.string() else { return standard }
        do {
            return try OutputPath(template, outputName: name, fixedExtension: format.fixedExtension)
        } catch {
            node.report(error.message)
            return standard
        }
    }
}

extension OutputCondition {
    fileprivate init(_ node: ManifestNode?) {
        guard let fields = node?.fields(.condition) else { return }
        minWidth = fields["minWidth"]?.integer(0...1_000_000)
        minHeight = fields["minHeight"]?.integer(0...1_000_000)
        maxAspect = fields["maxAspect"]?.number(1...1_000_000)
        types = Set(fields["types"]?.elements()?.compactMap { $0.choice(ImageFormat.self) } ?? [])
    }
}
