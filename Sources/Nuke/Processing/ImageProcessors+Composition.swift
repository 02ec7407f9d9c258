extension ImageProcessors {
    /// Applies several processors as one.
    public struct Composition: ImageProcessing, Hashable, CustomStringConvertible {
        let processors: [any ImageProcessing]

        /// Creates a processor that applies `processors` in order.
        public init(_ processors: [any ImageProcessing]) {
            self.processors = processors
        }

        /// Returns the image after all processors; nil as soon as one returns nil.
        public func process(_ image: PlatformImage) -> PlatformImage? {
            var image = image
            for processor in processors {
                guard let processed = processor.process(image) else { return nil }
                image = processed
            }
            return image
        }

        /// Returns the container after all processors, each with the same context.
        ///
        /// - Throws: The error of the first processor that fails.
        public func process(
            _ container: ImageContainer,
            context: ImageProcessingContext
        ) throws -> ImageContainer {
            var container = container
            for processor in processors {
                container = try processor.process(container, context: context)
            }
            return container
        }

        /// The joined identifiers of all processors.
        public var identifier: String { processors.map(\.identifier).joined() }

        /// A readable form of all processors.
        public var description: String { "Composition(processors: \(processors))" }

        private var keys: [ProcessorKey] { processors.map(ProcessorKey.init) }

        /// Hashes the processors' `hashableIdentifier`.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(keys)
        }

        /// True if both have equal processors in the same order, by their `hashableIdentifier`.
        public static func == (l: Composition, r: Composition) -> Bool {
            l.keys == r.keys
        }
    }
}

extension ImageProcessing {
    /// The identifier; of a composition those of its processors, since its own does not tell where they end.
    var identifiers: [String] {
        guard let composition = self as? ImageProcessors.Composition else { return [identifier] }
        return composition.processors.flatMap(\.identifiers)
    }
}
