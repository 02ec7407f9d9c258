extension ImageProcessors {
    /// Several processors as one.
    public struct Composition: ImageProcessing, Hashable, CustomStringConvertible {
        let processors: [any ImageProcessing]

        /// Processors that are applied in order.
        public init(_ processors: [any ImageProcessing]) {
            self.processors = processors
        }

        /// The image after all; nil as soon as one gives none.
        public func process(_ image: PlatformImage) -> PlatformImage? {
            var image = image
            for processor in processors {
                guard let processed = processor.process(image) else { return nil }
                image = processed
            }
            return image
        }

        /// The image after all, each given the same context.
        ///
        /// - Throws: what the first throws that fails.
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

        /// The identifiers of all, one behind the other.
        public var identifier: String { processors.map(\.identifier).joined() }

        /// All of them, for people.
        public var description: String { "Composition(processors: \(processors))" }

        private var keys: [ProcessorKey] { processors.map(ProcessorKey.init) }

        /// Hashes what the processors are compared by.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(keys)
        }

        /// Whether both have equal processors in the same order, by their `hashableIdentifier`.
        public static func == (l: Composition, r: Composition) -> Bool {
            l.keys == r.keys
        }
    }
}
