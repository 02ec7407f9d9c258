import Files

/// A text about an item that is a file beside its images in a shard.
public struct DatasetCaption: Sendable, Equatable {
    /// The column, or variable, that has the text.
    public let column: String
    /// The rest of the file's name behind the item's key and a dot: `txt`, or `COLUMN.txt` for one of several.
    package let suffix: String

    /// Names the column of a caption, or that of one of several.
    public init(column: String, isOneOfSeveral: Bool = false) {
        self.column = column
        suffix = isOneOfSeveral ? "\(PathValue.sanitized(column)).txt" : "txt"
    }

    /// The caption of an item, whose lines end with LF; empty if the item has none, so that every item has the file.
    package func text(of item: PlannedItem) -> String {
        let text = item.variables[column] ?? ""
        guard text.containsASCII("\r") else { return text }
        // By scalars, as CR and LF are one `Character`, also behind another CR.
        var lines = text.parts(at: "\r").map(String.init)
        for line in lines.indices.dropFirst() { lines[line] = lines[line].rest(behind: "\n") ?? lines[line] }
        return lines.joined(separator: "\n")
    }

    /// The columns that a manifest names: one, or an array of them.
    static func list(_ node: ManifestNode) -> [DatasetCaption]? {
        guard case .array = node.value.kind else { return column(node).map { [DatasetCaption(column: $0)] } }
        guard let elements = node.elements() else { return nil }
        if elements.isEmpty { node.report("is empty: name a column, or remove it") }
        var captions: [DatasetCaption] = []
        for element in elements {
            guard let column = column(element) else { continue }
            let caption = DatasetCaption(column: column, isOneOfSeveral: true)
            // webdataset reads the ends of names without their case.
            if captions.contains(where: { $0.suffix.lowercased() == caption.suffix.lowercased() }) {
                element.report(
                    "has the same file, KEY.\(caption.suffix), as another column: rename one, or remove it"
                )
            }
            captions.append(caption)
        }
        return captions
    }

    private static func column(_ node: ManifestNode) -> String? {
        guard let column = node.string() else { return nil }
        guard !column.isEmpty else {
            node.report("is empty: name a column")
            return nil
        }
        return column
    }

    /// The value of the key `caption` for these captions.
    static func written(_ captions: [DatasetCaption]) -> CanonicalJSON {
        if captions.count == 1, captions[0].suffix == "txt" { return .string(captions[0].column) }
        return .array(captions.map { .string($0.column) })
    }
}
