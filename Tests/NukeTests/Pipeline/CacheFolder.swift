import Foundation
import Nuke
import SQLite
import OriginalsFixtures
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
        let cache = try DataCache(unsweptAt: path)
        let pipeline = ImagePipeline.testing(loader) {
            $0.dataCache = cache
            configure(&$0, cache)
        }
        do {
            let data = try await pipeline.data(for: ImageRequest(url: url)).0
            await close(cache)
            return data
        } catch {
            await close(cache)
            throw error
        }
    }

    /// Closes `cache`, which waits for the disk, without one of the few threads that tests share.
    private static func close(_ cache: DataCache) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                cache.close()
                continuation.resume()
            }
        }
    }

    /// As `load`, and expects it to break off.
    func breakOff(_ url: URL) async {
        _ = try? await load(url)
    }

    /// Returns the number of interrupted downloads and their total size in bytes.
    func partial() throws -> [Int] {
        let index = try Connection(path: path.appendingPathComponent("index.sqlite").path, mode: .readOnly)
        return try index.statement("SELECT count(*), coalesce(sum(size), 0) FROM partial").first {
            [Int($0.integer(0)), Int($0.integer(1))]
        } ?? []
    }
}
