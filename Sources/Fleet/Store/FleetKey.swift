import Files
import Foundation

/// The keys of a fleet's objects in its store.
///
/// Partitions have six digits, or more where six are too few; the order of keys is not used. A name in a key is a parsed one.
package enum FleetKey {
    /// The plan, which is written last.
    package static let plan = "plan.json"
    /// The part of the plan that every worker needs, of constant size.
    static let job = "job.json"
    static let commits = "commits/"
    static let attempts = "attempts/"

    /// The bytes of a file that the manifest uses.
    static func file(_ sha256: SHA256Name) -> String { "files/\(sha256)" }

    static func items(_ partition: Int) -> String { "partitions/\(digits(partition)).jsonl.gz" }

    /// The entry of a partition in the plan.
    static func entry(_ partition: Int) -> String { "partitions/\(digits(partition)).json" }

    static func commit(_ partition: Int) -> String { "\(commits)\(digits(partition)).json" }

    /// The file of an attempt: `ending` is `started`, `jsonl.gz` or `won`.
    static func attempt(_ id: AttemptID, of partition: Int, _ ending: String) -> String {
        "\(attempts)\(digits(partition))/\(id).\(ending)"
    }

    /// The prefix of what a collection leaves for others.
    static let collected = "collected/"
    /// The prefix of everything that parts of a collection have left.
    static let parts = "\(collected)parts/"

    /// The prefix of the state of a part of a collection, whose pieces are named by their digests.
    static func part(_ part: CollectPart) -> String {
        "\(parts)\(digits(part.number))-of-\(digits(part.count))/"
    }

    /// The record of a part of a collection, which is written last.
    static func record(_ part: CollectPart) -> String { "\(self.part(part))part.json" }

    /// Returns the number in the name of a partition's object; nil for another name, also of a number that no plan has.
    static func partition(_ name: some StringProtocol) -> Int? {
        guard name.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(name),
            StoredBound.partitions.contains(number), digits(number) == name
        else { return nil }
        return number
    }

    /// A partition's number in names.
    package static func digits(_ partition: Int) -> String {
        String(partition).leftPadded(to: 6, with: "0")
    }
}
