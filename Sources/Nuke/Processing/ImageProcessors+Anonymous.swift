extension ImageProcessors {
    /// A processor that calls a closure.
    public struct Anonymous: ImageProcessing, CustomStringConvertible {
        /// The identifier: caches treat processors with equal identifiers as the same.
        public let identifier: String
        private let closure: @Sendable (PlatformImage) -> PlatformImage?

        /// Creates a processor with the identifier `id`; `closure` is called from any thread, also concurrently.
        public init(id: String, _ closure: @Sendable @escaping (PlatformImage) -> PlatformImage?) {
            identifier = id
            self.closure = closure
        }

        /// Returns the closure's result.
        public func process(_ image: PlatformImage) -> PlatformImage? {
            closure(image)
        }

        /// A readable form of the identifier.
        public var description: String { "AnonymousProcessor(identifier: \(identifier))" }
    }
}

extension ImageProcessing where Self == ImageProcessors.Anonymous {
    /// A processor that calls a closure.
    public static func process(
        id: String,
        _ closure: @Sendable @escaping (PlatformImage) -> PlatformImage?
    ) -> ImageProcessors.Anonymous {
        ImageProcessors.Anonymous(id: id, closure)
    }
}
