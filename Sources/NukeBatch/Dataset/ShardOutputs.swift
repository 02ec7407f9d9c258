import Foundation
import Imaging
import JobStorage

/// The stage "write" of a dataset in shards: the pictures of an item and a JSON file with what is known of it, side by side.
struct ShardOutputs: OutputDestination {
    let writer: ShardWriter
    /// Whether items have several outputs, which tell themselves apart by their names.
    let hasSeveral: Bool

    /// An item of which an output failed leaves nothing in a shard, so that it is whole once it is in one.
    func write(
        _ pictures: [Picture],
        of item: ClaimedItem,
        _ planned: PlannedItem,
        original: Original,
        facts: ItemFacts?
    ) async throws(ItemError) -> [OutputResult] {
        var (outputs, members) = ([OutputResult](), Data())
        let key = TarShard.key(ofItem: item.itemID)
        for picture in pictures {
            switch picture.result {
            case .encoded(let encoded):
                let name = PathValue.sanitized(picture.recipe.output.name)
                let member = "\(key)\(hasSeveral ? ".\(name)" : "").\(encoded.fileExtension)"
                members += TarMember.header(name: member, size: encoded.data.count)
                var output = OutputResult(made: encoded, picture.recipe, of: original, path: member)
                output.shardOffset = members.count
                outputs.append(output)
                members += encoded.data
                members += TarMember.padding(after: encoded.data.count)
            case .skipped(let reason):
                outputs.append(.skipped(picture.recipe, reason: reason))
            case .failed(let error):
                outputs.append(.failed(picture.recipe, error))
            }
        }
        if outputs.contains(where: { $0.state == .failed }) { return outputs.filter { $0.state != .done } }
        guard outputs.contains(where: { $0.state == .done }) else { return outputs }
        let text = Data(ShardItem(planned, original, outputs, facts).text.utf8)
        members += TarMember.header(name: "\(key).json", size: text.count)
        members += text
        members += TarMember.padding(after: text.count)
        return try await writer.append(ShardWriter.Entry(item: item, members: members, outputs: outputs))
    }

    /// Nothing, or everything where anything is missing: the members of an item stand together.
    func split(_ recipes: [Recipe], known: [OutputResult], original: Original) -> (
        missing: [Recipe], reused: [OutputResult]
    ) {
        let reused = recipes.compactMap { recipe in
            known.first { output in
                guard output.name == recipe.output.name, output.recipe == recipe.digest else { return false }
                return output.state == .skipped
                    || output.state == .done && output.shardOffset != nil
                        && output.spec == recipe.specification(originalSHA256: original.sha256)
            }
        }
        // One that is made proves that what was skipped was skipped for the same original.
        let isWhole = reused.count == recipes.count && reused.contains { $0.state == .done }
        return isWhole ? ([], reused) : (recipes, [])
    }
}

/// What the JSON file of an item tells, a key each; null where nothing is known.
private struct ShardItem: Encodable {
    struct Output: Encodable {
        let bytes: Int?
        let sha256: String?
        let width: Int?
        let height: Int?
    }

    let url: String
    @Nullable var id: String?
    /// Of the original.
    let sha256: String
    let bytes: Int
    @Nullable var width: Int?
    @Nullable var height: Int?
    @Nullable var facts: ItemFacts?
    let columns: [String: String]
    /// Those in the shard, by their names in the manifest.
    let outputs: [String: Output]

    init(_ item: PlannedItem, _ original: Original, _ made: [OutputResult], _ facts: ItemFacts?) {
        url = item.url
        sha256 = original.sha256
        bytes = original.data.count
        columns = item.variables
        outputs = Dictionary(
            uniqueKeysWithValues: made.filter { $0.state == .done }.map { output in
                let told = Output(
                    bytes: output.bytes,
                    sha256: output.sha256,
                    width: output.width,
                    height: output.height
                )
                return (output.name, told)
            }
        )
        let size = try? ImageHeader.read(original.data).size
        (id, width, height) = (item.id, size?.width, size?.height)
        self.facts = facts
    }

    var text: String { JSONLine.text(self) + "\n" }
}
