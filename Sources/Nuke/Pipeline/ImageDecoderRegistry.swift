import Synchronization

/// The registered decoders.
///
/// Safe to use from any thread.
public final class ImageDecoderRegistry: Sendable {
    /// The default registry of pipelines.
    public static let shared = ImageDecoderRegistry()

    /// A token that undoes a registration.
    public struct RegistrationToken: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct Registration: Sendable {
        let number: Int
        let match: @Sendable (ImageDecodingContext) -> (any ImageDecoding)?
    }

    private struct Registrations {
        var list: [Registration] = []
        var lastNumber = 0
    }

    private let registrations = Mutex(Registrations())

    /// Creates a registry with `ImageDecoders.Default`.
    public init() {
        register { ImageDecoders.Default(context: $0) }
    }

    /// Returns the decoder for a context from the most recently registered match; nil if none matches.
    public func decoder(for context: ImageDecodingContext) -> (any ImageDecoding)? {
        // The closures are called outside the lock, since they are foreign code.
        let list = registrations.withLock { $0.list }
        for registration in list.reversed() {
            if let decoder = registration.match(context) { return decoder }
        }
        return nil
    }

    /// Registers a closure that returns a decoder for a context, or nil; it is tried before those registered earlier.
    /// - Returns: The token that undoes the registration.
    @discardableResult
    public func register(
        _ match: @escaping @Sendable (ImageDecodingContext) -> (any ImageDecoding)?
    ) -> RegistrationToken {
        registrations.withLock { registrations in
            registrations.lastNumber += 1
            let number = registrations.lastNumber
            registrations.list.append(Registration(number: number, match: match))
            return RegistrationToken(number: number)
        }
    }

    /// Undoes a registration; without effect if it is already undone.
    public func unregister(_ token: RegistrationToken) {
        registrations.withLock { $0.list.removeAll { $0.number == token.number } }
    }

    /// Undoes all registrations, including that of `ImageDecoders.Default`.
    public func clear() {
        registrations.withLock { $0.list = [] }
    }
}
