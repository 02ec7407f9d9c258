import Foundation
import Nuke
import TestSupport

/// A folder with a cache, opened anew for each step as another process would open it.
struct CacheFolder {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    var path: URL { URL(fileURLWithPath: folder.path("cache")) }

    /// The data at `url`, loaded by a pipeline and a cache of their own.
    func load(
        _ url: URL,
        on loader: any DataLoading = CurlDataLoader(),
        _ configure: (inout ImagePipeline.Configuration, DataCache) -> Void = { _, _ in }
    ) async throws -> Data {
        try await Self.load(url, in: path, on: loader, configure)
    }

    /// As above, with the cache in `path`.
    static func load(
        _ url: URL,
        in path: URL,
        on loader: any DataLoading = CurlDataLoader(),
        _ configure: (inout ImagePipeline.Configuration, DataCache) -> Void = { _, _ in }
    ) async throws -> Data {
        let cache = try DataCache(path: path)
        let pipeline = ImagePipeline.testing(loader) {
            $0.dataCache = cache
            configure(&$0, cache)
        }
        defer { cache.close() }
        return try await pipeline.data(for: ImageRequest(url: url)).0
    }

    /// As `load`, and expects it to break off.
    func breakOff(_ url: URL) async {
        _ = try? await load(url)
    }

    /// How many downloads that broke off there are, and their bytes together.
    func partial() throws -> [Int] {
        let cache = try DataCache(path: path)
        defer { cache.close() }
        return [cache.partialDownloads.totalCount, cache.partialDownloads.totalSize]
    }
}
