import JobPlanning
import Testing

@Suite struct PathCollisionsTests {
    private func collisions(_ paths: [String], items: [UInt64]? = nil) throws -> PathCollisions {
        var collisions = PathCollisions()
        let rows = zip(paths, items ?? paths.indices.map { UInt64($0) })
        for (path, item) in rows { try collisions.add(path, output: 0, of: item) }
        try collisions.endFirstPass()
        if collisions.needsSecondPass {
            for (index, (path, item)) in rows.enumerated() {
                collisions.compare(path, output: 0, of: item, location: "urls.txt:\(index + 1)")
            }
        }
        return collisions
    }

    @Test("equal rows are one item, and two outputs of one item are two")
    func equalRows() throws {
        #expect(try !collisions(["a", "b", "a"], items: [7, 8, 7]).needsSecondPass)
        let repeated = try collisions(["a", "a", "a", "a"], items: [7, 8, 7, 8])
        #expect(repeated.exactCount == 1 && repeated.found.first?.second == "urls.txt:2")
        var outputs = PathCollisions()
        for output in 0..<2 { try outputs.add("a", output: output, of: 7) }
        try outputs.endFirstPass()
        #expect(outputs.needsSecondPass)
    }

    @Test("among more paths than stay in memory exactly those that several items have are found")
    func spooled() throws {
        // 300,000 paths are more than the 131,072 that wait in memory; every tenth comes twice.
        let paths = (0..<300_000).map { "folder/\($0 % 10 == 0 ? $0 / 20 * 20 : $0).jpg" }
        let collisions = try collisions(paths)
        #expect(collisions.exactCount == paths.count - Set(paths).count && collisions.exactCount == 15_000)
        #expect(try !self.collisions((0..<300_000).map { "folder/\($0).jpg" }).needsSecondPass)
    }

    @Test("different paths are none")
    func different() throws {
        let collisions = try collisions((0..<1000).map { "a/\($0).jpg" })
        #expect(!collisions.needsSecondPass && collisions.found.isEmpty)
    }

    @Test("two rows with one path are named, with the remedy")
    func same() throws {
        let collisions = try collisions(["x", "small/a.jpg", "y", "small/b.jpg", "small/a.jpg"])
        #expect(
            collisions.found.map(\.description)
                == [
                    "urls.txt:2 and urls.txt:5 would both write small/a.jpg: add {index} or {id} to outputs[0].path"
                ]
        )
        #expect(collisions.exactCount == 1 && collisions.caseCount == 0)
    }

    @Test("paths that differ only in case are told apart from equal ones")
    func cases() throws {
        let collisions = try collisions(["a/B.jpg", "a/b.jpg", "A/B.jpg", "a/b.jpg"])
        #expect(collisions.caseCount == 2 && collisions.exactCount == 1)
        #expect(collisions.found.map(\.isExact) == [false, false, true])
        #expect(collisions.found.last?.second == "urls.txt:4")
    }

    @Test("of very many, all are counted and some are named")
    func many() throws {
        let paths = (0..<30_000).map { "\($0 % 15_000).jpg" }
        let collisions = try collisions(paths)
        #expect(collisions.exactCount == 15_000 && collisions.found.count == PathCollisions.limit)
        #expect(collisions.found[0].first == "urls.txt:1" && collisions.found[0].second == "urls.txt:15001")
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
