/// Watches that a listing goes on: what it continues behind comes once, or the store would be listed for ever.
public struct ListingProgress: Sendable {
    /// The hashes of what came so far, eight bytes a page.
    private var places: Set<Int> = []

    /// Begins to watch.
    public init() {}

    /// Takes note of where a listing of `place` continues; nil for its end.
    /// - Throws: ``StoreError``, `unavailable` if it was there before.
    public mutating func goOn(behind key: String?, in place: String) throws(StoreError) {
        guard let key, !places.insert(key.hashValue).inserted else { return }
        throw StoreError(
            .unavailable,
            "cannot list \(place): the store comes back to \(key.debugDescription) in place of going on"
        )
    }
}
