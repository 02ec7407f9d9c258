import Synchronization

/// Knows which decoder suits which data.
///
/// May be used from any thread.
public final class ImageDecoderRegistry: Sendable {
    /// The registry that pipelines ask unless they are told otherwise.
    public static let shared = ImageDecoderRegistry()

    /// What a registration is undone by.
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

    /// A registry that has `ImageDecoders.Default`.
    public init() {
        register { ImageDecoders.Default(context: $0) }
    }

    /// The decoder for a context: the first that one of those registered gives, the last one asked first; nil if none does.
    public func decoder(for context: ImageDecodingContext) -> (any ImageDecoding)? {
        // They are asked outside of the lock: what they do is theirs.
        let list = registrations.withLock { $0.list }
        for registration in list.reversed() {
            if let decoder = registration.match(context) { return decoder }
        }
        return nil
    }

    /// Registers what gives a decoder for a context that it suits, else nil; it is asked before those that are there.
    /// - Returns: what it is unregistered by.
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

    /// Undoes a registration; one that is undone already changes nothing.
    public func unregister(_ token: RegistrationToken) {
        registrations.withLock { $0.list.removeAll { $0.number == token.number } }
    }

    /// Undoes all registrations, that of `ImageDecoders.Default` too.
    public func clear() {
        registrations.withLock { $0.list = [] }
    }
}
