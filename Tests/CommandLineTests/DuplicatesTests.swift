import Foundation
import Imaging
import TestSupport
import Testing

/// `duplicates`: near copies among the items of a job, by the hashes that a run recorded.
@Suite(.timeLimit(.minutes(10))) struct DuplicatesTests {
    let job: JobFolder

    /// Two photographs, the first also in half of its size and in the same bytes, and an image without detail.
    init() throws {
        job = try JobFolder()
        let coffee = try Repository.photo("coffee.png")
        let image = try ImageDecoder.decode(coffee)
        let half = try Resize(width: 300).apply(to: image, nominalSize: image.size, chroma: nil)
        try job.folder.write(coffee, to: "1.png")
        try job.folder.write(try Repository.photo("rocket.jpg"), to: "2.jpg")
        try job.folder.write(try ImageEncoder.encode(half, as: .jpeg()), to: "3.jpg")
        try job.folder.write(coffee, to: "4.png")
        try job.folder.write(try TestImages.tiny(1), to: "5.png")
    }

    private func write(facts: String = #"["pdq"]"#) throws {
        try job.write(#""sources": [{"files": "*.{png,jpg}"}], "outputs": [], "facts": \#(facts)"#)
    }

    @Test("lists each near copy once, under the first item, with its distance")
    func groups() async throws {
        try write()
        #expect(try await job.nukeBatch("run", "job.json").exit == 0)
        let found = try await job.nukeBatch("duplicates", "job.json", "--json")
        #expect(found.exit == 0, "\(found.errors)")
        let groups = try ToldJob.objects(found)
        try #require(groups.count == 1, "\(found.output)")
        let first = try #require(groups[0]["first"] as? [String: Any])
        #expect(
            first["index"] as? Int == 1 && first.keys.sorted() == ["id", "index", "location", "state", "url"]
        )
        let copies = try #require(groups[0]["copies"] as? [[String: Any]])
        let places = copies.compactMap { ($0["item"] as? [String: Any])?["index"] as? Int }
        #expect(places == [3, 4])
        let distances = copies.compactMap { $0["distance"] as? Int }
        #expect(distances.count == 2 && distances[0] <= 12 && distances[1] == 0, "\(distances)")

        let text = try await job.nukeBatch("duplicates", "job.json")
        #expect(text.lines.count == 4, "\(text.output)")
        #expect(text.lines[0].hasSuffix("1.png") && text.lines[2].hasPrefix("    0  "))
        #expect(
            text.lines[3]
                == "2 of 4 items are near copies; 1 more show too little to be compared (--quality)",
            "\(text.output)"
        )
        let same = try await job.nukeBatch("duplicates", "job.json", "--distance", "0")
        #expect(same.lines.last?.hasPrefix("1 of 4 items") == true || distances[0] == 0, "\(same.output)")
    }

    @Test("the items of all partitions are compared in the order of the manifest")
    func partitions() async throws {
        try write()
        for part in ["1/2", "2/2"] {
            #expect(try await job.nukeBatch("run", "job.json", "--shard", part).exit == 0)
        }
        let all = try await job.nukeBatch("duplicates", "job.json", "--all-shards")
        #expect(all.exit == 0, "\(all.errors)")
        #expect(all.lines.first?.hasSuffix("1.png") == true && all.lines.count == 4, "\(all.output)")
    }

    @Test("a job without hashes is told how to get them, and a wrong distance what is right")
    func wrong() async throws {
        try write(facts: #"["size"]"#)
        #expect(try await job.nukeBatch("run", "job.json").exit == 0)
        let none = try await job.nukeBatch("duplicates", "job.json")
        #expect(none.exit == 2 && none.errors.contains(#"add "pdq" to "facts""#), "\(none.errors)")
        let far = try await job.nukeBatch("duplicates", "job.json", "--distance", "65")
        #expect(
            far.exit == 2 && far.errors.contains("--distance takes a whole number from 0 to 64"),
            "\(far.errors)"
        )
    }
}
