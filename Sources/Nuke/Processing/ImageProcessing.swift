/// A change of an image.
public protocol ImageProcessing: Sendable {
    /// Tells this processor, with all its parameters, from every other; part of the key in the disk cache.
    var identifier: String { get }

    /// As `identifier`, for keys in memory; the identifier itself, or the processor where it is `Hashable`.
    var hashableIdentifier: AnyHashable { get }
}

extension ImageProcessing {
    /// The identifier.
    public var hashableIdentifier: AnyHashable { identifier }
}

extension ImageProcessing where Self: Hashable {
    /// The processor itself.
    public var hashableIdentifier: AnyHashable { self }
}
