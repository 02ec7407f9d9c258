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
        S3Store(try client(pacing), at: location)
    }

    /// Returns the listing of all objects of a destination in a bucket; nil for a folder.
    ///
    /// `selects` gets the objects of a page, and returns those that are kept.
    /// - Throws: `RunError.wrongInput` for an endpoint that is no address.
    func destinationListing(
        selecting selects: @escaping @Sendable ([ObjectPage.Entry]) -> [ObjectPage.Entry]
    ) throws(RunError) -> ParallelListing? {
        guard let location = destination.bucket else { return nil }
        return ParallelListing(
            try client(nil),
            bucket: location.bucket,
            prefix: location.appending("").key,
            width: BucketPacing.width,
            selecting: selects
        )
    }

    private func client(_ pacing: BucketPacing?) throws(RunError) -> S3Client {
        var patience = S3Client.Patience()
        patience.attempts = Self.attempts
        return S3Client(
            try storageService(),
            pacing: pacing ?? BucketPacing(storage.s3),
            patience: patience,
            idleTimeout: loading.timeout
        )
    }
}
