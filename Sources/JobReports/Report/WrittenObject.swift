import Foundation
import JobManifest
import JobPlanning
import ObjectStorage

/// An object that a command writes where it would write a file.
struct WrittenObject: Sendable {
    private let location: ObjectLocation

    /// Reads `s3://bucket/key`; nil for any other text, which is a file.
    /// - Throws: `RunError.wrongInput` for a bucket without a key.
    init?(_ text: String) throws(RunError) {
        guard ObjectLocation.isLocation(text) else { return nil }
        guard let location = ObjectLocation(text), !location.key.isEmpty else {
            throw .wrongInput("\(text) names no object: write s3://bucket/key")
        }
        self.location = location
    }

    /// Writes the object with the service and the credentials of a manifest.
    /// - Throws: `RunError.wrongInput` for an invalid bucket, `machine` if the store does not take it.
    func write(
        _ data: Data,
        _ attributes: ObjectAttributes,
        by manifest: Manifest
    ) async throws(RunError) {
        do {
            let store = try manifest.store(at: ObjectLocation(bucket: location.bucket, key: ""))
            // Parts that a killed command has left.
            if data.count > S3Store.partSize { try await store.abortUploads(at: location.key) }
            _ = try await store.put(data, at: location.key, attributes)
        } catch {
            throw RunError(error)
        }
    }
}
