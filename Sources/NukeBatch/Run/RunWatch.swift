import JobPlanning
import JobManifest
import JobStorage
import Originals

/// Performs a run's periodic tasks while it works.
///
/// It saves host states, reports waiting hosts, ends a run without a network, and applies priority requests of other
/// processes.
struct RunWatch: Sendable {
    private static let interval: Duration = .milliseconds(200)

    private let store: JobStore
    private let rateLimiter: HostRateLimiter
    private let waits: RunWaits
    private let hostStates: HostStateStore
    private let spent: SpentAttempts
    private let statistics: RunStatistics
    private let control: RunControl
    /// The time without a network after which the run ends.
    private let outageLimit: Duration

    /// The watch of one run.
    init(
        _ context: RunContext,
        _ rateLimiter: HostRateLimiter,
        waits: RunWaits,
        hostStates: HostStateStore,
        spent: SpentAttempts
    ) {
        store = context.store
        statistics = context.statistics
        control = context.control
        outageLimit = context.options.outageLimit
        (self.rateLimiter, self.waits) = (rateLimiter, waits)
        self.hostStates = hostStates
        self.spent = spent
    }

    /// Watches the run while `body` is running.
    func during(_ body: () async throws -> Void) async throws {
        let watching = Task { await run() }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        watching.cancel()
        await watching.value
        try result.get()
    }

    private func run() async {
        var told = HostWaits()
        while (try? await Task.sleep(for: Self.interval)) != nil {
            for wait in told.news(waits.all) { statistics.tell(.hostWaiting(wait)) }
            do throws(JobStoreError) {
                if let outage = rateLimiter.outage {
                    try await store.refund(spent.take())
                    if outage >= outageLimit { stop(after: outage) }
                }
                try await PriorityRequest.apply(to: store).forEach(statistics.warn)
                try await hostStates.save()
            } catch {
                control.stop(.machine, trouble: error.description)
            }
        }
    }

    private func stop(after outage: Duration) {
        let time = Quantity.duration(outage / .seconds(1))
        control.stop(
            .machine,
            trouble: "no host has responded for \(time): the network is down; run again when it is up"
        )
    }
}
