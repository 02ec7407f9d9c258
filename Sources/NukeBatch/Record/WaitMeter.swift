import JobStorage
import Originals

/// Measures how long hosts keep requests waiting, by cause, from samples.
struct WaitMeter {
    /// The time between commits: a run that is killed loses at most so much.
    static let interval: Duration = .seconds(3)

    private var sampled: ContinuousClock.Instant
    private var taken: ContinuousClock.Instant
    private var increments = CounterIncrements()

    /// Starts at `now`.
    init(now: ContinuousClock.Instant = .now) {
        (sampled, taken) = (now, now)
    }

    /// Adds the time since the last sample for each host that keeps requests waiting.
    mutating func add(_ waiting: [HostRateLimiter.Waiting], now: ContinuousClock.Instant = .now) {
        let seconds = (now - sampled) / .seconds(1)
        sampled = now
        for wait in waiting {
            increments.add(seconds, to: .waitingSeconds, detail: WaitCause(wait.reason).rawValue)
        }
    }

    /// Returns what is to be committed: nothing if that happened within the interval before, unless `all` is true.
    mutating func take(all: Bool = false, now: ContinuousClock.Instant = .now) -> CounterIncrements {
        guard all || now - taken >= Self.interval else { return CounterIncrements() }
        defer { (increments, taken) = (CounterIncrements(), now) }
        return increments
    }
}
