import LoopbackServer
import Nuke
import TestSupport
import Testing

// sample
/// Keeps the data of a pipeline in a cache of another make.
struct ValueDataCache: DataCaching {
    let cache: ValueCache

    func cachedData(for key: String) -> Data? { cache.value(forKey: key) }
    func containsData(for key: String) -> Bool { cache.value(forKey: key) != nil }
    func storeData(_ data: Data, for key: String) { cache.setValue(data, forKey: key) }
    func removeData(for key: String) { cache.removeValue(forKey: key) }
    func removeAll() { cache.removeAllValues() }
}
// end

// sample
/// Keeps whole responses in a cache of another make, which holds nothing but bytes.
struct ValueResponseCache: ResponseCaching {
    private struct Entry: Codable {
        let url: URL
        let status: Int
        let fields: [String: String]
        let data: Data
    }

    let cache: ValueCache

    init(_ cache: ValueCache) { self.cache = cache }

    func cachedResponse(for request: URLRequest) -> (data: Data, response: URLResponse)? {
        guard let key = request.url?.absoluteString, let bytes = cache.value(forKey: key),
            let entry = try? PropertyListDecoder().decode(Entry.self, from: bytes),
            let response = HTTPURLResponse(
                url: entry.url,
                statusCode: entry.status,
                httpVersion: "HTTP/1.1",
                headerFields: entry.fields
            )
        else { return nil }
        return (entry.data, response)
    }

    func storeResponse(_ response: URLResponse, data: Data, for request: URLRequest) {
        guard let key = request.url?.absoluteString, let response = response as? HTTPURLResponse,
            let url = response.url
        else { return }
        let entry = Entry(
            url: url,
            status: response.statusCode,
            fields: response.allHeaderFields as? [String: String] ?? [:],
            data: data
        )
        guard let bytes = try? PropertyListEncoder().encode(entry) else { return }
        cache.setValue(bytes, forKey: key)
    }
}
// end

// sample
/// Keeps avatars in a cache of their own, and lets nothing of drafts reach the disk.
final class CacheChoosingDelegate: ImagePipeline.Delegate {
    let avatars: any DataCaching

    init(avatars: any DataCaching) { self.avatars = avatars }

    func dataCache(for request: ImageRequest, pipeline: ImagePipeline) -> (any DataCaching)? {
        switch request.userInfo["kind"] as? String {
        case "avatar": avatars
        case "draft": nil
        default: pipeline.configuration.dataCache
        }
    }
}
// end

@Suite("Samples: custom caching", .timeLimit(.minutes(10)))
struct CustomCachingSamples {
    private let folder: TemporaryFolder
    private let cache: ValueCache

    init() throws {
        folder = try TemporaryFolder()
        cache = try ValueCache(folder: folder.path("values"))
    }

    @Test func dataCache() async throws {
        let server = try Photographs.server()
        let url = server.url("/photo.jpg")
        // sample
        let pipeline = ImagePipeline {
            $0.dataLoader = CurlDataLoader()
            $0.dataCache = ValueDataCache(cache: cache)
        }
        // end
        for _ in 0..<2 { #expect(try await pipeline.data(for: url).0 == Photographs.jpeg()) }
        #expect(server.requests.count == 1)
        #expect(try cache.value(forKey: url.absoluteString) == Photographs.jpeg())
    }

    @Test func responseCache() async throws {
        let server = try Photographs.server()
        let url = server.url("/photo.jpg")
        // sample
        let pipeline = ImagePipeline {
            $0.dataLoader = CachingDataLoader(CurlDataLoader(), cache: ValueResponseCache(cache))
        }
        // end
        var types: [String?] = []
        for _ in 0..<2 { types.append(try await pipeline.data(for: url).1?.mimeType) }
        #expect(types == ["image/jpeg", "image/jpeg"])
        #expect(server.requests.count == 1)
        #expect(cache.count == 1)
    }

    @Test func httpCache() async throws {
        let server = try LoopbackServer { _ in
            .init(headers: [("Cache-Control", "max-age=86400")], body: .data(Data("x".utf8)))
        }
        let url = server.url("/photo.jpg")
        // sample
        let pipeline = ImagePipeline {
            $0.dataLoader = CurlDataLoader()
            $0.httpCache = HTTPCache(storage: ValueDataCache(cache: cache))
        }
        // end
        for _ in 0..<2 { _ = try await pipeline.data(for: url) }
        #expect(server.requests.count == 1)
        #expect(cache.count > 0)
    }

    @Test func chosenCaches() async throws {
        let server = try Photographs.server()
        let url = server.url("/photo.jpg")
        let avatars = ValueDataCache(cache: cache)
        let others = ValueDataCache(cache: try ValueCache(folder: folder.path("others")))
        // sample
        let pipeline = ImagePipeline(delegate: CacheChoosingDelegate(avatars: avatars)) {
            $0.dataCache = others
        }
        let request = ImageRequest(url: url, userInfo: ["kind": "avatar"])
        // end
        _ = try await pipeline.data(for: request)
        #expect(cache.count == 1)
        _ = try await pipeline.data(for: ImageRequest(url: server.url("/2"), userInfo: ["kind": "draft"]))
        _ = try await pipeline.data(for: server.url("/3"))
        #expect(others.cache.count == 1)
        #expect(cache.count == 1)
    }
}
