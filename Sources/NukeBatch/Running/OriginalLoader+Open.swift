import Foundation
import Imaging
import Nuke
import Transport

/// The stages "load" and "cache", set up for one run from its manifest.
extension OriginalLoader {
    /// Opens the cache and sets the transfers up; nothing is loaded yet.
    ///
    /// `idle` ago hosts may have been asked last by an earlier run, so that no more than what has come together since is
    /// saved up; nil for long enough. Each transfer is told to `requests`.
    ///
    /// - Throws: `RunError.machine` where the cache's folder cannot be made, `wrongInput` for an address that is none.
    init(_ manifest: Manifest, _ options: RunOptions, idle: Duration?, requests: RequestLog) throws(RunError)
    {
        let loading = manifest.loading
        gate = HostGate(
            limits: HostGate.Limits(loading),
            hosts: loading.hosts.mapValues { HostGate.Limits($0) },
            idle: idle,
            breaking: options.breaking,
            outage: options.outage
        )
        cache = try Self.openCache(manifest)
        let edge = EdgeTally()
        let loader = try Self.loader(manifest, gate, requests, edge)
        self.edge = edge
        self.requests = requests
        var configuration = ImagePipeline.Configuration(dataLoader: loader)
        configuration.dataCache = cache
        // The loader knows what each host may send; here is what none may exceed.
        configuration.maximumResponseDataSize = loading.hosts.values.map(\.maxBytes).reduce(
            loading.maxBytes,
            max
        )
        configuration.dataLoadingQueue.maxConcurrentOperationCount = loading.concurrency
        warming = EdgeWarming(loader, slots: configuration.dataLoadingQueue)
        self.manifest = manifest
        isOffline = options.isOffline
        images = ImagePipeline(configuration: configuration)
        files = LocalFiles(roots: manifest.network.fileRoots)
        reading = WorkQueue(name: "read", width: 2)
        backlog = Backlog(
            queue: configuration.dataLoadingQueue,
            maxBytes: manifest.limits.memory / 4,
            maxCount: 16 + 4 * manifest.limits.processing,
            maxUnstored: loading.concurrency
        )
    }

    /// Gives up what waits and what is on its way; it is put back.
    func stop() {
        images.invalidate()
        warming.stop()
    }

    /// Waits until what was given up has left its beginnings to the cache.
    func settle() async {
        await images.settle()
    }

    /// Lets the cache finish what it was given.
    func close() {
        cache?.close()
    }

    private static func openCache(_ manifest: Manifest) throws(RunError) -> DataCache? {
        guard manifest.cache.policy == .storeOriginalData else { return nil }
        do {
            let cache = try DataCache(path: URL(fileURLWithPath: manifest.cache.directory, isDirectory: true))
            cache.sizeLimit = manifest.cache.sizeLimit
            cache.isCompressionEnabled = manifest.cache.compression
            return cache
        } catch {
            throw .machine(
                "the cache \(manifest.cache.directory) cannot be opened: \(error); --cache names another folder"
            )
        }
    }

    private static func loader(
        _ manifest: Manifest,
        _ gate: HostGate,
        _ requests: RequestLog,
        _ edge: EdgeTally
    ) throws(RunError) -> CurlDataLoader {
        var configuration = CurlDataLoader.Configuration()
        configuration.gate = gate
        configuration.observer = { transfer in
            edge.add(transfer)
            requests.add(transfer)
        }
        configuration.schemes = manifest.network.schemes.intersection(["http", "https", "ftp"])
        configuration.proxy = TransportConfiguration.Proxy(manifest.network.proxy)
        configuration.userAgent = "nuke-batch/\(Version.current)"
        configuration.limits = CurlDataLoader.Limits(manifest.loading)
        configuration.hosts = manifest.loading.hosts.mapValues { CurlDataLoader.Limits($0) }
        do {
            configuration.addressPolicy = try AddressPolicy(allow: manifest.network.allow)
        } catch {
            throw .wrongInput("network.allow: \(error)")
        }
        return CurlDataLoader(configuration: configuration)
    }
}

extension HostGate.Limits {
    fileprivate init(_ settings: LoadingSettings) {
        self.init(rate: settings.rate.perSecond, burst: settings.burst, concurrency: settings.perHost)
    }
}

extension CurlDataLoader.Limits {
    fileprivate init(_ settings: LoadingSettings) {
        self.init()
        connectTimeout = settings.connectTimeout
        timeout = settings.timeout
        totalTimeout = settings.totalTimeout
        maxRedirects = settings.maxRedirects
        maxBytes = settings.maxBytes
        headers = settings.headers
        if let userAgent = settings.userAgent,
            !headers.keys.contains(where: { $0.lowercased() == "user-agent" })
        {
            headers["User-Agent"] = userAgent
        }
        bandwidth = settings.bandwidth
        switch settings.authorization {
        case .bearer(let token): headers["Authorization"] = "Bearer \(token)"
        case .basic(let user, let password):
            headers["Authorization"] = "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
        case .netrc: authentication = .netrc()
        case .awsSigV4(let keys):
            authentication = .awsSigV4(
                AWSCredentials(
                    region: keys.region,
                    service: keys.service,
                    accessKey: keys.accessKey,
                    secretKey: keys.secretKey,
                    sessionToken: keys.sessionToken
                )
            )
        case nil: break
        }
    }
}

extension TransportConfiguration.Proxy {
    fileprivate init(_ proxy: NetworkSettings.Proxy) {
        self =
            switch proxy {
            case .none: .none
            case .environment: .environment
            case .url(let url): .url(url)
            }
    }
}
