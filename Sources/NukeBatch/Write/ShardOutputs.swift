import Datasets
import Foundation
import Imaging
import JobManifest
import JobPlanning
import JobStorage

/// The stage "write" of a dataset in shards: writes an item's outputs and a JSON file that describes it side by side.
struct ShardOutputs: OutputDestination {
    let writer: ShardWriter
    /// True if items have several outputs, which are distinguished by their names.
    let hasSeveral: Bool
    /// The captions that stand beside the outputs.
    var captions: [DatasetCaption] = []

    /// Writes an item to a shard if none of its outputs failed, so that every item in a shard is complete.
    func write(_ rendering: Rendering, of item: OutputItem) async throws(ItemError) -> [OutputRecord] {
        var (outputs, members) = ([OutputRecord](), Data())
        // Rows have other IDs in each partition's state.
        let key = Shard.key(
            ofItem: writer.files.prefix.isEmpty ? item.claimed.itemID : Int64(item.claimed.ordinal)
        )
        for output in rendering.outputs {
            switch output.result {
            case .encoded(let encoded):
                let name = PathValue.sanitized(output.recipe.output.name)
                let member = "\(key)\(hasSeveral ? ".\(name)" : "").\(encoded.format.fileExtension)"
                members += TarMember.header(name: member, size: encoded.data.count)
                var output = OutputRecord(made: encoded, by: output.recipe, of: item.original, path: member)
                output.shardOffset = members.count
                outputs.append(output)
                members += encoded.data
                members += TarMember.padding(after: encoded.data.count)
            case .skipped(let reason):
                outputs.append(.skipped(output.recipe, reason: reason))
            case .failed(let error):
                outputs.append(.failed(output.recipe, error))
            }
        }
        if outputs.contains(where: { $0.state == .failed }) { return outputs.filter { $0.state != .done } }
        guard outputs.contains(where: { $0.state == .done }) else { return outputs }
        for caption in captions where writer.files.format == .tar {
            let text = caption.text(of: item.planned)
            members += TarMember.whole(name: "\(key).\(caption.suffix)", Data(text.utf8))
        }
        let text = ShardItem(item, outputs: outputs, facts: rendering.facts).text
        members += TarMember.whole(name: "\(key).json", Data(text.utf8))
        let entry = ShardWriter.Entry(item: item.claimed, members: members, outputs: outputs)
        return try await writer.append(entry)
    }

    func check() throws(ItemError) {
        try writer.files.check()
    }

    func stop() {
        writer.files.stop()
    }

    /// Renders all outputs of an item if any is missing, since the members of an item stand together.
    func split(_ recipes: [Recipe], known: [OutputRecord], original: Original) -> (
        missing: [Recipe], reused: [OutputRecord]
    ) {
        let reused = recipes.compactMap { recipe in
            known.first { output in
                guard output.name == recipe.output.name, output.recipe == recipe.digest else { return false }
                return output.state == .skipped
                    || output.state == .done && output.shardOffset != nil
                        && output.spec == recipe.specification(originalSHA256: original.sha256)
            }
        }
        // An output that was made proves that the others were skipped for the same original.
        let isWhole = reused.count == recipes.count && reused.contains { $0.state == .done }
        return isWhole ? ([], reused) : (recipes, [])
    }
}

/// The JSON file of an item; null for unknown values.
private struct ShardItem {
    let url: String
    let id: String?
    /// The digest of the original.
    let sha256: String
    let bytes: Int
    let width: Int?
    let height: Int?
    let facts: ItemFacts?
    let columns: ItemColumns
    /// The outputs in the shard, by their names in the manifest.
    let outputs: [String: CanonicalJSON]

    init(_ item: OutputItem, outputs made: [OutputRecord], facts: ItemFacts?) {
        let (original, item) = (item.original, item.planned)
        url = ItemListing.withoutUser(item.url)
        sha256 = original.sha256
        bytes = original.data.count
        columns = ItemColumns(item)
        outputs = Dictionary(
            uniqueKeysWithValues: made.filter { $0.state == .done }.map { output in
                var told = [
                    "bytes": Self.number(output.bytes), "sha256": Self.text(output.sha256),
                    "width": Self.number(output.width), "height": Self.number(output.height),
                ]
                if let score = output.ssimulacra2 { told["ssimulacra2"] = .number(score) }
                return (output.name, .object(told))
            }
        )
        let size = try? ImageHeader.read(original.data).size
        (id, width, height) = (item.id, size?.width, size?.height)
        self.facts = facts
    }

    var text: String {
        let object: CanonicalJSON = [
            "url": .string(url), "id": Self.text(id), "sha256": .string(sha256), "bytes": .integer(bytes),
            "width": Self.number(width), "height": Self.number(height), "columns": columns.object,
            "facts": facts.map { .written(JSONLine.text($0)) } ?? .null, "outputs": .object(outputs),
        ]
        return object.text + "\n"
    }

    private static func number(_ value: Int?) -> CanonicalJSON { value.map(CanonicalJSON.integer) ?? .null }

    private static func text(_ value: String?) -> CanonicalJSON { value.map(CanonicalJSON.string) ?? .null }
}
