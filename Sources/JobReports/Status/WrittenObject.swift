import Foundation
import JobManifest
import JobPlanning
import ObjectStorage

/// An object that a command writes where it would write a file.
struct WrittenObject: Sendable {
    private let location: ObjectLocation

    /// Creates the object at a location with a key.
    init(_ location: ObjectLocation) {
        self.location = location
    }

    /// Writes the object with the service and the credentials of a manifest.
    /// - Throws: `RunError.machine` if the store does not take it.
    func write(
        _ data: Data,
        _ attributes: ObjectAttributes,
        by manifest: Manifest
    ) async throws(RunError) {
        try await RunError.wrapping {
            let store = try manifest.store(at: ObjectLocation(bucket: location.bucket, key: ""))
            // Parts that a killed command has left.
            if data.count > S3Store.partSize { try await store.abortUploads(at: location.key) }
            _ = try await store.put(data, at: location.key, attributes)
        }
    }
}
