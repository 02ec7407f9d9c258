import Foundation
import FoundationNetworking
import Nuke
import TestSupport
import Testing

/// The parts of a request that each key contains.
@Suite("Keys of requests")
struct RequestKeyTests {
    private let url = "http://example.com/a.jpg"
    private let pipeline = ImagePipeline { $0.imageCache = nil }

    private func request(
        _ processors: [any ImageProcessing] = [],
        _ change: (inout ImageRequest) -> Void = { _ in }
    )
        -> ImageRequest
    {
        var request = ImageRequest(url: URL(string: url), processors: processors)
        change(&request)
        return request
    }

    private func key(_ request: ImageRequest) -> String { pipeline.cache.makeDataCacheKey(for: request) }
    private func memoryKey(_ request: ImageRequest) -> ImageCacheKey {
        pipeline.cache.makeImageCacheKey(for: request)
    }

    @Test func theKeyOfOriginalDataIsTheImagesID() {
        #expect(key(request()) == url)
        #expect(key(request { $0.imageID = "mine" }) == "mine")
        #expect(key(ImageRequest(id: "closure", data: { Data() })) == "closure")
    }

    @Test func keysOnDiskHoldTheIdentifiersOfThumbnailAndProcessorsInOrder() throws {
        let processors: [any ImageProcessing] = [.resize(width: 30), .process(id: "mine") { $0 }]
        let whole = key(request(processors) { $0.thumbnail = .init(maxPixelSize: 400) })
        var rest = Substring(whole)
        for part in [
            url, "com.github/kean/nuke/thumbnail?maxPixelSize=400.0,options=truetruetruetrue",
            "com.github.kean/nuke/resize?s=(30.0, 9999.0),cm=.aspectFit,crop=false,upscale=false", "mine",
        ] {
            let range = try #require(rest.range(of: part))
            rest = rest[range.upperBound...]
        }
        #expect(rest.isEmpty)
    }

    /// The joined identifier of a composition does not tell where its parts end.
    @Test func keysOnDiskHoldThePartsOfCompositions() {
        func composition(_ ids: String...) -> any ImageProcessing {
            ImageProcessors.Composition(ids.map { .process(id: $0) { $0 } })
        }
        let keys = [composition("a", "bc"), composition("ab", "c"), composition("abc")].map {
            key(request([$0]))
        }
        #expect(Set(keys).count == keys.count)
        let nested = ImageProcessors.Composition([composition("a"), composition("bc")])
        #expect(key(request([nested])) == keys[0])
    }

    @Test func identifiersOfThumbnailsNameTheirSizeModeAndFlags() {
        var options = ImageRequest.ThumbnailOptions(
            size: CGSize(width: 400, height: 400),
            unit: .pixels,
            contentMode: .aspectFit
        )
        options.createThumbnailWithTransform = false
        #expect(
            key(request { $0.thumbnail = options }).hasSuffix(
                "com.github/kean/nuke/thumbnail?"
                    + "width=400.0,height=400.0,contentMode=.aspectFit,options=truetruefalsetrue"
            )
        )
    }

    @Test func theScaleIsInTheKeyInMemoryAndNotInTheOneOnDisk() {
        let scaled = request { $0.scale = 2 }
        #expect(key(scaled) == key(request()))
        #expect(memoryKey(scaled) != memoryKey(request()))
    }

    @Test func headersAreInNoKeyOfACache() throws {
        var urlRequest = URLRequest(url: try #require(URL(string: url)))
        urlRequest.setValue("Bearer", forHTTPHeaderField: "Authorization")
        urlRequest.cachePolicy = .reloadIgnoringLocalCacheData
        let other = ImageRequest(
            urlRequest: urlRequest,
            priority: .high,
            options: .disableDiskCache,
            userInfo: ["a": 1]
        )
        #expect(key(other) == key(request()))
        #expect(memoryKey(other) == memoryKey(request()))
        #expect(memoryKey(other) == ImageCacheKey(request: request()))
    }

    @Test func processorsAreComparedByTheirHashableIdentifierInMemory() {
        struct Numbered: ImageProcessing, Hashable {
            let number: Int
            let identifier = "numbered"
            func process(_ image: PlatformImage) -> PlatformImage? { image }
        }
        let (one, two) = (request([Numbered(number: 1)]), request([Numbered(number: 2)]))
        #expect(memoryKey(one) != memoryKey(two))
        #expect(memoryKey(one) == memoryKey(request([Numbered(number: 1)])))
        #expect(key(one) == key(two), "on disk the identifier alone counts")
        let pair: [any ImageProcessing] = [.circle(), .gaussianBlur()]
        #expect(memoryKey(request(pair)) != memoryKey(request(pair.reversed())))
    }

    @Test func aDelegatesKeyReplacesBoth() {
        final class Keys: ImagePipeline.Delegate {
            func cacheKey(for request: ImageRequest, pipeline: ImagePipeline) -> String? {
                request.userInfo["key"] as? String
            }
        }
        let cache = ImagePipeline(delegate: Keys()) { $0.imageCache = nil }.cache
        let named = request([.circle()]) { $0.userInfo["key"] = "given" }
        #expect(cache.makeDataCacheKey(for: named) == "given")
        #expect(cache.makeImageCacheKey(for: named) == ImageCacheKey(key: "given"))
        #expect(cache.makeDataCacheKey(for: request()) == url)
    }

    /// A NaN is not equal to itself; a key with one in it is.
    @Test(.timeLimit(.minutes(10)))
    func keysWithNaNAreFoundAgain() async throws {
        let requests = [
            request { $0.scale = .nan }, request { $0.thumbnail = .init(maxPixelSize: .nan) },
            request([.resize(width: .nan)]), request([.roundedCorners(radius: .nan)]),
        ]
        let cache = ImageCache()
        for request in requests {
            #expect(memoryKey(request) == memoryKey(request))
            for _ in 0..<3 { cache[memoryKey(request)] = ImageContainer(image: PlatformImage()) }
            #expect(cache[memoryKey(request)] != nil)
        }
        #expect(cache.totalCount == requests.count)
        let ended = Counter()
        let prefetcher = ImagePrefetcher(pipeline: .testing(QueuedLoader()))
        prefetcher.didComplete = { ended.add("end") }
        prefetcher.startPrefetching(with: requests)
        try await eventually { ended["end"] == 1 }
    }
}
