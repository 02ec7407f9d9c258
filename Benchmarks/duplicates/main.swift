import Foundation
import Imaging
import TestSupport

// Times the search for near copies among random hashes, and compares it with all pairs of fewer.
// usage: duplicates-bench COUNT [DISTANCE]      (at most 31 by default)

func near(_ hash: PerceptualHash, _ distance: Int, using numbers: inout SeededGenerator) -> PerceptualHash {
    var words = hash.words
    var bits: Set<Int> = []
    while bits.count < distance { bits.insert(Int.random(in: 0..<256, using: &numbers)) }
    for bit in bits { words[bit / 64] ^= 1 << UInt64(bit % 64) }
    return PerceptualHash(words: words)
}

/// Random hashes, of which every hundredth is near another one: around the distance, below and above.
func hashes(_ count: Int, _ distance: Int, using numbers: inout SeededGenerator) -> [PerceptualHash] {
    var hashes = (0..<count).map { _ in
        PerceptualHash(words: SIMD4(numbers.next(), numbers.next(), numbers.next(), numbers.next()))
    }
    for number in 0..<count / 100 {
        let other = hashes[Int.random(in: 0..<count, using: &numbers)]
        hashes[Int.random(in: 0..<count, using: &numbers)] = near(
            other,
            number % (distance + 6),
            using: &numbers
        )
    }
    return hashes
}

let words = CommandLine.arguments.dropFirst().compactMap { Int($0) }
guard let count = words.first, count > 0 else { fatalError("usage: duplicates-bench COUNT [DISTANCE]") }
let distance = words.count > 1 ? words[1] : PerceptualHash.recommendedDistance

// The same numbers each time.
var numbers = SeededGenerator(seed: 20_261_129)
let few = hashes(20_000, distance, using: &numbers)
var found: [[Int]] = []
NearPairs(few).forEach(within: distance) { found.append([$0.first, $0.second, $0.distance]) }
var expected: Set<[Int]> = []
for first in few.indices {
    for second in few.indices.dropFirst(first + 1) {
        let apart = few[first].distance(to: few[second])
        if apart <= distance { expected.insert([first, second, apart]) }
    }
}
guard found.count == expected.count, Set(found) == expected else {
    fatalError("the search found \(found.count) pairs, and a comparison of all \(expected.count)")
}
print("20000 hashes: the same \(found.count) pairs as a comparison of all")

let many = hashes(count, distance, using: &numbers)
let start = ContinuousClock.now
var pairs = 0
NearPairs(many).forEach(within: distance) { _ in pairs += 1 }
let seconds = (ContinuousClock.now - start) / .seconds(1)
print(String(format: "%d hashes, distance %d: %d pairs in %.1f s", count, distance, pairs, seconds))
