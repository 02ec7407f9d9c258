import Testing

@testable import Fleet

/// Parts of a collection: what names one, and that all of them are the whole.
@Suite struct CollectPartTests {
    @Test("the parts of a plan are next to each other, and have each partition once")
    func shares() {
        for total in [0, 1, 2, 9, 100, 1001] {
            for count in [1, 2, 3, 7, 16, 1000] {
                let ranges = CollectPart.all(of: count).map { $0.partitions(of: total) }
                #expect(ranges.flatMap(Array.init) == Array(0..<total), "\(total) in \(count)")
                let sizes = ranges.map(\.count)
                #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= 1, "\(total) in \(count)")
            }
        }
    }

    @Test("a text is a part or nothing")
    func texts() {
        for part in CollectPart.all(of: 12) { #expect(CollectPart(parsing: part.description) == part) }
        for text in [
            "", "/", "1/", "/1", "0/1", "2/1", "-1/2", "1/-2", "1/2/3", "1 /2", "１/2",
            "1/99999999999999999999",
        ] {
            #expect(CollectPart(parsing: text) == nil, "\(text)")
        }
    }
}
