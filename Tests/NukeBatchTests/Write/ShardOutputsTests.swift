import Files
import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import JobStorage
import Testing

@testable import Datasets
@testable import NukeBatch

@Suite(.timeLimit(.minutes(10))) struct ShardOutputsTests {
    private static let text = #"""
        {"sources": [{"urls": ["https://a.example/1.jpg"]}], "destination": "out", "dataset": {"pack": "tar"},
         "outputs": [{"name": "small one", "format": "jpeg"}, {"name": "web", "format": "jpeg"}]}
        """#

    private let job: RunningJob
    private let files: ShardFolder
    private let writer: ShardWriter
    private let recipes: [Recipe]

    init() throws {
        job = try RunningJob(Self.text)
        files = try ShardFolder(job.manifest, job.store) { Issue.record("\($0)") }
        writer = ShardWriter(files, job.store, itemsPerFile: 10)
        recipes = try job.manifest.recipes(["small one", "web"])
    }

    private func write(
        _ outputs: [RenderedOutput],
        hasSeveral: Bool = true,
        of data: Data = Data("original".utf8)
    ) async throws -> (key: String, results: [OutputRecord]) {
        let item = try #require(try await job.claim(hosts: ["a.example"]).first)
        let planned = PlannedItem(item, of: job.manifest)
        let facts = ItemFacts([.format: .string("png")])
        let results = try await ShardOutputs(writer: writer, hasSeveral: hasSeveral).write(
            Rendering(outputs: outputs, facts: facts),
            of: OutputItem(claimed: item, planned: planned, original: original(data))
        )
        return (Shard.key(ofItem: item.itemID), results)
    }

    private func bytes(_ output: OutputRecord) throws -> String {
        let path = try #require(output.path)
        let data = try files.folder.readOutput(
            path,
            shardOffset: output.shardOffset,
            bytes: try #require(output.bytes)
        )
        return String(decoding: data, as: UTF8.self)
    }

    @Test("an item's outputs stand together, each under its name")
    func members() async throws {
        let long = String(repeating: "x", count: 513)
        let (key, results) = try await write([rendered(recipes[0], "one"), rendered(recipes[1], long)])
        let name = PathValue.sanitized("small one")
        #expect(results.map(\.path) == ["00000.tar/\(key).\(name).jpg", "00000.tar/\(key).web.jpg"])
        // A header, a block with the first output, another header.
        #expect(results.map(\.shardOffset) == [512, 1536])
        #expect(try results.map { try bytes($0) } == ["one", long])
        #expect(results.map(\.bytes) == [3, 513])
    }

    @Test("the only output of an item needs no name")
    func single() async throws {
        let (key, results) = try await write([rendered(recipes[0], "one")], hasSeveral: false)
        #expect(results.map(\.path) == ["00000.tar/\(key).jpg"])
    }

    @Test("a description of the item stands after its outputs")
    func description() async throws {
        let image = try pngFile(5, 4)
        let skipped = RenderedOutput(recipe: recipes[1], result: .skipped("exists"))
        let (key, results) = try await write([rendered(recipes[0], "one"), skipped], of: image)
        #expect(results.map(\.state) == [.done, .skipped])
        let shard = try files.folder.read("00000.tar.part")
        // Two blocks of the output, the description's header, and what it says.
        #expect(shard.dropFirst(1024).starts(with: Data("\(key).json\0".utf8)))
        let text = String(decoding: shard.dropFirst(1536).prefix { $0 != 0 }, as: UTF8.self)
        let hash = try #require(results[0].sha256)
        let expected = #"""
            {"bytes":\#(image.count),"columns":{},"facts":{"format":"png"},"height":4,"id":"id-1",\#
            "outputs":{"small one":{"bytes":3,"height":2,"sha256":"\#(hash)","width":3}},\#
            "sha256":"\#(original(image).sha256)","url":"https://a.example/1.jpg","width":5}

            """#
        #expect(text == expected)
        #expect(shard.count == 2048)
    }

    @Test("captions stand before the description, with line ends of LF; one that an item lacks is empty")
    func captions() async throws {
        let item = try #require(try await job.claim(hosts: ["a.example"]).first)
        let planned = PlannedItem(
            index: 1,
            url: item.url,
            target: item.url,
            id: nil,
            headers: [:],
            priority: .normal,
            variables: ["a": "x\r\ny\rz\n\r\r\n", "n": "7"],
            typedColumns: ["n": "7", "none": "null"],
            source: 0,
            problem: nil,
            validator: nil,
            base: nil,
            position: .file("list:1")
        )
        var shards = ShardOutputs(writer: writer, hasSeveral: false)
        shards.captions = [DatasetCaption(column: "a")]
        shards.captions += ["n", "none", "a b"].map { DatasetCaption(column: $0, isOneOfSeveral: true) }
        _ = try await shards.write(
            Rendering(outputs: [rendered(recipes[0], "one")], facts: nil),
            of: OutputItem(claimed: item, planned: planned, original: original())
        )
        let shard = try files.folder.read("00000.tar.part")
        let key = Shard.key(ofItem: item.itemID)
        // Each member takes a header and, unless it is empty, one block.
        var offset = 1024
        for (suffix, text) in [("txt", "x\ny\nz\n\n\n"), ("n.txt", "7"), ("none.txt", ""), ("a_b.txt", "")] {
            let member = shard.dropFirst(offset)
            #expect(member.starts(with: Data("\(key).\(suffix)\0".utf8)))
            offset += 512
            let content = String(decoding: member.dropFirst(512).prefix { $0 != 0 }, as: UTF8.self)
            if text.isEmpty { continue }
            #expect(content == text)
            offset += 512
        }
        #expect(shard.dropFirst(offset).starts(with: Data("\(key).json\0".utf8)))
        let told = String(decoding: shard.dropFirst(offset + 512).prefix { $0 != 0 }, as: UTF8.self)
        #expect(told.contains(#""columns":{"a":"x\r\ny\rz\n\r\r\n","n":7,"none":null}"#), "\(told)")
    }

    @Test("an item with a failed output is in no shard")
    func failed() async throws {
        let failure = RenderedOutput(recipe: recipes[1], result: .failed(itemError("limits")))
        let (_, results) = try await write([rendered(recipes[0]), failure])
        #expect(results.map(\.name) == ["web"])
        #expect(results[0].state == .failed)
        #expect(try files.folder.names() == [])
        #expect(try !files.hasOpenShard)
    }

    @Test("an item of which nothing is made is in no shard")
    func skipped() async throws {
        let (_, results) = try await write(recipes.map { RenderedOutput(recipe: $0, result: .skipped("r")) })
        #expect(results.map(\.state) == [.skipped, .skipped])
        #expect(try files.folder.names() == [])
    }

    @Test("all outputs of an item are used again, or none")
    func split() throws {
        let original = original()
        let shards = ShardOutputs(writer: writer, hasSeveral: true)
        let made = recipes.map { recipe in
            var output = output(recipe.output.name)
            (output.recipe, output.shardOffset) = (recipe.digest, 512)
            output.spec = recipe.specification(originalSHA256: original.sha256)
            return output
        }
        var skipped = made[1]
        skipped.state = .skipped
        for known in [made, [made[0], skipped]] {
            let (missing, reused) = shards.split(recipes, known: known, original: original)
            #expect(missing.isEmpty && reused == known)
        }
        for change: (inout OutputRecord) -> Void in [
            { $0.name = "other" }, { $0.recipe = "other" }, { $0.state = .failed }, { $0.shardOffset = nil },
            { $0.spec = "other" },
        ] {
            var other = made[1]
            change(&other)
            let (missing, reused) = shards.split(recipes, known: [made[0], other], original: original)
            #expect(missing.count == 2 && reused.isEmpty)
        }
        // Nothing tells of which original they were skipped.
        var both = [skipped, skipped]
        both[0].name = made[0].name
        both[0].recipe = made[0].recipe
        #expect(shards.split(recipes, known: both, original: original).missing.count == 2)
    }
}
