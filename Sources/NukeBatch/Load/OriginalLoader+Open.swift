import Foundation
import Files
import JobManifest
import JobPlanning
import ObjectStorage
import Originals

/// Sets up the stages "load" and "cache" for one run from its manifest.
extension OriginalLoader {
    /// Opens the cache and sets up the transfers; nothing is loaded yet.
    ///
    /// `idle` is the time since an earlier run may last have asked a host, which limits the requests saved up for a
    /// burst; nil if it is long enough. Each transfer is added to `requests`.
    ///
    /// - Throws: `RunError.machine` if the cache's folder cannot be created, `wrongInput` for an invalid address.
    init(
        _ manifest: Manifest,
        _ options: RunOptions,
        idle: Duration?,
        runs: RunTimes,
        requests: RequestLog
    ) throws(RunError) {
        let edge = EdgeStatistics()
        transfers = try JobTransfers(manifest, options, idle: idle) { transfer in
            edge.add(transfer)
            requests.add(transfer)
        }
        self.edge = edge
        self.requests = requests
        warming = EdgeWarming(transfers.loader, slots: transfers.slots)
        self.manifest = manifest
        self.runs = runs
        namedBuckets = manifest.namedBuckets
        isOffline = options.isOffline
        let state = options.statePath(of: manifest)
        pinOwner = manifest.outputs.isEmpty ? state : nil
        let folder = transfers.cache == nil ? Folder.enclosing(state) : nil
        bodyFolder = try? Folder(path: folder ?? manifest.cache.directory)
        let isTranscoding = transfers.cache?.compression == .jpegXL
        memory = MemoryShares(manifest.limits.memory, isTranscoding: isTranscoding)
        if isTranscoding { TranscodingMemory.shared.limit = memory.transcoding }
        backpressure = LoadBackpressure(
            transfers.slots,
            LoadBackpressure.Limits(
                bytes: memory.originals,
                fileBytes: manifest.limits.memory,
                receivedBytes: memory.transfers,
                count: 16 + 4 * manifest.limits.processing,
                unstored: manifest.loading.concurrency
            )
        )
        fetcher = transfers.fetcher(storage: BodyStorage(folder: bodyFolder, accounting: backpressure))
        robots = RobotsFiles(manifest, fetcher)
        files = transfers.files
        reading = WorkQueue(name: "read", width: 2)
    }

    /// Loads what the run's plan needs from other places, within the limits of the run.
    var sourceLoader: SourceLoader {
        SourceLoader(manifest, isOffline: isOffline, transfers: transfers, fetcher: fetcher) { [requests] in
            requests.add($0)
        }
    }

    /// Cancels waiting and active transfers, whose items are put back.
    func stop() {
        fetcher.stop()
        warming.stop()
    }

    /// Waits until cancelled transfers have stored their partial data in the cache.
    func settle() async {
        await fetcher.settle()
    }

    /// Closes the cache after its pending writes.
    func close() {
        transfers.cache?.close()
    }
}
