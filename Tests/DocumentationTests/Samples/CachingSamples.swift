import LoopbackServer
import Nuke
import Testing

@Suite("Samples: caching", .timeLimit(.minutes(10)))
struct CachingSamples {
    @Test func memory() async throws {
        let server = try Photographs.server()
        let url = server.url("/photo.jpg")
        // sample
        let images = ImageCache(costLimit: 256 * 1024 * 1024, countLimit: 1_000)
        images.ttl = 600
        let pipeline = ImagePipeline {
            $0.dataLoader = CurlDataLoader()
            $0.imageCache = images
        }
        // end
        _ = try await pipeline.image(for: url)
        #expect(images.totalCount == 1)
        #expect(images.totalCost == 640 * 480 * 4)
    }

    @Test func disk() async throws {
        let server = try Photographs.server()
        let url = server.url("/photo.jpg")
        defer { remove("com.example.photos") }
        // sample
        let cache = try DataCache(name: "com.example.photos")
        cache.sizeLimit = 1024 * 1024 * 1024
        let pipeline = ImagePipeline {
            $0.dataLoader = CurlDataLoader()
            $0.dataCache = cache
            $0.dataCachePolicy = .automatic
        }
        // end
        _ = try await pipeline.data(for: ImageRequest(url: url))
        #expect(try cache.cachedData(for: url.absoluteString) == Photographs.jpeg())
        cache.close()
    }

    @Test func http() async throws {
        let server = try LoopbackServer { _ in
            .init(headers: [("Cache-Control", "max-age=86400")], body: .data(Data("x".utf8)))
        }
        let url = server.url("/photo.jpg")
        defer { remove("com.example.responses") }
        // sample
        let responses = try HTTPCache(name: "com.example.responses")
        let pipeline = ImagePipeline {
            $0.dataLoader = CurlDataLoader()
            $0.httpCache = responses
        }
        // end
        for _ in 0..<2 { _ = try await pipeline.data(for: ImageRequest(url: url)) }
        #expect(server.requests.count == 1)
    }

    @Test func layers() async throws {
        let server = try Photographs.server()
        let url = server.url("/photo.jpg")
        let pipeline = ImagePipeline {
            $0.dataLoader = CurlDataLoader()
            $0.imageCache = ImageCache()
        }
        _ = try await pipeline.image(for: ImageRequest(url: url, processors: [.resize(width: 320)]))
        // sample
        let request = ImageRequest(url: url, processors: [.resize(width: 320)])
        if let container = pipeline.cache.cachedImage(for: request, caches: .memory) {
            print("\(container.image.width) pixels wide, without a load")
        }
        pipeline.cache.removeCachedImage(for: request)
        // end
        #expect(!pipeline.cache.containsCachedImage(for: request))
    }

    @Test func offline() async throws {
        let server = try Photographs.server()
        let url = server.url("/photo.jpg")
        let pipeline = ImagePipeline {
            $0.dataLoader = CurlDataLoader()
            $0.imageCache = ImageCache()
        }
        let loaded = try await pipeline.image(for: url)
        // sample
        let request = ImageRequest(url: url, options: [.returnCacheDataDontLoad])
        let image = try await pipeline.image(for: request)
        // end
        #expect(image == loaded)
        #expect(server.requests.count == 1)
    }

    @Test func durable() async throws {
        let data = try Photographs.jpeg()
        defer { remove("com.example.originals") }
        // sample
        let cache = try DataCache(name: "com.example.originals")
        try await cache.store(data, for: "photo-42", pinnedBy: "nightly thumbnails")
        // The bytes survive a power cut now, and are not evicted before the job ends its pins.
        try await cache.unpinAll(by: "nightly thumbnails")
        cache.close()
        // end
        let again = try DataCache(name: "com.example.originals")
        #expect(again["photo-42"] == data)
        again.close()
    }

    @Test func keys() async throws {
        let server = try Photographs.server()
        let signedURL = server.url("/photo.jpg?signature=1a2b")
        let cache = ImageCache()
        let pipeline = ImagePipeline {
            $0.dataLoader = CurlDataLoader()
            $0.imageCache = cache
        }
        // sample
        var request = ImageRequest(url: signedURL)
        request.imageID = "photo-42"
        let image = try await pipeline.image(for: request)
        // end
        var other = ImageRequest(url: server.url("/photo.jpg?signature=3c4d"))
        other.imageID = "photo-42"
        #expect(pipeline.cache[other]?.image == image)
        #expect(try await pipeline.image(for: other) == image)
        #expect(server.requests.count == 1)
    }

    @Test func defaultLoaderWithoutCache() {
        // sample
        let session = DataLoader.defaultConfiguration
        session.urlCache = nil
        let pipeline = ImagePipeline {
            $0.dataLoader = DataLoader(configuration: session)
        }
        // end
        #expect(pipeline.configuration.httpCache == nil)
    }

    @Test func requestsAsKeys() {
        let url = URL(fileURLWithPath: "/requests-as-keys.jpg")
        let pipeline = ImagePipeline { $0.dataLoader = CurlDataLoader() }
        let image = PlatformImage(width: 1, height: 1, rgba: Data([1, 2, 3, 255]))
        // sample
        let request = ImageRequest(url: url)
        ImageCache.shared[request] = ImageContainer(image: image)
        let cached = ImageCache.shared[request]
        pipeline.cache[request] = nil
        // end
        #expect(cached?.image.width == 1 && ImageCache.shared[request] == nil)
    }
}
