import Nuke
import Testing

@Suite("API: requests")
struct RequestAPITests {
    @Test func imageRequest() {
        sendable(ImageRequest.self)
        described(ImageRequest.self)
        let priority: WritableKeyPath<ImageRequest, ImageRequest.Priority> = \.priority
        let processors: WritableKeyPath<ImageRequest, [any ImageProcessing]> = \.processors
        let options: WritableKeyPath<ImageRequest, ImageRequest.Options> = \.options
        let userInfo: WritableKeyPath<ImageRequest, [ImageRequest.UserInfoKey: any Sendable]> = \.userInfo
        let urlRequest: KeyPath<ImageRequest, URLRequest?> = \.urlRequest
        let url: KeyPath<ImageRequest, URL?> = \.url
        let imageID: WritableKeyPath<ImageRequest, String?> = \.imageID
        let scale: WritableKeyPath<ImageRequest, CGFloat> = \.scale
        let thumbnail: WritableKeyPath<ImageRequest, ImageRequest.ThumbnailOptions?> = \.thumbnail
        let description: KeyPath<ImageRequest, String> = \.description
        let request: ImageRequest = "http://h/a"
        #expect(request[keyPath: priority] == .normal && request[keyPath: processors].isEmpty)
        #expect(request[keyPath: options] == [] && request[keyPath: userInfo].isEmpty)
        #expect(request[keyPath: urlRequest]?.url == request[keyPath: url])
        #expect(request[keyPath: imageID] == "http://h/a" && request[keyPath: scale] == 1)
        #expect(request[keyPath: thumbnail] == nil && request[keyPath: description].contains("http://h/a"))
        #expect(isReadOnly(urlRequest) && isReadOnly(url) && isReadOnly(description))
        #expect(
            request.description
                == "ImageRequest(resource: http://h/a, priority: normal, processors: [], options: "
                + "\(ImageRequest.Options()), userInfo: [:])"
        )
        // A closure has no text; its id is the request's imageID.
        for closed in [
            ImageRequest(id: "a", data: { Data() }),
            ImageRequest(id: "a", image: { ImageContainer(image: onePixel) }),
        ] {
            #expect(closed.description.hasPrefix("ImageRequest(resource: <closure>, priority: normal"))
            #expect(closed.imageID == "a")
        }
        #expect(ImageRequest(url: nil).description.hasPrefix("ImageRequest(resource: nil, "))
    }

    @Test func initializers() async throws {
        let made: @Sendable () async throws -> Data = { Data() }
        let brought: @Sendable () async throws -> ImageContainer = { ImageContainer(image: PlatformImage()) }
        let steps: [any ImageProcessing] = [.circle()]
        let info: [ImageRequest.UserInfoKey: any Sendable]? = ["a": 1]
        let optional: URL? = nil
        let short = [
            ImageRequest(stringLiteral: "http://h/a"), ImageRequest(url: optional),
            ImageRequest(urlRequest: URLRequest(url: nowhere)), ImageRequest(id: "a", data: made),
            ImageRequest(id: "a", image: brought),
        ]
        let long = [
            ImageRequest(
                url: nowhere,
                processors: steps,
                priority: .high,
                options: .disableDiskCache,
                userInfo: info
            ),
            ImageRequest(
                urlRequest: URLRequest(url: nowhere),
                processors: steps,
                priority: .high,
                options: .disableDiskCache,
                userInfo: info
            ),
            ImageRequest(
                id: "a",
                data: made,
                processors: steps,
                priority: .high,
                options: .disableDiskCache,
                userInfo: info
            ),
            ImageRequest(
                id: "a",
                image: brought,
                processors: steps,
                priority: .high,
                options: .disableDiskCache,
                userInfo: info
            ),
        ]
        for request in short {
            #expect(request.priority == .normal && request.options == [] && request.userInfo.isEmpty)
        }
        for request in long {
            #expect(request.priority == .high && request.options == .disableDiskCache)
            #expect(request.userInfo["a"] as? Int == 1 && request.processors.count == 1)
        }
        #expect(short.map(\.imageID) == ["http://h/a", nil, "file:///nowhere.jpg", "a", "a"])
    }

    @Test func priority() {
        hashable(ImageRequest.Priority.self)
        let all: [ImageRequest.Priority] = [.veryLow, .low, .normal, .high, .veryHigh]
        #expect(all.map(\.rawValue) == [0, 1, 2, 3, 4])
        let less: (ImageRequest.Priority, ImageRequest.Priority) -> Bool = (<)
        #expect(less(.low, .high) && all.sorted() == all)
        let ofRawValue: (Int) -> ImageRequest.Priority? = ImageRequest.Priority.init(rawValue:)
        #expect(ofRawValue(5) == nil)
        switch all[0] {
        case .veryLow, .low, .normal, .high, .veryHigh: break
        }
    }

    @Test func requestOptions() {
        options(ImageRequest.Options.self)
        hashable(ImageRequest.Options.self)
        let single: [ImageRequest.Options] = [
            .disableMemoryCacheReads, .disableMemoryCacheWrites, .disableDiskCacheReads,
            .disableDiskCacheWrites,
            .returnCacheDataDontLoad, .skipDecompression, .skipDataLoadingQueue,
        ]
        let bits: [UInt16] = single.map(\.rawValue)
        #expect(bits == (0..<7).map { 1 << $0 })
        #expect(
            ImageRequest.Options.disableMemoryCache == [.disableMemoryCacheReads, .disableMemoryCacheWrites]
        )
        #expect(ImageRequest.Options.disableDiskCache == [.disableDiskCacheReads, .disableDiskCacheWrites])
        #expect(
            ImageRequest.Options.reloadIgnoringCachedData == [
                .disableMemoryCacheReads, .disableDiskCacheReads,
            ]
        )
        #expect(ImageRequest.Options(rawValue: 1 << 6) == .skipDataLoadingQueue)
    }

    @Test func userInfoKey() {
        literal(ImageRequest.UserInfoKey.self)
        let rawValue: KeyPath<ImageRequest.UserInfoKey, String> = \.rawValue
        let key: ImageRequest.UserInfoKey = "a"
        #expect(key == ImageRequest.UserInfoKey("a") && key[keyPath: rawValue] == "a" && isReadOnly(rawValue))
        #expect(key == ImageRequest.UserInfoKey(stringLiteral: "a"))
    }

    @Test func thumbnailOptions() {
        hashable(ImageRequest.ThumbnailOptions.self)
        let flags: [WritableKeyPath<ImageRequest.ThumbnailOptions, Bool>] = [
            \.createThumbnailFromImageIfAbsent, \.createThumbnailFromImageAlways,
            \.createThumbnailWithTransform, \.shouldCacheImmediately,
        ]
        let side: (CGFloat) -> ImageRequest.ThumbnailOptions = ImageRequest.ThumbnailOptions.init(
            maxPixelSize:
        )
        let size = CGSize(width: 1, height: 2)
        let sizes = [
            ImageRequest.ThumbnailOptions(size: size),
            .init(size: size, unit: .points, contentMode: .aspectFill),
            .init(size: size, unit: .pixels), .init(size: size, contentMode: .aspectFit),
        ]
        #expect(sizes[0] == sizes[1] && sizes[0] != sizes[3] && sizes[0] != side(1))
        for options in sizes + [side(2)] { #expect(flags.allSatisfy { options[keyPath: $0] }) }
        let make: (Data) -> PlatformImage? = side(2).makeThumbnail(with:)
        #expect(make(Data()) == nil)
    }
}
