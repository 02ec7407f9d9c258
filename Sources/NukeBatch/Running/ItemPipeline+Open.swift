import Files
import Foundation
import FoundationNetworking
import Imaging
import JobStorage
import Nuke
import Transport

/// The parts of an item's life, made for one run from its manifest.
extension ItemPipeline {
    /// Opens the cache and the destination and sets the queues up; nothing is loaded yet.
    /// - Throws: `RunError.machine` where a folder cannot be made, `wrongInput` for an address that is none.
    init(manifest: Manifest, recipes: [[Recipe]], store: JobStore, isOffline: Bool) throws {
        let loading = manifest.loading
        let gate = HostGate(
            limits: HostGate.Limits(loading),
            hosts: loading.hosts.mapValues { HostGate.Limits($0) },
            startsEmpty: store.endedUncleanly
        )
        let cache = try Self.openCache(manifest)
        var configuration = ImagePipeline.Configuration(dataLoader: try Self.loader(manifest, gate))
        configuration.dataCache = cache
        configuration.maximumResponseDataSize = loading.maxBytes
        configuration.dataLoadingQueue.maxConcurrentOperationCount = loading.concurrency
        let cores = manifest.limits.processing
        let images = ImagePipeline(configuration: configuration)
        let memory = manifest.limits.memory

        self.manifest = manifest
        self.recipes = recipes
        self.gate = gate
        loader = OriginalLoader(
            manifest: manifest,
            images: images,
            cache: cache,
            files: LocalFiles(roots: manifest.network.fileRoots),
            reading: WorkQueue(name: "read", width: 2),
            backlog: Backlog(
                queue: configuration.dataLoadingQueue,
                maxBytes: memory / 4,
                maxCount: 16 + 4 * cores
            ),
            isOffline: isOffline
        )
        pixels = PixelWork(
            admission: Admission(memory: memory, places: cores),
            decoding: WorkQueue(name: "decode", width: cores),
            processing: WorkQueue(name: "process", width: cores),
            encoding: WorkQueue(name: "encode", width: cores),
            limits: ImageLimits(manifest.limits)
        )
        let latePaths = LatePaths()
        if manifest.outputs.contains(where: { !$0.path.isKnownInPlanning }) {
            try latePaths.restore(from: store.reader)
        }
        files =
            manifest.outputs.isEmpty
            ? nil
            : OutputFile(
                destination: try Folder(path: manifest.destinationPath, create: true),
                writer: DurableWriter(threads: 2),
                latePaths: latePaths
            )
    }

    /// Gives up what waits and what is on its way; it is put back.
    func stop() {
        loader.images.invalidate()
    }

    /// Lets the cache finish what it was given.
    func close() {
        loader.cache?.close()
    }

    private static func openCache(_ manifest: Manifest) throws(RunError) -> DataCache? {
        guard manifest.cache.policy == .storeOriginalData else { return nil }
        do {
            let cache = try DataCache(path: URL(fileURLWithPath: manifest.cache.directory, isDirectory: true))
            cache.sizeLimit = manifest.cache.sizeLimit
            return cache
        } catch {
            throw .machine(
                "the cache \(manifest.cache.directory) cannot be opened: \(error); --cache names another folder"
            )
        }
    }

    private static func loader(_ manifest: Manifest, _ gate: HostGate) throws(RunError) -> CurlDataLoader {
        var configuration = CurlDataLoader.Configuration()
        configuration.gate = gate
        configuration.schemes = manifest.network.schemes.intersection(["http", "https"])
        configuration.userAgent = manifest.loading.userAgent ?? "nuke-batch/\(Version.current)"
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
        switch settings.authorization {
        case .bearer(let token): headers["Authorization"] = "Bearer \(token)"
        case .basic(let user, let password):
            headers["Authorization"] = "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
        case nil: break
        }
    }
}
