import Files
import Foundation
import FoundationNetworking
import JobStorage
import Nuke

/// The stage "load": an item's bytes from the cache, the network or a file, and into the cache.
struct OriginalLoader: Sendable {
    let manifest: Manifest
    /// When each host may be asked.
    let gate: HostGate
    let images: ImagePipeline
    let requests: RequestLog
    /// Asks for heads alone.
    let warming: EdgeWarming
    /// What caches between here and the origins said of the requests.
    let edge: EdgeTally
    /// Items that wait for one download.
    let downloads = SharedDownloads()
    let cache: DataCache?
    let files: LocalFiles
    /// Reads files; its width is that of the transfers.
    let reading: WorkQueue
    let backlog: Backlog
    let isOffline: Bool

    /// The original of `item`, which has its place in the backlog.
    /// - Throws: `ItemError`.
    func load(_ item: ClaimedItem) async throws(ItemError) -> Original {
        try await load(item.url, headers: item.headers, priority: item.requestPriority)
    }

    /// The original at a URL as stored, with headers as stored.
    /// - Throws: `ItemError`.
    func load(
        _ url: String,
        headers: [String: String] = [:],
        priority: ImageRequest.Priority = .normal
    ) async throws(ItemError) -> Original {
        let target = manifest.target(of: url)
        let secrets = manifest.variables.values(in: url)
        if !secrets.isEmpty { requests.hide(secrets) }
        do {
            if target.prefix(5).lowercased() == "file:" { return try await readFile(target) }
            return try await request(target, manifest.cacheKey(of: url, headers: headers), headers, priority)
        } catch {
            throw itemError(error).hiding(secrets)
        }
    }

    private func itemError(_ error: any Error) -> ItemError {
        switch error {
        case let error as ImagePipeline.Error: ItemError(error, retrying: manifest.retry.statuses)
        case let error as DataLoadingError: ItemError(error, retrying: manifest.retry.statuses)
        default: ItemError(error)
        }
    }

    private func readFile(_ target: String) async throws -> Original {
        await backlog.waitForRoom()
        let limit = manifest.loading.maxBytes
        let data = try await reading.run { try files.read(target, limit: limit) }
        return try original(data, source: .file, cacheKey: nil, response: nil)
    }

    private func request(
        _ target: String,
        _ key: String,
        _ headers: [String: String],
        _ priority: ImageRequest.Priority
    ) async throws -> Original {
        guard let url = URL(string: target) else { throw ItemError("bad_url", "\(target) is no URL") }
        var request = URLRequest(url: url)
        for (name, value) in manifest.expanded(headers: headers) {
            request.setValue(value, forHTTPHeaderField: name)
        }
        let settings = manifest.loading.settings(host: url.host ?? "", port: url.port)
        if settings.method == .head, ["http", "https"].contains(url.scheme?.lowercased() ?? "") {
            return try await head(request, priority)
        }
        // What is in the URL itself is neither loaded nor kept.
        if url.scheme?.lowercased() == "data" {
            return try await fetch(request, key, priority, options: [], isKept: false)
        }
        if !isOffline, let cache, let again = Revalidation(of: key, in: cache, manifest.cache) {
            return try await revalidate(again, request, priority)
        }
        return try await fetch(request, key, priority, options: isOffline ? .returnCacheDataDontLoad : [])
    }

    /// Asks the origin whether a cached original is still what it has.
    private func revalidate(
        _ again: Revalidation,
        _ request: URLRequest,
        _ priority: ImageRequest.Priority
    ) async throws -> Original {
        do {
            let conditional = again.conditional(request)
            var original = try await fetch(
                conditional,
                again.key,
                priority,
                options: .reloadIgnoringCachedData
            )
            original.revalidation = .changed
            return original
        } catch let error as ImagePipeline.Error {
            guard let result = try await again.result(of: error, retrying: manifest.retry.statuses) else {
                throw error
            }
            // What cannot be read in the cache after all is loaded whole.
            guard result != .changed,
                var original = try? await fetch(
                    request,
                    again.key,
                    priority,
                    options: .returnCacheDataDontLoad
                )
            else {
                return try await fetch(request, again.key, priority, options: .reloadIgnoringCachedData)
            }
            original.revalidation = result
            return original
        }
    }

