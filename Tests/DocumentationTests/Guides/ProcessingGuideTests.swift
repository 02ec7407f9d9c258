import LoopbackServer
import Nuke
import Synchronization
import Testing

/// Processors of one's own, in all their forms.
@Suite("Guide: processing", .timeLimit(.minutes(10)))
struct ProcessingGuideTests {
    private let applied = Applied()

    /// The number of times each processor ran.
    private final class Applied: Sendable {
        private let names = Mutex<[String]>([])
        func add(_ name: String) { names.withLock { $0.append(name) } }
        func count(_ name: String) -> Int { names.withLock { $0.count { $0 == name } } }
    }

    /// One that cannot be `Hashable`: its identifier alone tells it from others.
    private struct Watermark: ImageProcessing {
        let text: String
        let draw: @Sendable (PlatformImage) -> PlatformImage?

        var identifier: String { "com.example/watermark?text=\(text)" }

        func process(_ image: PlatformImage) -> PlatformImage? { draw(image) }
    }

    /// One that looks at the whole container and its context.
    private struct OnlyOnce: ImageProcessing, Hashable {
        var identifier: String { "com.example/only-once" }

        func process(_ image: PlatformImage) -> PlatformImage? { image }

        func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
            guard context.isCompleted, container.userInfo["once"] == nil else { throw Twice() }
            var container = container.map { $0.copy() }
            container.userInfo["once"] = true
            return container
        }

        struct Twice: Error {}
    }

    private func makePipeline() -> ImagePipeline {
        ImagePipeline { $0.imageCache = ImageCache() }
    }

    @Test func oneThatIsNotHashable() async throws {
        let server = try Photographs.server()
        let pipeline = makePipeline()
        func request(_ text: String) -> ImageRequest {
            let mark = Watermark(text: text) { [applied] image in
                applied.add(text)
                return image
            }
            return ImageRequest(url: server.url("/photo.jpg"), processors: [.resize(width: 320), mark])
        }
        for text in ["a", "b", "a"] { #expect(try await pipeline.image(for: request(text)).width == 320) }
        #expect(applied.count("a") == 1)
        #expect(applied.count("b") == 1)
        #expect(
            Watermark(text: "a", draw: { $0 }).hashableIdentifier
                == AnyHashable(request("a").processors[1].identifier)
        )
    }

    @Test func oneThatIsHashableIsItsOwnKey() {
        #expect(Negative(amount: 0.5).hashableIdentifier == AnyHashable(Negative(amount: 0.5)))
        #expect(Negative(amount: 0.5).hashableIdentifier != AnyHashable(Negative(amount: 1)))
        #expect(
            ImageProcessors.Resize(size: CGSize(width: 30, height: 30)).identifier
                == "com.github.kean/nuke/resize?s=(30.0, 30.0),cm=.aspectFill,crop=false,upscale=false"
        )
    }

    @Test func workIsSharedByThoseWhoBeginAlike() async throws {
        let server = try Photographs.server()
        let pipeline = makePipeline()
        let blur = ImageProcessors.Anonymous(id: "blur") { [applied] image in
            applied.add("blur")
            return ImageProcessors.GaussianBlur(radius: 4).process(image)
        }
        // Both begin before either awaits: as child tasks, one could be over when the other begins.
        let chains: [[any ImageProcessing]] = [[blur, .circle()], [blur, .resize(height: 120)]]
        let tasks = chains.map {
            pipeline.imageTask(with: ImageRequest(url: server.url("/photo.jpg"), processors: $0))
        }
        let (circle, small) = (try await tasks[0].image, try await tasks[1].image)
        #expect((circle.width, circle.height) == (480, 480))
        #expect((small.width, small.height) == (160, 120))
        #expect(server.requests.count == 1)
        #expect(applied.count("blur") == 1)
    }

    @Test func oneThatSeesTheContainer() async throws {
        let server = try Photographs.server()
        let pipeline = makePipeline()
        let once = ImageRequest(url: server.url("/photo.jpg"), processors: [OnlyOnce()])
        #expect(try await pipeline.imageTask(with: once).response.container.userInfo["once"] as? Bool == true)
        let twice = ImageRequest(
            url: server.url("/photo.jpg"),
            processors: [ImageProcessors.Composition([OnlyOnce(), OnlyOnce()])]
        )
        do {
            _ = try await pipeline.image(for: twice)
            Issue.record("applied twice")
        } catch {
            guard case .processingFailed(let processor, _, let cause) = error else {
                throw error
            }
            #expect(processor is ImageProcessors.Composition)
            #expect(cause is OnlyOnce.Twice)
        }
    }

    @Test func oneThatGivesNothingFails() async throws {
        let server = try Photographs.server()
        let request = ImageRequest(
            url: server.url("/photo.jpg"),
            processors: [.process(id: "nothing") { _ in nil }]
        )
        do {
            _ = try await makePipeline().image(for: request)
            Issue.record("an image of nothing")
        } catch {
            guard case .processingFailed(_, _, let cause) = error else {
                throw error
            }
            #expect(cause is ImageProcessingError)
        }
    }
}
