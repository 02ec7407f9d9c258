import JobStorage
import Nuke

/// Looks after a run beside its work: keeps what is learned of hosts, tells which of them wait, ends a run without a
/// network, and takes what other processes ask of it.
struct RunWatch: Sendable {
    private static let interval: Duration = .milliseconds(200)

    let store: JobStore
    let gate: HostGate
    let memory: HostMemory
    let spent: SpentAttempts
    let tally: RunTally
    let control: RunControl
    /// How long the network may be gone.
    let outageLimit: Duration

    /// Looks every now and then, until the task is cancelled.
    func run() async {
        var waits = HostWaits()
        while (try? await Task.sleep(for: Self.interval)) != nil {
            for wait in waits.news(gate.waiting) { tally.tell(.hostWaiting(wait)) }
            do throws(JobStoreError) {
                if let outage = gate.outage {
                    try await store.refund(spent.take())
                    if outage >= outageLimit { stop(after: outage) }
                }
                try await PriorityRequest.apply(to: store, tally)
                try await memory.save()
            } catch {
                control.stop(.machine, trouble: error.description)
            }
        }
    }

    private func stop(after outage: Duration) {
        let time = RunProgress.duration(outage / .seconds(1))
        control.stop(
            .machine,
            trouble: "no host has answered for \(time): the network is gone; run again when it is back"
        )
    }
}
