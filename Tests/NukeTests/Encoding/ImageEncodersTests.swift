import Foundation
import Imaging
import Nuke
import Testing

@Suite("ImageEncoders")
struct ImageEncodersTests {
    private let transparent = MadeImages.plain(8, 6, color: [200, 100, 50, 128])

    private func type(_ data: Data?) -> AssetType? { data.flatMap { AssetType($0) } }

    @Test func theDefaultChoosesByThePixelFormat() throws {
        let encoder = ImageEncoders.Default()
        #expect(encoder.compressionQuality == 0.8)
        #expect(type(encoder.encode(try MadeImages.photo(64, 48))) == .jpeg)
        #expect(type(encoder.encode(transparent)) == .png)
        // Alpha that is nowhere below 255 is alpha still.
        #expect(type(encoder.encode(MadeImages.plain(8, 6))) == .png)
        #expect(encoder.encode(PlatformImage()) == nil)
        let opaque = try #require(PlatformImage(data: try MadeImages.file(64, 48, as: .png())))
        #expect(type(encoder.encode(opaque)) == .jpeg)
    }

    @Test func aPNGKeepsEveryPixel() throws {
        let file = try #require(ImageEncoders.Default().encode(transparent))
        #expect(PlatformImage(data: file) == transparent)
    }

    @Test func aHigherQualityTakesMoreBytes() throws {
        let photo = try MadeImages.photo(200, 150)
        let sizes = [0.1, 0.5, 0.9].map {
            ImageEncoders.Default(compressionQuality: $0).encode(photo)?.count ?? 0
        }
        #expect(sizes == sizes.sorted() && Set(sizes).count == 3)
        let io = ImageEncoders.ImageIO(type: .jpeg, compressionRatio: 0.5).encode(photo)
        #expect(io?.count == sizes[1])
    }

    @Test(arguments: [Float(-1), 0, 1, 2, .nan])
    func takesAnyQuality(_ quality: Float) throws {
        let photo = try MadeImages.photo(64, 48)
        for type in [AssetType.jpeg, .webp, .png] {
            let file = ImageEncoders.ImageIO(type: type, compressionRatio: quality).encode(photo)
            #expect(self.type(file) == type)
        }
    }

    @Test func writesTheTypesThatItSupports() throws {
        let photo = try MadeImages.photo(64, 48)
        var supported: [AssetType] = [.jpeg, .png, .webp]
        #if AVIF
        supported.append(.avif)
        #endif
        #if JXL
        supported.append(.jxl)
        #endif
        for type in supported {
            #expect(ImageEncoders.ImageIO.isSupported(type: type))
            let file = try #require(ImageEncoders.ImageIO(type: type).encode(photo))
            #expect(AssetType(file) == type)
            #expect(PlatformImage(data: file)?.pixelSize == photo.pixelSize)
        }
        for type in [AssetType.gif, .heic, "public.nothing"] {
            #expect(!ImageEncoders.ImageIO.isSupported(type: type))
            #expect(ImageEncoders.ImageIO(type: type).encode(photo) == nil)
        }
        #expect(ImageEncoders.ImageIO(type: .png).compressionRatio == 0.8)
        #expect(ImageEncoders.ImageIO(type: .png).encode(PlatformImage()) == nil)
    }

    @Test func areNamedByStaticMembers() throws {
        let photo = try MadeImages.photo(64, 48)
        let standard: any ImageEncoding = .default(compressionQuality: 0.5)
        #expect((standard as? ImageEncoders.Default)?.compressionQuality == 0.5)
        let webp: any ImageEncoding = .imageIO(type: .webp)
        #expect(type(webp.encode(photo)) == .webp)
    }

    @Test func aGIFKeepsItsData() throws {
        let photo = try MadeImages.photo(64, 48)
        let context = ImageEncodingContext(request: "http://h/a", image: photo, urlResponse: nil)
        let encoder = ImageEncoders.Default()
        let data = Data("GIF89a".utf8)
        #expect(
            encoder.encode(ImageContainer(image: photo, type: .gif, data: data), context: context) == data
        )
        #expect(encoder.encode(ImageContainer(image: photo, type: .gif), context: context) == nil)
        let other = encoder.encode(ImageContainer(image: photo, type: .jpeg, data: data), context: context)
        #expect(type(other) == .jpeg)
    }
}
