import Foundation
import FoundationNetworking
import Synchronization

/// The beginnings of interrupted downloads in memory, of all pipelines of the process: the short ones, and
/// those of pipelines without a `DataCache`.
final class ResumableStorage: Sendable {
    static let shared = ResumableStorage()

    private struct Key: Hashable {
        let pipeline: ObjectIdentifier
        let imageID: String
    }

    private struct Kept {
        var entries: [(key: Key, data: ResumableData)] = []
        var byteCount = 0
    }

    /// The most entries, and the most bytes of all of them: a hundredth of the memory, at most 32 MB.
    private static let maxCount = 100
    private static let maxByteCount = Int(min(32_000_000, ProcessInfo.processInfo.physicalMemory / 100))
    private let kept = Mutex(Kept())

    /// Removes and returns the beginning of an image.
    func take(_ imageID: String, of pipeline: ImagePipeline) -> ResumableData? {
        let key = Key(pipeline: ObjectIdentifier(pipeline), imageID: imageID)
        return kept.withLock { kept in
            guard let index = kept.entries.firstIndex(where: { $0.key == key }) else { return nil }
            return Self.remove(at: index, from: &kept)
        }
    }

    /// Keeps the beginning of an image, evicting the oldest ones.
    func keep(_ data: ResumableData, _ imageID: String, of pipeline: ImagePipeline) {
        guard data.data.count <= Self.maxByteCount else { return }
        let key = Key(pipeline: ObjectIdentifier(pipeline), imageID: imageID)
        kept.withLock { kept in
            if let index = kept.entries.firstIndex(where: { $0.key == key }) {
                _ = Self.remove(at: index, from: &kept)
            }
            kept.entries.append((key, data))
            kept.byteCount += data.data.count
            while kept.entries.count > Self.maxCount || kept.byteCount > Self.maxByteCount {
                _ = Self.remove(at: 0, from: &kept)
            }
        }
    }

    /// Drops all beginnings of a pipeline.
    func removeAll(of pipeline: ObjectIdentifier) {
        kept.withLock { kept in
            kept.entries.removeAll { $0.key.pipeline == pipeline }
            kept.byteCount = kept.entries.reduce(0) { $0 + $1.data.data.count }
        }
    }

    private static func remove(at index: Int, from kept: inout Kept) -> ResumableData {
        let data = kept.entries.remove(at: index).data
        kept.byteCount -= data.data.count
        return data
    }
}

extension ImagePipeline {
    /// Takes the beginning of the request's data that an earlier load left in memory.
    func takeResumableData(for request: ImageRequest, _ urlRequest: URLRequest) -> ResumableData? {
        guard isResumable(urlRequest), let id = request.imageID else { return nil }
        return ResumableStorage.shared.take(id, of: self)
    }

    /// Keeps the beginning of the request's data in memory for the next load of it.
    func keepResumableData(_ data: ResumableData?, for request: ImageRequest, _ urlRequest: URLRequest) {
        guard isResumable(urlRequest), let data, let id = request.imageID else { return }
        ResumableStorage.shared.keep(data, id, of: self)
    }

    /// Returns the request's partial download in its `DataCache`, under the key of the whole; nil without such a cache.
    func partialDownload(for request: ImageRequest, _ urlRequest: URLRequest) async -> PartialDownload? {
        guard isResumable(urlRequest), !request.options.contains(.disableDiskCacheWrites),
            let data = cache.dataCache(for: request) as? DataCache
        else { return nil }
        return await data.partialDownloads.download(for: cache.makeDataCacheKey(for: request.original))
    }

    /// Returns true if an interrupted answer can be resumed: not if the request asks for a part itself.
    private func isResumable(_ urlRequest: URLRequest) -> Bool {
        configuration.isResumableDataEnabled && urlRequest.httpMethod ?? "GET" == "GET"
            && urlRequest.value(forHTTPHeaderField: "Range") == nil
    }
}
