import Testing

@testable import Imaging

@Suite struct NearCopiesTests {
    /// A hash with so many of the lowest bits set.
    private func hash(_ bits: Int) -> PerceptualHash {
        var words = SIMD4<UInt64>()
        for bit in 0..<bits { words[bit / 64] |= 1 << UInt64(bit % 64) }
        return PerceptualHash(words: words)
    }

    private func groups(_ bits: [Int], within distance: Int = 31) -> [NearCopies.Group] {
        NearCopies(bits.map(hash), within: distance).groups
    }

    private func group(_ first: Int, _ copies: (Int, Int)...) -> NearCopies.Group {
        NearCopies.Group(
            first: first,
            copies: copies.map { NearCopies.Copy(index: $0.0, distance: $0.1) }
        )
    }

    @Test("an image is a copy of the earliest first one that is near")
    func earliest() {
        #expect(groups([]).isEmpty && groups([7]).isEmpty)
        #expect(groups([0, 100, 200]).isEmpty)
        #expect(groups([0, 31]) == [group(0, (1, 31))])
        #expect(groups([0, 32]).isEmpty)
        #expect(groups([0, 40, 20]) == [group(0, (2, 20))], "the second is as near, but later")
    }

    @Test("a copy leads no group: what is near it alone is a first one")
    func copiesOfCopies() {
        #expect(groups([0, 30, 60]) == [group(0, (1, 30))])
        #expect(groups([0, 30, 60, 61, 30]) == [group(0, (1, 30), (4, 30)), group(2, (3, 1))])
    }

    @Test("equal hashes share their group, in order")
    func equal() {
        #expect(groups([5, 5, 200, 5, 200]) == [group(0, (1, 0), (3, 0)), group(2, (4, 0))])
        #expect(groups([5, 5, 6], within: 0) == [group(0, (1, 0))])
    }
}
