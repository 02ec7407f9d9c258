/// A part of a collection: a share of the partitions, next to each other.
package struct CollectPart: Sendable, Hashable, CustomStringConvertible {
    /// The most parts of a collection.
    package static let most = 100_000

    /// The number, from 1.
    package let number: Int
    /// The number of parts.
    package let count: Int

    init(_ number: Int, of count: Int) {
        (self.number, self.count) = (number, count)
    }

    /// Parses a text such as `3/16`; nil for another one.
    package init?(parsing text: String) {
        let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { digits in
            digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(digits) : nil
        }
        guard numbers.count == 2, let number = numbers[0], let count = numbers[1],
            (1...Self.most).contains(count), (1...count).contains(number)
        else { return nil }
        self.init(number, of: count)
    }

    /// All parts of a collection in so many.
    static func all(of count: Int) -> [CollectPart] { (1...count).map { CollectPart($0, of: count) } }

    package var description: String { "\(number)/\(count)" }

    /// The partitions of the part, of so many.
    func partitions(of total: Int) -> Range<Int> {
        total * (number - 1) / count..<total * number / count
    }
}
