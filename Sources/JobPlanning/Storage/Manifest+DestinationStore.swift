package import JobManifest
package import ObjectStorage

extension Manifest {
    /// The attempts at a request that a run makes before it ends: half a minute, since their times double.
    private static let attempts = 10

    /// Returns the store of a destination in a bucket; nil for a folder.
    ///
    /// Nothing is sent before the first request. Requests have the limit of `pacing`, or one of their own.
    /// - Throws: `RunError.wrongInput` for an endpoint that is no address.
    package func destinationStore(_ pacing: BucketPacing? = nil) throws(RunError) -> S3Store? {
        try destination.bucket.map { location throws(RunError) in try store(at: location, pacing) }
    }

    /// Returns the store below a location.
    /// - Throws: `RunError.wrongInput` for an endpoint that is no address.
    package func store(at location: ObjectLocation, _ pacing: BucketPacing? = nil) throws(RunError) -> S3Store
    {
        var patience = S3Client.Patience()
        patience.attempts = Self.attempts
        let client = S3Client(
            try storageService(),
            pacing: pacing ?? BucketPacing(storage.s3),
            patience: patience,
            idleTimeout: loading.timeout
        )
        return S3Store(client, at: location)
    }
}
