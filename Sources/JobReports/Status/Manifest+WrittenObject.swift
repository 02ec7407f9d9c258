import Files
import JobManifest
import JobPlanning
import ObjectStorage

extension Manifest {
    /// Writes an object where a command would write a file, with the service and the credentials of the manifest.
    /// - Throws: `RunError.machine` if the store does not take it.
    func write(
        _ payload: Payload,
        _ attributes: ObjectAttributes,
        at location: ObjectLocation
    ) async throws(RunError) {
        try await RunError.wrapping {
            let store = try store(at: ObjectLocation(bucket: location.bucket, key: ""))
            try await store.putWhole(payload, at: location.key, attributes)
        }
    }
}
