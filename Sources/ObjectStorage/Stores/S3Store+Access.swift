extension S3Store {
    /// Checks that keys which begin with the key of the store's root can be listed, with a request for one of them.
    /// - Throws: ``StoreError``.
    public func checkListing() async throws(StoreError) {
        _ = try await S3Listing(client, bucket: root.bucket).page(prefix: root.key, count: 1)
    }
}
