import Foundation
import Imaging
import JobManifest
import JobPlanning
import JobStorage
import Originals

/// Thumbnails of originals and their outputs for the report: from the cache and the destination, never from
/// the origins.
struct ContactSheet {
    /// The most items on the sheet: about 600 kB of page, made in a second or two.
    static let count = 24
    /// The largest size of a thumbnail in pixels: twice the size on the page, for high-density screens.
    private static let resize = Resize(width: 300, height: 270)

    /// An image at the size of the sheet.
    struct Thumbnail {
        /// The image as `data:image/webp;base64,…`.
        let url: String
        let size: PixelSize
        let bytes: Int
    }

    /// An item's original, and the first output of the manifest made from it.
    struct Pair {
        let item: ItemListing
        /// The thumbnail; nil if the file is missing or cannot be read.
        let before: Thumbnail?
        let after: Thumbnail?
        /// The output's name; nil if none was made.
        let output: String?
    }

    private let manifest: Manifest
    private let cache: DataCache?
    private let files: LocalFiles
    private let outputs: StoredOutputs

    /// Opens the manifest's cache and destination, as far as they exist.
    /// - Throws: `RunError` for one that cannot be opened.
    init(_ manifest: Manifest) throws(RunError) {
        self.manifest = manifest
        cache = try DataCache.existing(in: manifest.cache.directory)
        files = LocalFiles(roots: manifest.network.fileRoots)
        do { outputs = try StoredOutputs(manifest) } catch { throw RunError(error) }
    }

    /// Returns thumbnails of items that are done, spread evenly over the manifest.
    /// - Throws: `RunError.machine`.
    func pairs(_ states: [JobState]) async throws(RunError) -> [Pair] {
        defer { cache?.close() }
        return try await RunError.wrapping {
            var pairs: [Pair] = []
            let sample = try states.compactMap(\.reader).sample(count: Self.count)
            // An edge keeps what it loads: there is nothing here to show.
            for item in sample where !manifest.asksEdge(item: item.url) { pairs.append(await pair(item)) }
            // A job that only reads facts has nothing to show.
            return pairs.filter { $0.before != nil || $0.output != nil }
        }
    }

    private func pair(_ item: ItemRecord) async -> Pair {
        let order = manifest.outputs.map(\.name)
        let made = item.outputs.filter { $0.state == .done }
        let output = order.lazy.compactMap { name in made.first { $0.name == name } }.first
        var after: Data?
        if let output { after = await file(of: output) }
        return Pair(
            item: ItemListing(item),
            before: original(of: item).flatMap(thumbnail),
            after: after.flatMap(thumbnail),
            output: output?.name
        )
    }

    private func file(of output: OutputRecord) async -> Data? {
        guard let path = output.path, let bytes = output.bytes else { return nil }
        return await outputs.read(path, shardOffset: output.shardOffset, bytes: bytes)
    }

    private func original(of item: ItemRecord) -> Data? {
        let target = manifest.target(of: item.url)
        if target.lowercased().hasPrefix("file:") {
            return try? files.read(target, limit: manifest.loading.maxBytes)
        }
        return item.cacheKey.flatMap { cache?.cachedData(for: $0) }
    }

    private func thumbnail(_ data: Data) -> Thumbnail? {
        do {
            var limits = ImageLimits(manifest.limits)
            limits.maxMemory = manifest.limits.memory
            let chain = OperationChain([Self.resize], limits: limits)
            let header = try ImageHeader.read(data)
            try header.check(limits)
            let covering = try chain.coveringSize(for: header.size)
            let image = try ImageDecoder.decode(data, header: header, covering: covering, limits: limits)
            let format = EncodingFormat.webp(WebPOptions(quality: 75))
            let small = try chain.apply(to: image, originalSize: header.size, for: format)
            let encoded = try ImageEncoder.encode(small, as: format)
            let url = "data:image/webp;base64,\(encoded.base64EncodedString())"
            return Thumbnail(url: url, size: header.size, bytes: data.count)
        } catch {
            return nil
        }
    }
}
