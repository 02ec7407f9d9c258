import Nuke
import Testing

@Suite("API: processors")
struct ProcessingAPITests {
    private struct Plain: ImageProcessing {
        let identifier = "plain"
        func process(_ image: PlatformImage) -> PlatformImage? { image }
    }

    private struct Parametric: ImageProcessing, Hashable {
        let number: Int
        var identifier: String { "same for all" }
        func process(_ image: PlatformImage) -> PlatformImage? { nil }
    }

    private var context: ImageProcessingContext {
        let container = ImageContainer(image: onePixel)
        return ImageProcessingContext(
            request: "http://h/a",
            response: ImageResponse(container: container, request: "http://h/a"),
            isCompleted: true
        )
    }

    @Test func processing() throws {
        let processor: any ImageProcessing & Sendable = Plain()
        let process: (PlatformImage) -> PlatformImage? = processor.process(_:)
        let whole: (ImageContainer, ImageProcessingContext) throws -> ImageContainer = processor.process(
            _:
            context:
        )
        let identifier: String = processor.identifier
        let hashable: AnyHashable = processor.hashableIdentifier
        #expect(process(onePixel) != nil && hashable == AnyHashable(identifier))
        #expect(try whole(ImageContainer(image: onePixel), context).image.width == 1)
        let parametric = Parametric(number: 1)
        #expect(parametric.hashableIdentifier == AnyHashable(parametric))
        #expect(parametric.hashableIdentifier != Parametric(number: 2).hashableIdentifier)
        #expect(throws: ImageProcessingError.unknown) {
            try parametric.process(ImageContainer(image: onePixel), context: context)
        }
        failure(ImageProcessingError.self)
        switch ImageProcessingError.unknown {
        case .unknown: break
        }
        #expect(ImageProcessingError.unknown.description as String == "Unknown")
    }

    @Test func processingContext() {
        sendable(ImageProcessingContext.self)
        let request: WritableKeyPath<ImageProcessingContext, ImageRequest> = \.request
        let response: WritableKeyPath<ImageProcessingContext, ImageResponse> = \.response
        let isCompleted: WritableKeyPath<ImageProcessingContext, Bool> = \.isCompleted
        #expect(context[keyPath: isCompleted] && context[keyPath: request].url != nil)
        #expect(context[keyPath: response].image.width == 1)
    }

    @Test func processingOptions() {
        typealias Unit = ImageProcessingOptions.Unit
        typealias Mode = ImageProcessingOptions.ContentMode
        sendable(ImageProcessingOptions.self)
        hashable(Unit.self)
        hashable(Mode.self)
        #expect([Unit.points, .pixels].map(\.description) == ["points", "pixels"])
        #expect([Mode.aspectFill, .aspectFit].map(\.description) == [".aspectFill", ".aspectFit"])
        switch Unit.points {
        case .points, .pixels: break
        }
        switch Mode.aspectFit {
        case .aspectFill, .aspectFit: break
        }
        hashable(ImageProcessingOptions.Border.self)
        described(ImageProcessingOptions.Border.self)
        let width: KeyPath<ImageProcessingOptions.Border, CGFloat> = \.width
        let color: KeyPath<ImageProcessingOptions.Border, PlatformColor> = \.color
        let border = ImageProcessingOptions.Border(color: .red, width: 2, unit: .pixels)
        let thin = [ImageProcessingOptions.Border(color: .red), .init(color: .red, width: 1, unit: .points)]
        #expect(thin[0] == thin[1] && thin[0][keyPath: width] == 1 && border[keyPath: color] == .red)
        #expect(border.description == "Border(color: #FF0000, width: 2.0 pixels)")
        #expect(isReadOnly(width) && isReadOnly(color))
    }

    private func parts<P: ImageProcessing & Hashable & CustomStringConvertible & Sendable>(_ processor: P)
        -> String
    {
        let process: (PlatformImage) -> PlatformImage? = processor.process(_:)
        _ = process
        return processor.identifier + "; " + processor.description
    }

    @Test func processors() throws {
        let size = CGSize(width: 4, height: 5)
        let border = ImageProcessingOptions.Border(color: .black)
        let resizes: [ImageProcessors.Resize] = [
            .init(size: size),
            .init(size: size, unit: .points, contentMode: .aspectFill, crop: false, upscale: false),
            .init(width: 4), .init(width: 4, unit: .points, upscale: false), .init(height: 4),
            .init(height: 4, unit: .points, upscale: false),
        ]
        #expect(stride(from: 0, to: 6, by: 2).allSatisfy { resizes[$0] == resizes[$0 + 1] })
        let all = [
            parts(resizes[0]), parts(ImageProcessors.Circle()), parts(ImageProcessors.Circle(border: border)),
            parts(ImageProcessors.RoundedCorners(radius: 3)),
            parts(ImageProcessors.RoundedCorners(radius: 3, unit: .pixels, border: border)),
            parts(ImageProcessors.GaussianBlur()), parts(ImageProcessors.GaussianBlur(radius: 3)),
            parts(ImageProcessors.Composition([Plain()])),
        ]
        #expect(Set(all).count == all.count)
        #expect(ImageProcessors.Circle() == .init(border: nil))
        #expect(ImageProcessors.RoundedCorners(radius: 3) == .init(radius: 3, unit: .points, border: nil))
        #expect(ImageProcessors.GaussianBlur() == .init(radius: 8))
        let composition = ImageProcessors.Composition([Plain()])
        let whole: (ImageContainer, ImageProcessingContext) throws -> ImageContainer =
            composition.process(_:context:)
        let equal: (ImageProcessors.Composition, ImageProcessors.Composition) -> Bool = (==)
        let hash: (inout Hasher) -> Void = composition.hash(into:)
        var hasher = Hasher()
        hash(&hasher)
        #expect(try whole(ImageContainer(image: onePixel), context).image.width == 1)
        #expect(equal(composition, composition))
        let anonymous = ImageProcessors.Anonymous(id: "mine") { $0 }
        let identifier: KeyPath<ImageProcessors.Anonymous, String> = \.identifier
        #expect(anonymous[keyPath: identifier] == "mine" && isReadOnly(identifier))
        #expect(anonymous.process(onePixel) != nil && anonymous.description.contains("mine"))
        sendable(ImageProcessors.Anonymous.self)
    }

    @Test func staticMembers() {
        let size = CGSize(width: 4, height: 5)
        let border: ImageProcessingOptions.Border? = .init(color: .blue)
        let all: [any ImageProcessing] = [
            .resize(size: size),
            .resize(size: size, unit: .pixels, contentMode: .aspectFit, crop: true, upscale: true),
            .resize(width: 4), .resize(width: 4, unit: .pixels, upscale: true), .resize(height: 4),
            .resize(height: 4, unit: .pixels, upscale: true), .circle(), .circle(border: border),
            .roundedCorners(radius: 4), .roundedCorners(radius: 4, unit: .pixels, border: border),
            .gaussianBlur(),
            .gaussianBlur(radius: 4), .process(id: "mine") { $0 },
        ]
        #expect(Set(all.map(\.identifier)).count == 13)
        let resize: ImageProcessors.Resize = .resize(width: 4)
        let circle: ImageProcessors.Circle = .circle()
        let corners: ImageProcessors.RoundedCorners = .roundedCorners(radius: 4)
        let blur: ImageProcessors.GaussianBlur = .gaussianBlur()
        let closure: @Sendable (PlatformImage) -> PlatformImage? = { $0 }
        let anonymous: ImageProcessors.Anonymous = .process(id: "mine", closure)
        let typed: [any ImageProcessing] = [resize, circle, corners, blur, anonymous]
        #expect(typed.map(\.identifier) == [2, 6, 8, 10, 12].map { all[$0].identifier })
        #expect(ImageRequest(url: nil, processors: [.resize(width: 4), .circle()]).processors.count == 2)
    }
}
