extension ImageProcessors {
    /// A closure as a processor.
    public struct Anonymous: ImageProcessing, CustomStringConvertible {
        /// What tells it from others: two with the same are the same to the caches.
        public let identifier: String
        private let closure: @Sendable (PlatformImage) -> PlatformImage?

        /// A processor that `closure` is, by the name of `id`; called from any thread, from several at once.
        public init(id: String, _ closure: @Sendable @escaping (PlatformImage) -> PlatformImage?) {
            identifier = id
            self.closure = closure
        }

        /// What the closure gives.
        public func process(_ image: PlatformImage) -> PlatformImage? {
            closure(image)
        }

        /// The identifier, for people.
        public var description: String { "AnonymousProcessor(identifier: \(identifier))" }
    }
}

extension ImageProcessing where Self == ImageProcessors.Anonymous {
    /// A closure as a processor.
    public static func process(
        id: String,
        _ closure: @Sendable @escaping (PlatformImage) -> PlatformImage?
    ) -> ImageProcessors.Anonymous {
        ImageProcessors.Anonymous(id: id, closure)
    }
}
