import JobManifest
import JobStorage

extension Partition {
    /// Returns true if the item belongs to the partition, by the hash of its identity: equal rows are in one partition.
    func contains(_ item: NewItem) -> Bool {
        UInt64(bitPattern: item.key) % UInt64(count) == UInt64(number - 1)
    }
}
