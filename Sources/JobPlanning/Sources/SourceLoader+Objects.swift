import Files
import Foundation
import JobManifest
import Originals
import ObjectStorage
import Synchronization

/// Lists the buckets of a manifest, each anew in every run, since what they hold determines the items.
extension SourceLoader {
    /// Adds what sources have in object stores, whose listings go on in a task; nil if `control` stops the run meanwhile.
    func stored(
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
            var listings: [Listing] = []
            for (index, source) in manifest.sources.enumerated() {
                guard case .objects(let selection) = source.kind else { continue }
                let own = try await self.listings(of: selection, with: client, in: folder)
                loaded.objects[index] = own.map(\.bucket)
                listings += own
            }
            loaded.listing = listings.isEmpty ? nil : Task { [listings] in await Self.list(listings) }
            return loaded
        }
        // The handler outlives the task, whose result has files that are to go when they are read.
        let stoppable = Mutex<Task<LoadedSources, any Error>?>(work)
        control.onStop { stoppable.withLock { $0?.cancel() } }
        defer { stoppable.withLock { $0 = nil } }
        let found: LoadedSources
        do {
            found = try await withTaskCancellationHandler {
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
        let listing = found.listing
        control.onStop { listing?.cancel() }
        return found
    }

    /// Returns the objects of a list: one, or those that its pattern matches.
    private func files(
        of list: ItemList,
        with client: S3Client,
        in scratch: ScratchFolder
    ) async throws -> [RemoteList] {
        guard let selection = list.objects else {
            guard let location = list.location.flatMap({ ObjectLocation($0) }) else { return [] }
            return [RemoteList(try await Self.reader(of: location, client), in: scratch)]
        }
        var files: [RemoteList] = []
        for target in selection.targets {
            let listing = try listing(of: target, selection, with: client, in: scratch)
            try await listing.list()
            var objects = listing.bucket.objects.makeReader()
            while let object = try objects.next() {
                let location = ObjectLocation(bucket: target.bucket, key: object.key)
                let reader = ObjectReader(client, location, listed: object.facts)
                files.append(RemoteList(reader, in: scratch))
            }
        }
        guard !files.isEmpty else {
            throw SourceError(list.name, "matches no object: check the pattern and its folder")
        }
        return files
    }

    /// Looks for a list; the error of one whose name is a pattern says that lists have none.
    private static func reader(of location: ObjectLocation, _ client: S3Client) async throws -> ObjectReader {
        do throws(StoreError) {
            return try await ObjectReader(client, location)
        } catch {
            guard error.reason == .notFound, Glob.isWild(location.key) else { throw error }
            throw SourceError(
                location.description,
                "there is no such object, and only lists in Parquet are patterns: name each list in a source of its own"
            )
        }
    }

    /// Objects that are to be listed, and the work that does it.
    struct Listing: Sendable {
        let bucket: ListedBucket
        /// Lists the objects and ends them.
        let list: @Sendable () async throws -> Void
    }

    /// Lists one after the other, in the order in which they are planned; after a failure, those that follow fail, too.
    private static func list(_ listings: [Listing]) async {
        var failure: (any Error)?
        for listing in listings {
            do {
                if let failure { throw failure }
                try await listing.list()
            } catch {
                listing.bucket.objects.end(.failure(error))
                failure = error
            }
        }
    }

    private func listings(
        of selection: ObjectSelection,
        with client: S3Client,
        in scratch: ScratchFolder
    ) async throws -> [Listing] {
        if let location = selection.inventory.flatMap({ ObjectLocation($0) }) {
            return [try await inventory(location, of: selection, with: client, in: scratch)]
        }
        return try selection.targets.map { try listing(of: $0, selection, with: client, in: scratch) }
    }

    private func listing(
        of target: ObjectSelection.Target,
        _ selection: ObjectSelection,
        with client: S3Client,
        in scratch: ScratchFolder
    ) throws -> Listing {
        let own = manifest.ownPrefix(in: target.bucket, of: selection)
        let matcher = ObjectMatcher(selection, bucket: target.bucket, own: own)
        let objects = try ListedObjects(in: Folder(path: scratch.path))
        let bucket = ListedBucket(bucket: target.bucket, prefix: target.prefix, objects: objects)
        let listing = ParallelListing(client, bucket: target.bucket, prefix: target.prefix) { page in
            var matcher = matcher
            let selected = page.filter { matcher.selects($0) }
            let others = selected.filter { !matcher.isOwn($0.key) }
            bucket.leaveOut(selected.count - others.count)
            return others
        }
        return Listing(bucket: bucket) { try await listing.list(into: objects) }
    }

    /// Sends the requests of listings at the rate of each bucket; nil if the manifest allows no object store.
    private func listingClient() throws(RunError) -> S3Client? {
        guard let storage = try manifest.objectStorage() else { return nil }
        return S3Client(
            storage,
            pacing: BucketPacing(listingLimiter),
            idleTimeout: manifest.loading.timeout,
            observer: observer
        )
    }
}

extension RunError {
    /// The error of a listing that failed.
    fileprivate init(listing error: StoreError) {
        self = .lostSource(error.description, isTemporary: error.isTemporary)
    }
}
