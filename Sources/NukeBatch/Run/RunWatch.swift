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

    private let context: RunContext
    private let rateLimiter: HostRateLimiter
    private let waits: RunWaits
    private let hostStates: HostStateStore
    private let spent: SpentAttempts

    /// The watch of one run.
    init(
        _ context: RunContext,
        _ rateLimiter: HostRateLimiter,
        waits: RunWaits,
        hostStates: HostStateStore,
        spent: SpentAttempts
    ) {
        (self.context, self.rateLimiter, self.waits) = (context, rateLimiter, waits)
        (self.hostStates, self.spent) = (hostStates, spent)
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
        let (store, statistics) = (context.store, context.statistics)
        var (told, meter) = (HostWaits(), WaitMeter())
        while (try? await Task.sleep(for: Self.interval)) != nil {
            let waiting = waits.all
            for wait in told.news(waiting) { statistics.tell(.hostWaiting(wait)) }
            meter.add(waiting)
            do throws(JobStoreError) {
                if let outage = rateLimiter.outage {
                    try await store.refund(spent.take())
                    if outage >= context.options.outageLimit { stop(after: outage) }
                }
                try await PriorityRequest.apply(to: store).forEach(statistics.warn)
                try await RefusedRun.count(in: store).forEach(statistics.warn)
                try await hostStates.save()
                try await store.count(meter.take())
            } catch {
                context.control.stop(.machine, trouble: error.description)
            }
        }
        meter.add(waits.all)
        // A state in trouble has ended the run already.
        try? await store.count(meter.take(all: true))
    }

    private func stop(after outage: Duration) {
        let time = Quantity.duration(outage / .seconds(1))
        context.control.stop(
            .machine,
            trouble: "no host has responded for \(time): the network is down; run again when it is up"
        )
    }
}
