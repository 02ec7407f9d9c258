package import Files
import JobManifest
package import JobPlanning

extension Folder {
    /// Checks that the destination's path still leads to this folder, which the run has opened.
    /// - Throws: `ItemError` if it does not.
    package func requirePlace() throws(ItemError) {
        guard !isInPlace else { return }
        throw ItemError(
            .local,
            """
            the destination \(path) was renamed, removed or replaced during the run: put it back and run again; \
            if outputs are lost, verify --repair makes them again
            """
        )
    }
}
