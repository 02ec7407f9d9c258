import Nuke
import Testing

@Suite("API: images")
struct ImagesAPITests {
    @Test func platformImage() throws {
        hashable(PlatformImage.self)
        let empty: () -> PlatformImage = PlatformImage.init
        let ofData: (Data) -> PlatformImage? = PlatformImage.init(data:)
        let ofPixels: (Int, Int, Data) -> PlatformImage = PlatformImage.init(width:height:rgba:)
        let width: KeyPath<PlatformImage, Int> = \.width
        let height: KeyPath<PlatformImage, Int> = \.height
        let isOpaque: KeyPath<PlatformImage, Bool> = \.isOpaque
        let rgba: KeyPath<PlatformImage, Data?> = \.rgba
        let image = ofPixels(1, 2, Data(count: 8))
        let copy: () -> PlatformImage = image.copy
        let equal: (PlatformImage, PlatformImage) -> Bool = (==)
        let hash: (inout Hasher) -> Void = image.hash(into:)
        #expect(empty()[keyPath: width] == 0)
        #expect(ofData(Data()) == nil)
        #expect(image[keyPath: height] == 2)
        #expect(!image[keyPath: isOpaque])
        #expect(image[keyPath: rgba]?.count == 8)
        #expect(equal(copy(), image) && copy() !== image)
        var hasher = Hasher()
        hash(&hasher)
        #expect(isReadOnly(width) && isReadOnly(height) && isReadOnly(isOpaque) && isReadOnly(rgba))
        // A class: what is passed on is the same image.
        #expect(ObjectIdentifier(image) != ObjectIdentifier(empty()))
    }

    @Test func platformColor() {
        hashable(PlatformColor.self)
        let make: (Double, Double, Double, Double) -> PlatformColor = PlatformColor.init(
            red:
            green:
            blue:
            alpha:
        )
        let colors: [PlatformColor] = [.red, .blue, .black]
        #expect(colors == [make(1, 0, 0, 1), make(0, 0, 1, 1), make(0, 0, 0, 1)])
    }

    @Test func imageContainer() {
        sendable(ImageContainer.self)
        let image: WritableKeyPath<ImageContainer, PlatformImage> = \.image
        let type: WritableKeyPath<ImageContainer, AssetType?> = \.type
        let isPreview: WritableKeyPath<ImageContainer, Bool> = \.isPreview
        let data: WritableKeyPath<ImageContainer, Data?> = \.data
        let info: WritableKeyPath<ImageContainer, [ImageContainer.UserInfoKey: any Sendable]> = \.userInfo
        var container = ImageContainer(image: onePixel)
        #expect(container[keyPath: type] == nil && container[keyPath: data] == nil)
        #expect(!container[keyPath: isPreview] && container[keyPath: info].isEmpty)
        container[keyPath: image] = PlatformImage()
        #expect(container.image.width == 0)
        let full = ImageContainer(
            image: onePixel,
            type: .gif,
            isPreview: true,
            data: Data([1]),
            userInfo: [.scanNumberKey: 3]
        )
        #expect(full.userInfo[.scanNumberKey] as? Int == 3 && full.type == .gif && full.isPreview)
        literal(ImageContainer.UserInfoKey.self)
        let rawValue: KeyPath<ImageContainer.UserInfoKey, String> = \.rawValue
        let key: ImageContainer.UserInfoKey = "a"
        #expect(key == ImageContainer.UserInfoKey("a"))
        #expect(key == ImageContainer.UserInfoKey(stringLiteral: "a"))
        #expect(key[keyPath: rawValue] == "a" && isReadOnly(rawValue))
    }

    @Test func imageResponse() {
        sendable(ImageResponse.self)
        let container: WritableKeyPath<ImageResponse, ImageContainer> = \.container
        let image: KeyPath<ImageResponse, PlatformImage> = \.image
        let isPreview: KeyPath<ImageResponse, Bool> = \.isPreview
        let request: WritableKeyPath<ImageResponse, ImageRequest> = \.request
        let urlResponse: WritableKeyPath<ImageResponse, URLResponse?> = \.urlResponse
        let cacheType: WritableKeyPath<ImageResponse, ImageResponse.CacheType?> = \.cacheType
        #expect(isReadOnly(image) && isReadOnly(isPreview))
        let short = ImageResponse(container: ImageContainer(image: onePixel), request: "http://h/a")
        #expect(short[keyPath: urlResponse] == nil && short[keyPath: cacheType] == nil)
        #expect(short[keyPath: image] === short[keyPath: container].image && !short[keyPath: isPreview])
        #expect(short[keyPath: request].url?.path == "/a")
        let full = ImageResponse(
            container: ImageContainer(image: onePixel, isPreview: true),
            request: "http://h/a",
            urlResponse: noResponse,
            cacheType: .disk
        )
        #expect(full.isPreview)
        sendable(ImageResponse.CacheType.self)
        switch full.cacheType {
        case .memory: Issue.record("not the memory")
        case .disk: break
        case nil: Issue.record("none")
        }
    }

    @Test func assetType() {
        literal(AssetType.self)
        let rawValue: KeyPath<AssetType, String> = \.rawValue
        let ofData: (Data) -> AssetType? = AssetType.init(_:)
        let ofRawValue: (String) -> AssetType = AssetType.init(rawValue:)
        let types: [AssetType] = [
            .png, .jpeg, .gif, .heic, .webp, .mp4, .m4v, .mov, .ico, .bmp, .tiff, .jpeg2000, .jxl,
        ]
        #expect(Set(types).count == 13 && isReadOnly(rawValue))
        #expect(ofData(Data([0xFF, 0xD8, 0xFF])) == .jpeg && ofRawValue("public.png") == .png)
        #expect("public.png" as AssetType == AssetType(stringLiteral: "public.png"))
    }
}
