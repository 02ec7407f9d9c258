@testable import Imaging
import TestSupport
import Testing

/// The search for near hashes beside a comparison of all pairs.
@Suite struct NearPairsTests {
    @Test("a hash is read back from its text, and no other text is a hash")
    func text() {
        let text = "0123456789abcdef" + String(repeating: "0", count: 47) + "1"
        let hash = PerceptualHash(text: text)
        #expect(hash?.text == text)
        #expect(hash?.words == SIMD4(1, 0, 0, 0x0123_4567_89AB_CDEF))
        for wrong in ["", "0", text.uppercased(), text + "0", String(text.dropLast()) + "g"] {
            #expect(PerceptualHash(text: wrong) == nil, "\(wrong)")
        }
    }

    @Test(
        "the search finds the pairs that a comparison of all finds, each once",
        arguments: [
            (1, 31), (2, 31), (60, 31), (3000, 0), (3000, 1), (3000, 7), (3000, 31), (3000, 64), (300, 256),
        ]
    )
    func pairs(count: Int, distance: Int) {
        var random = SeededGenerator(seed: SeededGenerator.seed(of: "near pairs"))
        var hashes = (0..<count).map { _ in Self.hash(&random) }
        // Every hundredth one is near another: around the distance, below and above.
        for number in 0..<count / 100 {
            let near = Self.near(hashes.randomElement(using: &random), number % (distance + 6), &random)
            hashes[Int.random(in: 0..<count, using: &random)] = near
        }
        var expected: [[Int]] = []
        for first in hashes.indices {
            for second in hashes.indices.dropFirst(first + 1) {
                let found = hashes[first].distance(to: hashes[second])
                if found <= distance { expected.append([first, second, found]) }
            }
        }
        var found: [[Int]] = []
        NearPairs(hashes).forEach(within: distance) { found.append([$0.first, $0.second, $0.distance]) }
        #expect(found.count == expected.count && Set(found) == Set(expected))
        if count == 3000 { #expect(expected.count > 3, "the planted pairs are there") }
    }

    @Test("the plan of a search among 10,000,000 finds the same pairs among fewer")
    func largePlan() {
        var random = SeededGenerator(seed: SeededGenerator.seed(of: "near pairs"))
        let plan = BandPlan(count: 10_000_000, distance: 31)
        #expect(plan.bands.map(\.differing).contains(2), "patterns of two bits")
        var hashes = (0..<600).map { _ in Self.hash(&random) }
        for number in 0..<400 { hashes.append(Self.near(hashes[number], number % 40, &random)) }
        var found: Set<Int> = []
        NearPairs(hashes).forEach(within: 31, by: plan) { pair in
            #expect(pair.second == pair.first + 600 && pair.distance == pair.first % 40)
            #expect(found.insert(pair.first).inserted, "once")
        }
        #expect(found == Set((0..<400).filter { $0 % 40 <= 31 }))
    }

    @Test(
        "no two hashes within the distance miss each other in all bands",
        arguments: [0, 1, 15, 31, 64, 256]
    )
    func pigeonhole(distance: Int) {
        for count in [2, 1000, 100_000, 10_000_000, 1 << 31] {
            let bands = BandPlan(count: count, distance: distance).bands
            if bands.count == 1, bands[0].bits == 0 { continue }  // all pairs are compared
            #expect(bands.reduce(0) { $0 + $1.differing + 1 } > distance)
            for (band, next) in zip(bands, bands.dropFirst()) {
                #expect(band.first + band.bits == next.first)
            }
            #expect((bands.last.map { $0.first + $0.bits } ?? 0) <= PerceptualHash.bitCount)
            for band in bands {
                #expect(band.bits <= 24 && Set(band.masks).count == band.masks.count)
                #expect(Double(band.masks.count) == band.maskCount)
                #expect(
                    band.masks.allSatisfy {
                        $0.nonzeroBitCount <= band.differing && $0 >> UInt32(band.bits) == 0
                    }
                )
            }
        }
    }

    @Test("many equal hashes are found as pairs, though a pass has no room for all of them")
    func equal() {
        let hashes = [PerceptualHash](repeating: PerceptualHash(words: SIMD4(1, 2, 3, 4)), count: 300)
        var count = 0
        NearPairs(hashes).forEach(within: 31) { pair in
            #expect(pair.first < pair.second && pair.distance == 0)
            count += 1
        }
        #expect(count == 300 * 299 / 2)
    }

    private static func hash(_ random: inout SeededGenerator) -> PerceptualHash {
        PerceptualHash(words: SIMD4(random.next(), random.next(), random.next(), random.next()))
    }

    private static func near(
        _ hash: PerceptualHash?,
        _ distance: Int,
        _ random: inout SeededGenerator
    ) -> PerceptualHash {
        var words = hash?.words ?? SIMD4()
        for bit in Array(0..<256).shuffled(using: &random).prefix(distance) {
            words[bit / 64] ^= 1 << UInt64(bit % 64)
        }
        return PerceptualHash(words: words)
    }
}
