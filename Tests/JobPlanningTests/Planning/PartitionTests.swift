import JobManifest
import JobStorage
import Testing

@testable import JobPlanning

@Suite struct PartitionTests {
    private func item(_ number: Int, id: String? = nil) -> NewItem {
        NewItem(ordinal: number, url: "https://a.example/\(number).jpg", id: id, host: "a.example")
    }

    private func parts(_ count: Int) throws -> [Partition] {
        try (1...count).map { try #require(Partition("\($0)/\(count)")) }
    }

    @Test("each item is in exactly one partition", arguments: [1, 2, 3, 7, 64])
    func membership(count: Int) throws {
        let parts = try parts(count)
        var sizes = [Int](repeating: 0, count: count)
        for number in 0..<2000 {
            let item = item(number)
            let found = parts.indices.filter { parts[$0].contains(key: item.key) }
            try #require(found.count == 1, "\(number)")
            sizes[found[0]] += 1
        }
        // A binomial spread of six deviations.
        let mean = 2000.0 / Double(count)
        #expect(sizes.allSatisfy { abs(Double($0) - mean) < 6 * mean.squareRoot() + 1 }, "\(sizes)")
    }

    @Test(
        "a part is written as two numbers without signs",
        arguments: ["+3/8", "3/+8", "3/8/", "0/8", "9/8", "3/\u{301}8"]
    )
    func wrong(text: String) {
        #expect(Partition(text) == nil)
    }

    @Test("equal rows share a partition wherever they stand; another id may be elsewhere")
    func identity() throws {
        let parts = try parts(5)
        for number in 0..<100 {
            var other = item(number)
            other.ordinal = number + 50_000
            other.priority = 4
            other.location = "elsewhere.txt:1"
            #expect(
                parts.map { $0.contains(key: item(number).key) } == parts.map { $0.contains(key: other.key) }
            )
        }
        let moved = (0..<100).count { number in
            parts.map { $0.contains(key: item(number).key) }
                != parts.map { $0.contains(key: item(number, id: "x").key) }
        }
        #expect(moved > 40)
    }
}