    /// The original under `key` from the cache or the network, as `options` have it.
    private func fetch(
        _ request: URLRequest,
        _ key: String,
        _ priority: ImageRequest.Priority,
        options: ImageRequest.Options,
        isKept: Bool = true
    ) async throws -> Original {
        var image = ImageRequest(urlRequest: request, priority: priority, options: options)
        image.imageID = key
        // Values of variables are never stored.
        if Variables.occur(in: key) { image.userInfo[.keepsFinalURLKey] = false }
        // A cached original takes memory at once; one from the network waits for its host and a slot first.
        if !backlog.hasRoom, cache?.containsData(for: key) == true { await backlog.waitForRoom() }
        let (data, response) = try await data(for: image, key)
        let isLoaded = response.value != nil
        var original = try original(
            data,
            source: isLoaded ? .network : .cache,
            cacheKey: isKept && cache != nil ? key : nil,
            response: response.value
        )
        original.isShared = response.isShared
        return original
    }

    /// The data of `image`, the response if it was loaded now, and whether another item has loaded it.
    private func data(
        for image: ImageRequest,
        _ key: String
    ) async throws -> (Data, (value: URLResponse?, isShared: Bool)) {
        downloads.begin(key)
        do {
            let (data, response) = try await images.data(for: image)
            return (data, (response, downloads.end(key, response)))
        } catch {
            downloads.end(key, nil)
            throw error
        }
    }

    /// What the origin says of the use of the original by programs; the cache remembers it of what it has.
    private func robots(_ response: HTTPURLResponse?, _ cacheKey: String?) -> String? {
        guard manifest.dataset?.honoursOptOut == true else { return nil }
        if let response { return DataCache.Metadata(response).robots }
        return cacheKey.flatMap { cache?.metadata(for: $0)?.robots }
    }

    /// Lets the edge load the original; here nothing comes of it and nothing is kept.
    private func head(_ request: URLRequest, _ priority: ImageRequest.Priority) async throws -> Original {
        guard !isOffline else { throw ItemError("offline", "nothing may be loaded (--offline)", .nextRun) }
        var request = request
        request.httpMethod = "HEAD"
        try await warming.ask(request, priority: priority)
        return Original(
            data: Data(),
            sha256: "",
            source: .network,
            cacheKey: nil,
            status: nil,
            isLengthProven: true,
            robots: nil,
            place: backlog.enter(0),
            stored: {}
        )
    }

    private func original(
        _ data: Data,
        source: Original.Source,
        cacheKey: String?,
        response: URLResponse?
    ) throws -> Original {
        guard !data.isEmpty else { throw ItemError("empty", "the original has no bytes") }
        let http = response as? HTTPURLResponse
        let cache = cache
        if let cache, let cacheKey, source == .network { backlog.store(cacheKey, in: cache) }
        return Original(
            data: data,
            sha256: Digest.sha256.hex(of: data),
            source: source,
            cacheKey: cacheKey,
            status: http?.statusCode,
            isLengthProven: (response?.expectedContentLength ?? -1) >= 0
                || http?.value(forHTTPHeaderField: "Transfer-Encoding") != nil,
            robots: robots(http, cacheKey),
            place: backlog.enter(data.count),
            stored: {
                guard let cache, let cacheKey, source == .network else { return }
                try await cache.waitUntilStored(cacheKey)
            }
        )
    }
}

extension ClaimedItem {
    /// Its own and its source's headers, as written.
    var headers: [String: String] {
        [String: String](json: headersJSON)
    }

    /// Its columns and `vars`.
    var variables: [String: String] {
        [String: String](json: varsJSON)
    }

    /// Its priority as a request has it.
    fileprivate var requestPriority: ImageRequest.Priority {
        ImageRequest.Priority(rawValue: priority) ?? .normal
    }
}
