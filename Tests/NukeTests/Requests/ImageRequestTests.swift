import Foundation
import Nuke
import Testing

@Suite("ImageRequest")
struct ImageRequestTests {
    private struct Sepia: ImageProcessing, Hashable {
        let identifier: String

        func process(_ image: PlatformImage) -> PlatformImage? { image }
    }

    private func key(_ request: ImageRequest) -> String {
        ImagePipeline(configuration: .init(dataLoader: CurlDataLoader())).cache.makeDataCacheKey(for: request)
    }

    @Test func takesItsURLFromWhatItWasMadeOf() throws {
        let url = try #require(URL(string: "http://h/a"))
        #expect(ImageRequest(url: url).url == url)
        #expect(ImageRequest(url: url).urlRequest == URLRequest(url: url))
        #expect(ImageRequest(urlRequest: URLRequest(url: url)).url == url)
        let literal: ImageRequest = "http://h/a"
        #expect(literal.url == url)
        #expect(ImageRequest(url: nil).url == nil)
        let data = ImageRequest(id: "mine", data: { Data() })
        #expect(data.url == nil)
        #expect(data.urlRequest == nil)
        #expect(data.imageID == "mine")
    }

    @Test func hasNukesDefaults() {
        let request: ImageRequest = "http://h/a"
        #expect(request.priority == .normal)
        #expect(request.options == [])
        #expect(request.processors.isEmpty)
        #expect(request.userInfo.isEmpty)
        #expect(request.imageID == "http://h/a")
        #expect(ImageRequest.Priority.veryLow < .low)
        #expect(ImageRequest.Options.reloadIgnoringCachedData.rawValue == 0b101)
        #expect(ImageRequest.Options.disableDiskCache.rawValue == 0b1100)
    }

    @Test func isAValue() {
        let one: ImageRequest = "http://h/a"
        var two = one
        two.priority = .high
        two.imageID = "other"
        #expect(one.priority == .normal)
        #expect(one.imageID == "http://h/a")
        #expect(two.imageID == "other" && "\(two)".contains("http://h/a"))
    }

    @Test func takesTheSettingsOfNuke12() {
        let options = ImageRequest.ThumbnailOptions(maxPixelSize: 10)
        var request = ImageRequest(
            url: URL(string: "http://h/a"),
            userInfo: [.imageIdKey: "id", .scaleKey: Float(2), .thumbnailKey: options, "other": 1]
        )
        #expect((request.imageID, request.imageId) == ("id", "id"))
        #expect(request.scale == 2)
        #expect(request.thumbnail == options)
        request.userInfo[.imageIdKey] = "later"
        #expect(request.imageID == "later")
        // What is set last holds, and what nobody names stays.
        request.imageID = "own"
        request.userInfo = [:]
        #expect(request.imageID == "own")
        request.userInfo = [.scaleKey: "two"]
        #expect(request.scale == 2)
    }

    @Test func keysTellAllRequestsApart() {
        let requests: [ImageRequest] = [
            ImageRequest(url: URL(string: "http://h/a")),
            ImageRequest(url: URL(string: "http://h/a"), processors: [Sepia(identifier: "bc")]),
            ImageRequest(url: URL(string: "http://h/ab"), processors: [Sepia(identifier: "c")]),
            ImageRequest(
                url: URL(string: "http://h/a"),
                processors: [Sepia(identifier: "b"), Sepia(identifier: "c")]
            ),
        ]
        #expect(Set(requests.map(key)).count == requests.count)
        #expect(key(requests[0]) == "http://h/a")
        var custom = requests[0]
        custom.imageID = "custom"
        #expect(key(custom) == "custom")
    }
}
