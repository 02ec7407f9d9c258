/// A processor as a part of keys, by its `hashableIdentifier`; by its identifier if that is not equal to
/// itself, such as one with a NaN in it.
struct ProcessorKey: Hashable, Sendable {
    private let processor: any ImageProcessing

    init(_ processor: any ImageProcessing) {
        self.processor = processor
    }

    static func == (one: ProcessorKey, other: ProcessorKey) -> Bool {
        one.id == other.id
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }

    private var id: AnyHashable {
        let id = processor.hashableIdentifier
        return id == id ? id : AnyHashable(processor.identifier)
    }
}
