import JobFixtures
import JobPlanning
import JobStorage
import Originals
import TestSupport
import Testing

@testable import NukeBatch

@Suite(.timeLimit(.minutes(10))) struct RunWatchTests {
    private struct Fault: Error {}

    private let job: RunningJob
    private let spent = SpentAttempts()
    private let events = Recorded<RunEvent>()

    init() throws {
        job = try RunningJob()
    }

    /// A rate limiter to which one host that does not answer is an outage.
    private func rateLimiter() -> HostRateLimiter {
        var outage = OutageDetector.Policy()
        (outage.failures, outage.hosts) = (1, 1)
        return HostRateLimiter(limits: .init(), hosts: [:], idle: nil, breaking: nil, outage: outage)
    }

    private func context(outageLimit: Duration = .seconds(86_400)) -> RunContext {
        var options = RunOptions()
        options.outageLimit = outageLimit
        return job.context(options) { [events] in events.add($0) }
    }

    private func watch(_ context: RunContext, _ rateLimiter: HostRateLimiter) -> RunWatch {
        let hostStates = HostStateStore(job.store, rateLimiter)
        return RunWatch(
            context,
            rateLimiter,
            waits: RunWaits(context, rateLimiter),
            hostStates: hostStates,
            spent: spent
        )
    }

    @Test("a network that is down too long ends the run, and the attempts that it took are given back")
    func outage() async throws {
        let item = try #require(try await job.claim(hosts: ["a.example"]).first)
        try await job.store.retryLater(item, after: 0, error: "timeout", message: "m")
        spent.add(item)
        let (context, rateLimiter) = (context(outageLimit: .zero), rateLimiter())
        try await rateLimiter.acquire(host: "a.example").release(.unreachable)
        try await watch(context, rateLimiter).during {
            try await eventually { context.control.isStopping }
        }
        #expect(context.control.exit == .machine)
        #expect(context.control.trouble?.contains("the network is down") == true)
        #expect(try job.record(of: item).attempts == 0)
        #expect(spent.take().isEmpty)
    }

    @Test("a network that is down for less leaves the run alone")
    func shortOutage() async throws {
        let item = try #require(try await job.claim(hosts: ["a.example"]).first)
        try await job.store.retryLater(item, after: 0, error: "timeout", message: "m")
        spent.add(item)
        let (context, rateLimiter) = (context(), rateLimiter())
        try await rateLimiter.acquire(host: "a.example").release(.unreachable)
        try await watch(context, rateLimiter).during {
            try await eventually { try job.record(of: item).attempts == 0 }
        }
        #expect(context.control.exit == nil)
    }

    @Test("a wish for another priority is met during the run")
    func priority() async throws {
        try job.plan(hosts: ["a.example", "a.example", "a.example"])
        let filter = ItemFilter(url: "https://a.example/2.jpg")
        try await PriorityRequest(filter, priority: 4).leave(beside: job.path)
        try await watch(context(), rateLimiter()).during {
            try await eventually {
                var priorities: [Int] = []
                try job.reader.forEachItem { priorities.append($0.priority) }
                return priorities == [2, 4, 2]
            }
        }
        #expect(try await job.store.claim(limit: 1).map(\.ordinal) == [2])
    }

    @Test("a host that keeps requests waiting is told, and its pause outlives the run")
    func waits() async throws {
        let rateLimiter = rateLimiter()
        rateLimiter.hold(host: "a.example", for: .seconds(3000))
        try await watch(context(), rateLimiter).during {
            try await eventually { try !events.all.isEmpty && !job.reader.hosts().isEmpty }
        }
        guard case .hostWaiting(let wait) = events.all.first else {
            Issue.record("\(events.all)")
            return
        }
        #expect(wait.host == "a.example" && wait.reason == "retry_after")
        #expect(try job.reader.hosts().map(\.name) == ["a.example"])
    }

    @Test("an error of the work ends the watch")
    func error() async throws {
        let watch = watch(context(), rateLimiter())
        await #expect(throws: Fault.self) { try await watch.during { throw Fault() } }
    }
}
