import Foundation
import JobStorage

/// Runs one job: claims items, lets each live its life, records what became of it, until nothing is left.
///
/// A second run goes on where the first stopped, however it stopped. `run` is called once; `stop` and `progress`
/// may be used from any thread while it goes on.
public final class BatchRunner: Sendable {
    /// The items that a run holds at once; those that wait for their host hold nothing but a task.
    private static let itemsInFlight = 512
    /// How many items are claimed at once, and end before more are, since a claim is a transaction; fewer of them where
    /// hosts have little room.
    private static let claimSize = 64

    private let manifest: Manifest
    private let options: RunOptions
    private let tally: RunTally
    private let control = RunControl()
    private let counts = RequestCounts()

    /// A run of `manifest` with `options`; nothing happens before `run`.
    ///
    /// `onEvent` is called on threads of the run, one call at a time.
    /// - Throws: `RunError.wrongInput` for options that do not fit the manifest.
    public init(
        manifest: Manifest,
        options: RunOptions = RunOptions(),
        onEvent: @escaping @Sendable (RunEvent) -> Void = { _ in }
    ) throws(RunError) {
        self.manifest = try options.applied(to: manifest)
        self.options = options
        tally = RunTally(onEvent: onEvent)
    }

    /// What the run has done so far.
    public var progress: RunProgress {
        tally.progress
    }

    /// The requests that the run has sent and written down so far.
    package var requestCounts: [RequestCounts.Key: Int] {
        counts.all
    }

    /// Lets the run end soon with `exit`.
    ///
    /// Transfers are given up and put back; images that are being worked on are finished and recorded.
    public func stop(_ exit: ExitCode) {
        control.stop(exit)
    }

    /// Plans what the manifest asks for, does what is not done yet, and returns when nothing is left or it was stopped.
    /// - Throws: `RunError` where nothing could be begun.
    public func run() async throws(RunError) -> RunReport {
        do {
            let forgotten = try DatasetOutput.openShard(of: manifest, options)
            let store = try JobStore(path: options.statePath(of: manifest), fresh: options.isFresh)
            defer { store.close() }
            let idle = try HostMemory.idle(store)
            let requests = RequestLog(counts: self.counts)
            var loader: OriginalLoader?
            defer { loader?.close() }
            if manifest.hasSitemaps { loader = try self.loader(idle, requests) }
            let puttingBack = try PuttingBack(manifest, options, store)
            let plan = try await plan(store, loader)
            try puttingBack.begin()
            try await PriorityRequest.apply(to: store, tally)
            let counts = try plan.newCounts ?? store.reader.counts()
            tally.begin(job: manifest.name, counts: counts)
            let counters = RunCounters(finishedBefore: counts.total - counts.unfinished)
            _ = try store.beginRun(version: Version.current, countersJSON: JSONLine.text(counters))
            let dataset = try DatasetOutput(manifest, store, forgotten, tally, control)
            if counts.unfinished > 0 {
                let opened = try loader ?? self.loader(idle, requests)
                loader = opened
                try dataset?.begin()
                try await work(store, opened, requests, dataset?.shards)
            }
            await dataset?.finish()
            try await requests.write(to: store, all: true)
            let report = tally.finish(
                counts: try store.reader.counts(),
                control: control,
                warnings: plan.warnings
            )
            try store.endRun(
                exit: Int(report.exit.rawValue),
                countersJSON: JSONLine.text(RunCounters(report, finishedBefore: counters.finishedBefore))
            )
            tally.tellEnd(report)
            return report
        } catch {
            throw RunError(error)
        }
    }

    private func loader(_ idle: Duration?, _ requests: RequestLog) throws(RunError) -> OriginalLoader {
        let loader = try OriginalLoader(manifest, options, idle: idle, requests: requests)
        control.onStop { loader.stop() }
        return loader
    }

    /// Plans into the store; `loader` is there where sitemaps are to be loaded.
    ///
    /// A run that is stopped meanwhile leaves the plan as it was.
    private func plan(_ store: JobStore, _ loader: OriginalLoader?) async throws -> Planner.Summary {
        tally.begin(stage: "reading the lists")
        let sitemaps = if let loader { try await loader.sitemaps(control) } else { LoadedSitemaps() }
        guard let sitemaps else { return Planner.Summary(counts: nil, duplicates: 0, warnings: []) }
        return try Planner(manifest, options, sitemaps: sitemaps).plan(into: store)
    }

