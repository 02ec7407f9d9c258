import JobPlanning

/// The original of an item, as it is loaded to be compared with those of others.
struct SeenOriginal: Sendable {
    /// Nil if the item needs none.
    var original: Original?
    /// The digest by which it is compared; nil if it is not.
    var sha256: String?
    /// The facts by which it is compared; nil for a comparison of bytes.
    var facts: ItemFacts?
}
