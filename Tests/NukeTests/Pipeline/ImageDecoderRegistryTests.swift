import Foundation
import Nuke
import Testing

@Suite("ImageDecoderRegistry")
struct ImageDecoderRegistryTests {
    private struct Named: ImageDecoding {
        let name: String

        func decode(_ data: Data) throws -> ImageContainer { throw ImageDecodingError.unknown }
    }

    private let context = ImageDecodingContext(request: "http://h/a", data: Data("abc".utf8))

    private func name(_ registry: ImageDecoderRegistry) -> String? {
        (registry.decoder(for: context) as? Named)?.name
    }

    @Test func hasTheDefaultDecoder() {
        #expect(ImageDecoderRegistry().decoder(for: context) is ImageDecoders.Default)
        #expect(ImageDecoderRegistry.shared.decoder(for: context) is ImageDecoders.Default)
        var incomplete = context
        incomplete.isCompleted = false
        #expect(ImageDecoderRegistry().decoder(for: incomplete) is ImageDecoders.Default)
    }

    @Test func asksTheLastRegisteredFirst() {
        let registry = ImageDecoderRegistry()
        registry.register { _ in Named(name: "a") }
        #expect(name(registry) == "a")
        registry.register { _ in Named(name: "b") }
        #expect(name(registry) == "b")
        registry.register { _ in nil }
        #expect(name(registry) == "b")
        registry.register { $0.data.count == 3 ? Named(name: "c") : nil }
        #expect(name(registry) == "c")
    }

    @Test func forgetsWhatIsUnregistered() {
        let registry = ImageDecoderRegistry()
        let a = registry.register { _ in Named(name: "a") }
        let b = registry.register { _ in Named(name: "b") }
        #expect(a != b)
        registry.unregister(a)
        #expect(name(registry) == "b")
        registry.unregister(b)
        registry.unregister(b)
        #expect(registry.decoder(for: context) is ImageDecoders.Default)
    }

    @Test func hasNothingWhenItIsCleared() {
        let registry = ImageDecoderRegistry()
        let token = registry.register { _ in Named(name: "a") }
        registry.clear()
        #expect(registry.decoder(for: context) == nil)
        registry.register { _ in Named(name: "b") }
        registry.unregister(token)
        #expect(name(registry) == "b")
    }

    /// A match may use the registry itself.
    @Test func mayBeUsedByWhatItAsks() {
        let registry = ImageDecoderRegistry()
        registry.register { _ in
            registry.clear()
            return nil
        }
        #expect(registry.decoder(for: context) is ImageDecoders.Default)
        #expect(registry.decoder(for: context) == nil)
    }

    @Test func aDecoderIsAsynchronousAndShowsNoPreviewsUnlessItSaysSo() {
        #expect(Named(name: "a").isAsynchronous)
        #expect(Named(name: "a").decodePartiallyDownloadedData(Data()) == nil)
    }
}

@Suite("ImageDecoders.Empty")
struct EmptyDecoderTests {
    @Test func passesTheDataThrough() throws {
        let data = Data("anything".utf8)
        let container = try ImageDecoders.Empty(assetType: .mp4).decode(data)
        #expect(container.data == data && container.type == .mp4)
        #expect(!container.isPreview && container.userInfo.isEmpty)
        #expect(container.image.width == 0)
        #expect(try ImageDecoders.Empty().decode(data).type == nil)
        #expect(!ImageDecoders.Empty().isAsynchronous)
    }

    @Test func isProgressiveWhenAsked() {
        let data = Data("any".utf8)
        #expect(!ImageDecoders.Empty().isProgressive)
        #expect(ImageDecoders.Empty().decodePartiallyDownloadedData(data) == nil)
        let progressive = ImageDecoders.Empty(assetType: .jpeg, isProgressive: true)
        #expect(progressive.isProgressive)
        let preview = progressive.decodePartiallyDownloadedData(data)
        #expect(preview?.isPreview == true && preview?.data == data && preview?.type == .jpeg)
    }
}
