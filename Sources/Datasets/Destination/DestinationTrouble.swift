package import Files
package import ObjectStorage

/// Trouble of the destination, which keeps items from being written and which none of them caused.
package enum DestinationTrouble: Error {
    /// The store took no object.
    case store(StoreError, S3Store)
    /// A local problem, in a sentence with its place.
    case local(String)
}

extension Folder {
    /// Checks that the destination's path still leads to this folder, which the run has opened.
    /// - Throws: `DestinationTrouble.local` if it does not.
    package func requirePlace() throws(DestinationTrouble) {
        guard !isInPlace else { return }
        throw .local(
            """
            the destination \(path) was renamed, removed or replaced during the run: put it back and run again; \
            if outputs are lost, verify --repair makes them again
            """
        )
    }
}
