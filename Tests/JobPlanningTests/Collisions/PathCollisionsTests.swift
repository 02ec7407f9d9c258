import JobPlanning
import Testing

@Suite struct PathCollisionsTests {
    private typealias Collision = PathCollisions.Collision

    private func row(_ index: Int) -> PathCollisions.Row {
        PathCollisions.Row(index: index, location: "urls.txt:\(index)")
    }

    /// The collisions among `paths`; nil if the first pass found that there are none.
    private func collisions(_ paths: [String], items: [UInt64]? = nil) throws -> [Collision]? {
        var search = PathCollisions()
        let rows = zip(paths, items ?? paths.indices.map { UInt64($0) })
        for (path, item) in rows { try search.add(path, output: 0, of: item) }
        try search.endFirstPass()
        guard search.needsSecondPass else { return nil }
        return rows.enumerated().compactMap { index, row in
            search.compare(row.0, output: 0, of: row.1, row: self.row(index + 1))
        }
    }

    @Test("equal rows are one item, and two outputs of one item are two")
    func equalRows() throws {
        #expect(try collisions(["a", "b", "a"], items: [7, 8, 7]) == nil)
        let repeated = try #require(try collisions(["a", "a", "a", "a"], items: [7, 8, 7, 8]))
        #expect(repeated.map(\.second) == [row(2)])
        var outputs = PathCollisions()
        for output in 0..<2 { try outputs.add("a", output: output, of: 7) }
        try outputs.endFirstPass()
        #expect(outputs.needsSecondPass)
    }

    @Test("among more paths than stay in memory exactly those that several items have are found")
    func spooled() throws {
        // 300,000 paths are more than the 131,072 that wait in memory; every tenth comes twice.
        let paths = (0..<300_000).map { "folder/\($0 % 10 == 0 ? $0 / 20 * 20 : $0).jpg" }
        let found = try #require(try collisions(paths))
        #expect(found.count == paths.count - Set(paths).count && found.count == 15_000)
        #expect(try collisions((0..<300_000).map { "folder/\($0).jpg" }) == nil)
    }

    @Test("different paths are none")
    func different() throws {
        #expect(try collisions((0..<1000).map { "a/\($0).jpg" }) == nil)
    }

    @Test("each later row of a path is found, with the first one")
    func same() throws {
        let paths = ["x", "small/a.jpg", "y", "small/b.jpg", "small/a.jpg", "small/a.jpg"]
        let found = try #require(try collisions(paths))
        #expect(found.map(\.first) == [row(2), row(2)] && found.map(\.second) == [row(5), row(6)])
        #expect(found.allSatisfy { $0.path == "small/a.jpg" && $0.isExact })
    }

    @Test("paths that differ only in case are told apart from equal ones")
    func cases() throws {
        let found = try #require(try collisions(["a/B.jpg", "a/b.jpg", "A/B.jpg", "a/b.jpg"]))
        #expect(found.map(\.isExact) == [false, false, true])
        #expect(found.map(\.second) == [row(2), row(3), row(4)] && found.map(\.first.index) == [1, 1, 2])
    }

    @Test("of very many, all are found with the position of the first row, and some with its place")
    func many() throws {
        let found = try #require(try collisions((0..<30_000).map { "\($0 % 15_000).jpg" }))
        #expect(found.count == 15_000 && found[0].first == row(1) && found[0].second == row(15_001))
        #expect(found[14_999].first == PathCollisions.Row(index: 15_000, location: nil))
    }
}

@Suite struct HashSet64Tests {
    @Test("it agrees with Set, for hashes that are spread and for those that are not")
    func agrees() {
        var set = HashSet64()
        var expected: Set<UInt64> = []
        var hash: UInt64 = 1
        let hashes: [UInt64] = (0..<200_000).map { index in
            hash = hash &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return index % 3 == 0 ? UInt64(index / 4) : index % 3 == 1 ? UInt64.max - UInt64(index / 2) : hash
        }
        // One expectation for all: each costs more than a hundred insertions.
        let agrees = (hashes + hashes).allSatisfy { set.insert($0) == expected.insert($0).inserted }
        #expect(agrees && set.count == expected.count)
        #expect(hashes.allSatisfy(set.contains) && !set.contains(0xDEAD_BEEF_0000_1234))
    }
}
