public import Files

/// Writes that must not replace anything, at services that may not know conditions.
extension S3Store {
    /// Writes an object unless the key is taken: looks first, and then writes with the condition where there is one.
    ///
    /// Returns true if the key holds these bytes. A service that does not know the condition replaces an object that appears
    /// between the two requests.
    /// - Throws: ``StoreError``.
    public func add(_ payload: Payload, at key: String, _ attributes: ObjectAttributes = ObjectAttributes())
        async throws(StoreError) -> Bool
    {
        if try await head(key) != nil { return try await holds(payload, at: key) != nil }
        do throws(StoreError) { return try await putIfAbsent(payload, at: key, attributes) } catch {
            guard error.service?.status == 501 else { throw error }
            _ = try await put(payload, at: key, attributes)
            return true
        }
    }
}
