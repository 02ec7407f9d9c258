import Foundation
import Nuke
import Synchronization
import Testing

@Suite("ImageProcessors.Composition and Anonymous")
struct CompositionTests {
    private typealias Composition = ImageProcessors.Composition

    /// Adds a column, so that what was done can be told.
    private struct Widen: ImageProcessing, Hashable {
        let columns: Int
        var identifier: String { "\(columns)" }

        func process(_ image: PlatformImage) -> PlatformImage? {
            columns == 0 ? nil : MadeImages.plain(image.width * columns, image.height)
        }
    }

    /// Tells of its context.
    private final class Witness: ImageProcessing {
        let seen = Mutex<[Bool]>([])
        var identifier: String { "witness" }

        func process(_ image: PlatformImage) -> PlatformImage? { nil }

        func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
            seen.withLock { $0.append(context.isCompleted) }
            return container
        }
    }

    private struct Refusal: Error {}

    private struct Refusing: ImageProcessing {
        var identifier: String { "refusing" }

        func process(_ image: PlatformImage) -> PlatformImage? { nil }

        func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
            throw Refusal()
        }
    }

    private func context(_ container: ImageContainer) -> ImageProcessingContext {
        let request: ImageRequest = "http://h/a"
        return ImageProcessingContext(
            request: request,
            response: ImageResponse(container: container, request: request),
            isCompleted: false
        )
    }

    @Test func appliesAllInOrder() throws {
        let image = MadeImages.plain(40, 40)
        let composition = Composition([
            Widen(columns: 2), ImageProcessors.Resize(width: 20), Widen(columns: 3),
        ])
        #expect(composition.process(image)?.width == 60)
        #expect(composition.process(image)?.height == 10)
        let container = ImageContainer(image: image, type: .png)
        let result = try composition.process(container, context: context(container))
        #expect(result.image.width == 60 && result.type == .png)
        #expect(Composition([]).process(image) === image)
    }

    @Test func endsAtTheFirstFailure() {
        let image = MadeImages.plain(4, 4)
        let container = ImageContainer(image: image)
        let witness = Witness()
        let last = ImageProcessors.Anonymous(id: "last") {
            witness.seen.withLock { $0.append(true) }
            return $0
        }
        #expect(Composition([Widen(columns: 0), last]).process(image) == nil)
        #expect(throws: ImageProcessingError.unknown) {
            try Composition([Widen(columns: 0), last]).process(container, context: context(container))
        }
        #expect(throws: Refusal.self) {
            try Composition([Refusing(), last]).process(container, context: context(container))
        }
        #expect(witness.seen.withLock { $0 }.isEmpty)
        #expect(last.process(image) === image && witness.seen.withLock { $0 } == [true])
        #expect("\(ImageProcessingError.unknown)" == "Unknown")
    }

    @Test func passesTheContextOn() throws {
        let witness = Witness()
        let container = ImageContainer(image: MadeImages.plain(1, 1))
        _ = try Composition([witness, Composition([witness])]).process(container, context: context(container))
        #expect(witness.seen.withLock { $0 } == [false, false])
    }

    @Test func isIdentifiedByItsParts() {
        let one = Composition([Widen(columns: 1), Widen(columns: 2)])
        let same = Composition([Widen(columns: 1), Widen(columns: 2)])
        #expect(one.identifier == "12")
        #expect(one == same && one.hashValue == same.hashValue)
        #expect(one.hashableIdentifier == same.hashableIdentifier)
        #expect(Composition([]) == Composition([]) && Composition([]).identifier == "")
        // Not flattened: the identifiers are the same, what the caches in memory compare is not.
        let others = [
            Composition([Widen(columns: 2), Widen(columns: 1)]), Composition([Widen(columns: 12)]),
            Composition([Widen(columns: 1)]), Composition([one]), Composition([]),
        ]
        for other in others { #expect(one != other && one.hashableIdentifier != other.hashableIdentifier) }
        #expect(Composition([one]).identifier == one.identifier)
        #expect(
            Composition([ImageProcessors.Circle()]).description
                == "Composition(processors: [Circle(border: nil)])"
        )
    }

    @Test func aClosureIsAProcessor() {
        let image = MadeImages.plain(4, 4)
        let one = ImageProcessors.Anonymous(id: "1") { $0 }
        #expect(one.process(image) === image)
        #expect(ImageProcessors.Anonymous(id: "1") { _ in nil }.process(image) == nil)
        #expect(one.identifier == "1")
        #expect(one.hashableIdentifier == AnyHashable("1"))
        #expect(one.description == "AnonymousProcessor(identifier: 1)")
        let named: any ImageProcessing = .process(id: "2") { $0 }
        #expect(named.identifier == "2")
    }
}
