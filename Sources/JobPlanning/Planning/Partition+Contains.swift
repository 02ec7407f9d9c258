import JobManifest

extension Partition {
    /// Returns true if the item with this `NewItem.key` belongs to the partition: equal rows are in one partition.
    func contains(key: Int64) -> Bool {
        UInt64(bitPattern: key) % UInt64(count) == UInt64(number - 1)
    }
}
