import Nuke
import Testing

@Suite("API: decoders and encoders")
struct CodingAPITests {
    /// The one method without a default.
    private struct Decoder: ImageDecoding {
        func decode(_ data: Data) throws -> ImageContainer { ImageContainer(image: onePixel) }
    }

    private struct Encoder: ImageEncoding {
        func encode(_ image: PlatformImage) -> Data? { Data([7]) }
    }

    @Test func decoding() throws {
        let decoder: any ImageDecoding & Sendable = Decoder()
        let decode: (Data) throws -> ImageContainer = decoder.decode(_:)
        let part: (Data) -> ImageContainer? = decoder.decodePartiallyDownloadedData(_:)
        let isAsynchronous: Bool = decoder.isAsynchronous
        #expect(isAsynchronous && part(Data()) == nil)
        #expect(try decode(Data()).image.width == 1)
        failure(ImageDecodingError.self)
        switch ImageDecodingError.unknown {
        case .unknown: break
        }
        #expect(ImageDecodingError.unknown.description as String == "Unknown")
    }

    @Test func decodingContext() {
        sendable(ImageDecodingContext.self)
        let request: WritableKeyPath<ImageDecodingContext, ImageRequest> = \.request
        let data: WritableKeyPath<ImageDecodingContext, Data> = \.data
        let isCompleted: WritableKeyPath<ImageDecodingContext, Bool> = \.isCompleted
        let urlResponse: WritableKeyPath<ImageDecodingContext, URLResponse?> = \.urlResponse
        let cacheType: WritableKeyPath<ImageDecodingContext, ImageResponse.CacheType?> = \.cacheType
        let policy: WritableKeyPath<ImageDecodingContext, ImagePipeline.PreviewPolicy> = \.previewPolicy
        let short = ImageDecodingContext(request: "http://h/a", data: Data([1]))
        #expect(short[keyPath: isCompleted] && short[keyPath: urlResponse] == nil)
        #expect(short[keyPath: cacheType] == nil && short[keyPath: policy] == .incremental)
        #expect(short[keyPath: data].count == 1 && short[keyPath: request].url != nil)
        let full = ImageDecodingContext(
            request: "http://h/a",
            data: Data(),
            isCompleted: false,
            urlResponse: noResponse,
            cacheType: .memory
        )
        #expect(!full.isCompleted && full.urlResponse != nil && full.cacheType == .memory)
    }

    @Test func registry() {
        sendable(ImageDecoderRegistry.self)
        hashable(ImageDecoderRegistry.RegistrationToken.self)
        let shared: ImageDecoderRegistry = ImageDecoderRegistry.shared
        let registry = ImageDecoderRegistry()
        let find: (ImageDecodingContext) -> (any ImageDecoding)? = registry.decoder(for:)
        let unregister: (ImageDecoderRegistry.RegistrationToken) -> Void = registry.unregister(_:)
        let clear: () -> Void = registry.clear
        // Its result may be dropped.
        registry.register { _ in Decoder() }
        let match: @Sendable (ImageDecodingContext) -> (any ImageDecoding)? = { _ in nil }
        let token: ImageDecoderRegistry.RegistrationToken = registry.register(match)
        unregister(token)
        let context = ImageDecodingContext(request: "http://h/a", data: Data())
        #expect(find(context) is Decoder)
        clear()
        #expect(find(context) == nil && shared !== registry)
    }

    @Test func decoders() throws {
        sendable(ImageDecoders.Default.self)
        let context = ImageDecodingContext(request: "http://h/a", data: Data())
        let make: () -> ImageDecoders.Default = ImageDecoders.Default.init
        let forContext: (ImageDecodingContext) -> ImageDecoders.Default? = ImageDecoders.Default.init(
            context:
        )
        for decoder in [make(), try #require(forContext(context))] {
            let typed: any ImageDecoding = decoder
            let isAsynchronous: KeyPath<ImageDecoders.Default, Bool> = \.isAsynchronous
            #expect(decoder[keyPath: isAsynchronous] && typed.decodePartiallyDownloadedData(Data()) == nil)
            #expect(throws: (any Error).self) { try decoder.decode(Data()) }
        }
        sendable(ImageDecoders.Empty.self)
        let empty: [ImageDecoders.Empty] = [
            .init(), .init(assetType: .gif), .init(isProgressive: true),
            .init(assetType: nil, isProgressive: false),
        ]
        let isProgressive: KeyPath<ImageDecoders.Empty, Bool> = \.isProgressive
        #expect(empty.map { $0[keyPath: isProgressive] } == [false, false, true, false])
        #expect(empty.allSatisfy { !$0.isAsynchronous } && isReadOnly(isProgressive))
        let data = Data([1])
        #expect(try empty[1].decode(data).type == .gif)
        #expect(empty.map { $0.decodePartiallyDownloadedData(data)?.data } == [nil, nil, data, nil])
    }

    @Test func encoding() {
        sendable(ImageEncodingContext.self)
        let request: KeyPath<ImageEncodingContext, ImageRequest> = \.request
        let image: KeyPath<ImageEncodingContext, PlatformImage> = \.image
        let urlResponse: KeyPath<ImageEncodingContext, URLResponse?> = \.urlResponse
        let context = ImageEncodingContext(request: "http://h/a", image: onePixel, urlResponse: nil)
        #expect(isReadOnly(request) && isReadOnly(image) && context[keyPath: urlResponse] == nil)
        let encoder: any ImageEncoding & Sendable = Encoder()
        let encode: (PlatformImage) -> Data? = encoder.encode(_:)
        let whole: (ImageContainer, ImageEncodingContext) -> Data? = encoder.encode(_:context:)
        #expect(encode(onePixel) == Data([7]))
        #expect(whole(ImageContainer(image: onePixel), context) == Data([7]))
        #expect(whole(ImageContainer(image: onePixel, type: .gif, data: Data([8])), context) == Data([8]))
        #expect(whole(ImageContainer(image: onePixel, type: .gif), context) == nil)
    }

    @Test func encoders() {
        let quality: WritableKeyPath<ImageEncoders.Default, Float> = \.compressionQuality
        var encoder = ImageEncoders.Default()
        #expect(encoder[keyPath: quality] == 0.8)
        encoder[keyPath: quality] = 0.5
        #expect(ImageEncoders.Default(compressionQuality: 0.5)[keyPath: quality] == 0.5)
        let file: Data? = encoder.encode(onePixel)
        #expect(file.flatMap { AssetType($0) } == .png)
        let type: KeyPath<ImageEncoders.ImageIO, AssetType> = \.type
        let ratio: KeyPath<ImageEncoders.ImageIO, Float> = \.compressionRatio
        let isSupported: (AssetType) -> Bool = ImageEncoders.ImageIO.isSupported(type:)
        let io = [ImageEncoders.ImageIO(type: .png), .init(type: .jpeg, compressionRatio: 0.5)]
        #expect(io.map { $0[keyPath: ratio] } == [0.8, 0.5] && io[0][keyPath: type] == .png)
        #expect(isReadOnly(type) && isReadOnly(ratio) && isSupported(.jpeg) && !isSupported(.mov))
        let members: [any ImageEncoding] = [
            .default(), .default(compressionQuality: 0.1), .imageIO(type: .png),
            .imageIO(type: .webp, compressionRatio: 0.9),
        ]
        let typed: ImageEncoders.Default = .default()
        let typedIO: ImageEncoders.ImageIO = .imageIO(type: .jpeg)
        #expect(members.allSatisfy { $0.encode(onePixel) != nil })
        #expect(typed.compressionQuality == typedIO.compressionRatio)
    }
}
