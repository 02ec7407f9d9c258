import Files
import Foundation
import JobManifest
import JobPlanning
import Nuke
import ObjectStorage
import Synchronization

/// Lists the buckets of a manifest, each anew in every run, since what they hold determines the items.
extension OriginalLoader {
    /// Returns what the sources of the manifest hold in other places; sitemaps are in `folder`.
    ///
    /// The result is nil if `control` stops the run meanwhile.
    /// - Throws: `RunError.wrongInput` for what is missing, invalid or refused, `machine` if another run may succeed.
    func sources(_ control: RunControl, in folder: ScratchFolder) async throws(RunError) -> LoadedSources? {
        var loaded = LoadedSources()
        if manifest.hasSitemaps {
            guard let sitemaps = try await sitemaps(control, in: folder) else { return nil }
            loaded.sitemaps = sitemaps
        }
        guard manifest.usesObjectStore else { return loaded }
        guard !isOffline else {
            loaded.isOffline = true
            return loaded
        }
        return try await stored(control, in: folder, beside: loaded)
    }

    /// Adds what sources have in object stores; nil if `control` stops the run meanwhile.
    private func stored(
        _ control: RunControl,
        in folder: ScratchFolder,
        beside loaded: LoadedSources
    ) async throws(RunError) -> LoadedSources? {
        guard let client = try listingClient() else {
            throw .wrongInput("the sources in s3:// need the scheme s3: add it to network.schemes")
        }
        let work = Task {
            var loaded = loaded
            for (index, list) in manifest.remoteLists {
                loaded.lists[index] = try await files(of: list, with: client, in: folder)
            }
            loaded.objects = try await list(with: client, in: folder)
            return loaded
        }
        // The handler outlives the task, whose result has files that are to go when they are read.
        let stoppable = Mutex<Task<LoadedSources, any Error>?>(work)
        control.onStop { stoppable.withLock { $0?.cancel() } }
        defer { stoppable.withLock { $0 = nil } }
        do {
            return try await withTaskCancellationHandler {
                try await work.value
            } onCancel: {
                work.cancel()
            }
        } catch let error as StoreError {
            if control.isStopping, error.reason == .cancelled { return nil }
            throw RunError(listing: error)
        } catch {
            throw RunError(error)
        }
    }

    /// Returns the objects of a list: one, or those that its pattern matches.
    private func files(
        of list: ItemList,
        with client: S3Client,
        in scratch: ScratchFolder
    ) async throws -> [RemoteList] {
        guard let selection = list.objects else {
            guard let location = list.location.flatMap({ ObjectLocation($0) }) else { return [] }
            return [RemoteList(try await ObjectReader(client, location), in: scratch)]
        }
        let folder = try Folder(path: scratch.path)
        var files: [RemoteList] = []
        for target in selection.targets {
            let found = try await self.list(target, of: selection, with: client, in: folder)
            var objects = found.objects.makeReader()
            while let object = try objects.next() {
                let location = ObjectLocation(bucket: target.bucket, key: object.key)
                let reader = ObjectReader(client, location, listed: object.facts)
                files.append(RemoteList(reader, in: scratch))
            }
        }
        guard !files.isEmpty else {
            throw SourceError(file: list.name, message: "matches no object: check the pattern and its folder")
        }
        return files
    }

    private func list(with client: S3Client, in scratch: ScratchFolder) async throws -> [Int: [ListedBucket]]
    {
        let folder = try Folder(path: scratch.path)
        var objects: [Int: [ListedBucket]] = [:]
        for (index, source) in manifest.sources.enumerated() {
            guard case .objects(let selection) = source.kind else { continue }
            if let location = selection.inventory.flatMap({ ObjectLocation($0) }) {
                objects[index] = [try await inventory(location, of: selection, with: client, in: scratch)]
                continue
            }
            var buckets: [ListedBucket] = []
            for target in selection.targets {
                buckets.append(try await list(target, of: selection, with: client, in: folder))
            }
            objects[index] = buckets
        }
        return objects
    }

    private func list(
        _ target: ObjectSelection.Target,
        of selection: ObjectSelection,
        with client: S3Client,
        in folder: Folder
    ) async throws -> ListedBucket {
        let own = ownPrefix(in: target.bucket, below: target.prefix)
        let matcher = ObjectMatcher(selection, bucket: target.bucket, own: own)
        let leftOut = Atomic(0)
        let listing = ParallelListing(client, bucket: target.bucket, prefix: target.prefix) { page in
            var matcher = matcher
            var ownCount = 0
            let selected = page.filter { object in
                guard matcher.selects(object) else { return false }
                if matcher.isOwn(object.key) { ownCount += 1 }
                return !matcher.isOwn(object.key)
            }
            leftOut.add(ownCount, ordering: .relaxed)
            return selected
        }
        let objects = try await listing.list(in: folder)
        return ListedBucket(
            bucket: target.bucket,
            objects: objects,
            leftOut: leftOut.load(ordering: .relaxed)
        )
    }

    /// The beginning of the keys that the job writes itself; nil if they are in another bucket, or if what is listed is in the
    /// destination itself.
    func ownPrefix(in bucket: String, below listed: String = "") -> String? {
        guard let destination = manifest.destination.bucket, destination.bucket == bucket else {
            return nil
        }
        let prefix = destination.appending("").key
        return listed.utf8.starts(with: prefix.utf8) ? nil : prefix
    }

    /// Sends the requests of listings at the rate of each bucket; nil if the manifest allows no object store.
    private func listingClient() throws(RunError) -> S3Client? {
        guard let storage = try manifest.objectStorage() else { return nil }
        let loading = manifest.loading
        let limiter = HostRateLimiter(
            limits: HostRateLimiter.Limits(loading.ofListings),
            hosts: loading.hosts.mapValues { HostRateLimiter.Limits($0) }
        )
        return S3Client(
            storage,
            pacing: BucketPacing(limiter),
            idleTimeout: manifest.loading.timeout
        )
    }
}

extension RunError {
    /// The error of a listing that failed.
    fileprivate init(listing error: StoreError) {
        switch error.reason {
        case .notFound, .refused, .credentials: self = .wrongInput(error.description)
        case .unavailable, .damaged, .local, .cancelled:
            self = .machine("\(error.description); run again to continue")
        }
    }
}