    private func work(
        _ store: JobStore,
        _ loader: OriginalLoader,
        _ requests: RequestLog,
        _ shards: ShardWriter?
    ) async throws {
        tally.watch(loader.gate)
        let memory = HostMemory(store, loader.gate)
        try memory.restore()
        let spent = SpentAttempts()
        let watch = RunWatch(
            store: store,
            gate: loader.gate,
            memory: memory,
            spent: spent,
            tally: tally,
            control: control,
            outageLimit: options.outageLimit
        )
        let watching = Task { await watch.run() }
        do {
            try await work(store, loader, requests, shards, spent)
        } catch {
            watching.cancel()
            await watching.value
            throw error
        }
        watching.cancel()
        await watching.value
        tally.add(loader.edge.total)
        try await memory.save(all: true)
    }

    private func work(
        _ store: JobStore,
        _ loader: OriginalLoader,
        _ requests: RequestLog,
        _ shards: ShardWriter?,
        _ spent: SpentAttempts
    ) async throws {
        let pictures = try await loader.pictures(control)
        guard !control.isStopping else { return }
        let recipes = try Recipe.all(of: manifest, showing: pictures)
        let pins = Pins(manifest, loader.cache, owner: options.statePath(of: manifest))
        try await pins?.dropUnlisted(store.reader)
        let box = try BlackBox(of: store, manifest.limits, options, control)
        defer { box.remove() }
        let hosts = HostRoom(perHost: 2 * manifest.loading.perHost + 64, total: Self.itemsInFlight)
        let pipeline = try ItemPipeline(
            recipes,
            loader,
            hosts,
            store,
            pins,
            shards,
            box,
            suspectProgram: options.suspectProgram
        )
        control.onStop { pipeline.suspects.stop() }
        let recorder = ItemRecorder(
            store: store,
            policy: RetryPolicy(manifest.retry),
            tally: tally,
            control: control,
            requests: requests,
            gate: loader.gate,
            spent: spent
        )
        let limit = control.stopAfter(manifest.limits.maxDuration)
        await claimAndRun(store, hosts) { item in await recorder.live(item, in: pipeline) }
        limit?.cancel()
        await loader.settle()
        try await pins?.end(isFinished: try store.reader.counts().unfinished == 0)
    }

    /// Keeps items in flight until none is left to claim; `live` takes one to its record.
    private func claimAndRun(
        _ store: JobStore,
        _ hosts: HostRoom,
        live: @escaping @Sendable (ClaimedItem) async -> Void
    ) async {
        let timer = RunTimer()
        control.onStop { timer.ring() }
        await withTaskGroup(of: ClaimedItem?.self) { group in
            var (claimed, ended, isTimerSet) = (0, Self.claimSize, false)
            repeat {
                guard ended >= min(Self.claimSize, hosts.share / 4) || hosts.inFlight == 0 else { continue }
                ended = 0
                if let limit = options.limit, claimed >= limit { control.stopClaiming(.workLeft) }
                var isShort = false
                // A few at a time, since what each host may have depends on how many there are.
                while !isShort, case let room = room(hosts, claimed), room > 0 {
                    let items = await claim(room, hosts, store)
                    isShort = items.count < room
                    claimed += items.count
                    for item in items {
                        hosts.add(item)
                        group.addTask {
                            await live(item)
                            return item
                        }
                    }
                }
                if !isTimerSet, isShort, let delay = await delay(store) {
                    isTimerSet = true
                    group.addTask {
                        await timer.wait(milliseconds: delay)
                        return nil
                    }
                }
            } while await next(in: &group, hosts, &ended, &isTimerSet)
        }
    }

    /// How many items to claim next.
    private func room(_ hosts: HostRoom, _ claimed: Int) -> Int {
        let room = min(Self.itemsInFlight - hosts.inFlight, (options.limit ?? .max) - claimed)
        return min(room, Self.claimSize)
    }

    private func next(
        in group: inout TaskGroup<ClaimedItem?>,
        _ hosts: HostRoom,
        _ ended: inout Int,
        _ isTimerSet: inout Bool
    ) async -> Bool {
        guard let finished = await group.next() else { return false }
        if let item = finished {
            hosts.remove(item)
            ended += 1
        } else {
            isTimerSet = false
            ended = Self.claimSize
        }
        return true
    }

    private func claim(_ room: Int, _ hosts: HostRoom, _ store: JobStore) async -> [ClaimedItem] {
        guard room > 0, !control.isStopping else { return [] }
        do {
            return try await store.claim(limit: room, perHost: hosts.share, room: hosts.left)
        } catch {
            control.stop(.machine, trouble: "\(error)")
            return []
        }
    }

    /// How long until an item that waits is due, in milliseconds, at most a second; nil if none waits.
    private func delay(_ store: JobStore) async -> Int64? {
        guard !control.isStopping, let due = try? await store.nextReady() else { return nil }
        let milliseconds = due - Int64(Date().timeIntervalSince1970 * 1000)
        return milliseconds > 0 ? min(milliseconds, 1000) : nil
    }
}
