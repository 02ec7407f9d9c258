import NukeBatch
import Testing

@Suite struct PathCollisionsTests {
    private func collisions(_ paths: [String]) -> PathCollisions {
        var collisions = PathCollisions()
        for path in paths { collisions.add(path) }
        if collisions.needsSecondPass {
            for (index, path) in paths.enumerated() {
                collisions.compare(path, output: 0, location: "urls.txt:\(index + 1)")
            }
        }
        return collisions
    }

    @Test("different paths are none")
    func different() {
        let collisions = collisions((0..<1000).map { "a/\($0).jpg" })
        #expect(!collisions.needsSecondPass && collisions.found.isEmpty)
    }

    @Test("two rows with one path are named, with the remedy")
    func same() {
        let collisions = collisions(["x", "small/a.jpg", "y", "small/b.jpg", "small/a.jpg"])
        #expect(
            collisions.found.map(\.description)
                == [
                    "urls.txt:2 and urls.txt:5 would both write small/a.jpg: add {index} or {id} to outputs[0].path"
                ]
        )
        #expect(collisions.exactCount == 1 && collisions.caseCount == 0)
    }

    @Test("paths that differ only in case are told apart from equal ones")
    func cases() {
        let collisions = collisions(["a/B.jpg", "a/b.jpg", "A/B.jpg", "a/b.jpg"])
        #expect(collisions.caseCount == 2 && collisions.exactCount == 1)
        #expect(collisions.found.map(\.isExact) == [false, false, true])
        #expect(collisions.found.last?.second == "urls.txt:4")
    }

    @Test("of very many, all are counted and some are named")
    func many() {
        let paths = (0..<30_000).map { "\($0 % 15_000).jpg" }
        let collisions = collisions(paths)
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
