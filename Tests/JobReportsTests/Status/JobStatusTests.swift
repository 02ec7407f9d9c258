import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import JobStorage
import Testing

@testable import JobReports

@Suite struct JobStatusTests {
    private func run(
        _ number: Int,
        exit: Int? = nil,
        isGoingOn: Bool = false,
        seconds: Double? = nil,
        made: Int? = nil,
        failed: Int? = nil
    ) -> JobStatus.Run {
        JobStatus.Run(
            run: number,
            started: "2026-01-01T00:00:0\(number).000Z",
            ended: nil,
            exit: exit,
            process: 42,
            isGoingOn: isGoingOn,
            seconds: seconds,
            made: made,
            failed: failed,
            networkBytes: nil
        )
    }

    private func status(
        _ states: [String: Int],
        failures: [String: Int] = [:],
        rate: Double? = nil,
        runs: [JobStatus.Run] = []
    ) -> JobStatus {
        var status = JobStatus(
            items: states.values.reduce(0, +),
            states: states,
            failures: failures,
            runs: runs
        )
        status.rate = rate
        return status
    }

    @Test("a job that was never run, and one of a single item")
    func small() throws {
        #expect(JobStatus(items: nil, states: [:], failures: [:], runs: []).text() == "never run")
        #expect(status(["pending": 1]).text() == "1 item\n  1 pending")
        let manifest = try ManifestFolder().read(PlannedJob.manifest(["https://a.example/1.jpg"]))
        let never = try JobState(manifest).status()
        #expect(never.items == nil && never.states.count == 7 && never.states.values.allSatisfy { $0 == 0 })
        #expect(never.runs.isEmpty && never.current == nil)
    }

    @Test("states in the order of an item's life, right-aligned, failures by count, then by name")
    func text() {
        let text = status(
            ["done": 12_345, "failed": 7, "pending": 100, "skipped": 0],
            failures: ["timeout": 2, "http_404": 3, "dns": 2]
        ).text()
        #expect(
            text == """
                12,452 items
                     100 pending
                  12,345 done
                       7 failed
                  failed as http_404: 3
                  failed as dns: 2
                  failed as timeout: 2
                """
        )
    }

    @Test("finished runs with exit code, time and counts; a dead one ended uncleanly")
    func runs() {
        let runs = [
            run(3), run(2, exit: 1, seconds: 75, made: 1200, failed: 3),
            run(1, exit: 0, seconds: 5, made: 0, failed: 0),
        ]
        let lines = status(["done": 1], runs: runs).text().components(separatedBy: "\n").suffix(3)
        #expect(
            Array(lines) == [
                "run 3  2026-01-01T00:00:03.000Z  ended uncleanly",
                "run 2  2026-01-01T00:00:02.000Z  exit 1  took 1:15  1,200 made  3 failed",
                "run 1  2026-01-01T00:00:01.000Z  exit 0  took 0:05  0 made",
            ]
        )
        let many = status(["done": 1], runs: (1...9).map { run($0, exit: 0) })
        #expect(many.text().components(separatedBy: "\n").count == 2 + 5)
    }

    @Test("a run's line has its interruption and its counts, and its remarks follow")
    func remarks() throws {
        var interrupted = run(2, exit: 143, seconds: 75, made: 3, failed: 2)
        (interrupted.newFailures, interrupted.recovered) = (1, 4)
        (interrupted.added, interrupted.removed) = (1200, 3)
        (interrupted.edgeHits, interrupted.edgeMisses) = (0, 8)
        (interrupted.refused, interrupted.lastRefused) = (2, "2026-01-01T00:00:09.000Z")
        interrupted.stopped = "first\nsecond"
        interrupted.changes = ManifestChanges(
            json: #"{"count": 1, "first": [{"path": "limits.maxDuration", "old": null, "new": "4h"}]}"#
        )
        let lines = status(["done": 1], runs: [interrupted, run(1, exit: 0)]).text()
            .components(separatedBy: "\n").dropFirst(2)
        #expect(
            Array(lines) == [
                "run 2  2026-01-01T00:00:02.000Z  exit 143  interrupted by SIGTERM  took 1:15  3 made  2 failed, 1 new"
                    + "  4 recovered  edge hits 0 % of 8",
                "  stopped: first second", "  manifest changed: limits.maxDuration: \"4h\", added",
                "  items: 1,200 added, 3 removed",
                "  refused meanwhile: 2 runs, the last at 2026-01-01T00:00:09.000Z",
                "run 1  2026-01-01T00:00:01.000Z  exit 0",
            ]
        )
        var same = run(1, exit: 0)
        same.changes = ManifestChanges(json: #"{"count": 0, "first": []}"#)
        (same.added, same.removed, same.edgeHits, same.edgeMisses) = (0, 0, 0, 0)
        #expect(same.remarks.isEmpty && same.edgeShare == nil && same.interruption == nil)
    }

    @Test("the slowest hosts and URLs are told, if the requests are looked at")
    func slowest() async throws {
        let job = try PlannedJob(items: 4)
        try await job.run { store, item in
            let phases = RequestRecord.Phases(
                blocked: nil,
                dns: nil,
                connect: nil,
                tls: nil,
                wait: item.ordinal * 400_000,
                receive: 0
            )
            let request = RequestRecord(load: 1, started: 1, url: item.url, status: 200, phases: phases)
            try await store.record([request])
            try await job.finish(item, in: store)
        }
        let states = [try JobState(job.manifest)]
        #expect(try JobStatus(states, isPartitioned: false).slowest == nil)
        let status = try JobStatus(states, isPartitioned: false, looksAtRequests: true)
        let found = try #require(status.slowest)
        #expect(found.requests == 4 && found.hosts.map(\.name) == ["a.example"] && found.urls.count == 4)
        #expect(found.hosts[0].p50 == 1000 && found.hosts[0].p95 == 1600 && found.hosts[0].max == 1600)
        let lines = status.text().components(separatedBy: "\n").suffix(5)
        #expect(
            Array(lines) == [
                "slowest of the last 4 requests", "  p50 1.0 s  p95 1.6 s  4 requests  a.example",
                "  p50 1.6 s  p95 1.6 s  1 request  https://a.example/4.jpg",
                "  p50 1.2 s  p95 1.2 s  1 request  https://a.example/3.jpg",
                "  p50 800 ms  p95 800 ms  1 request  https://a.example/2.jpg",
            ]
        )
    }

    @Test("the run that is going on has its rate and the time that is left")
    func current() {
        let status = status(
            ["done": 50, "skipped": 10, "failed": 5, "pending": 35],
            rate: 0.5,
            runs: [run(4, isGoingOn: true)]
        )
        #expect(status.finished == 65 && status.current?.run == 4)
        #expect(status.text().hasSuffix("running (process 42)  0.5/s  ETA 1:10"))
        #expect(status.text(rate: 7).hasSuffix("  7.0/s  ETA 0:05"))
        #expect(status.progressLine() == "65/100  5 failed  0.5/s  ETA 1:10")
        #expect(status.progressLine(rate: 0) == "65/100  5 failed", "no rate, no ETA")
        #expect(self.status(["done": 2, "pending": 2], rate: 1).progressLine() == "2/4  1.0/s  ETA 0:02")
    }

    @Test("a state's counts, failures and runs")
    func state() async throws {
        let job = try PlannedJob(items: 4)
        let counters = #"{"made": 2, "failed": 1, "networkBytes": 3000}"#
        try await job.run(exit: 1, counters: counters) { store, item in
            switch item.ordinal {
            case 1, 2: try await job.finish(item, in: store)
            case 3: try await job.fail(item, in: store)
            default: try await store.putBack(item)
            }
        }
        let status = try JobState(job.manifest).status()
        #expect(status.items == 4 && status.finished == 3 && status.failures == ["http_404": 1])
        #expect(status.states["done"] == 2 && status.states["failed"] == 1 && status.states["pending"] == 1)
        #expect(status.rate == nil && status.eta == nil && status.current == nil)
        let run = try #require(status.runs.first)
        #expect(run.run == 1 && run.exit == 1 && run.made == 2 && run.failed == 1 && run.networkBytes == 3000)
        #expect(!run.isGoingOn && run.ended != nil && (run.seconds ?? -1) >= 0)
        #expect(run.process == Int(ProcessInfo.processInfo.processIdentifier))
    }

    @Test("the rate counts what the run itself has finished")
    func rate() async throws {
        let job = try PlannedJob(items: 10)
        try await job.run { store, item in
            if item.ordinal <= 4 {
                try await job.finish(item, in: store)
            } else {
                try await store.putBack(item)
            }
        }
        let store = try job.open()
        defer { store.close() }
        _ = try store.beginRun(version: "1", countersJSON: #"{"finishedBefore": 4}"#)
        let idle = try JobState(job.manifest).status()
        #expect(idle.current?.run == 2 && idle.rate == 0 && idle.eta == nil)
        let item = try #require(try await store.claim(limit: 1).first)
        try await job.finish(item, in: store)
        let busy = try JobState(job.manifest).status()
        let (rate, eta) = (try #require(busy.rate), try #require(busy.eta))
        #expect(rate > 0 && abs(eta * rate - 5) < 0.001, "five are left")
        #expect(busy.runs.count == 2 && busy.runs[0].seconds == nil)
    }

    @Test("selections: states, errors and URLs, and putting back what failed")
    func selections() async throws {
        let job = try PlannedJob(items: 5)
        try await job.run { store, item in
            switch item.ordinal {
            case 1: try await job.finish(item, in: store)
            case 2, 3: try await job.fail(item, in: store, as: "timeout", message: "late")
            case 4: try await job.fail(item, in: store)
            default:
                try await store.record(ItemResult(.quarantined(error: "crashed", message: "x")), of: item)
            }
        }
        let state = try JobState(job.manifest)
        func indexes(_ selection: ItemSelection) throws -> [Int] {
            var indexes: [Int] = []
            try state.forEachItem(selection) { indexes.append($0.index) }
            return indexes
        }
        #expect(try indexes(ItemSelection()) == [1, 2, 3, 4, 5])
        #expect(try indexes(ItemSelection(states: ["failed", "quarantined"])) == [2, 3, 4, 5])
        #expect(try indexes(ItemSelection(errors: ["timeout"])) == [2, 3])
        #expect(try indexes(ItemSelection(errors: ["timeout"], url: "/3.jpg")) == [3])
        #expect(try state.putBack(ItemSelection(errors: ["timeout"])) == 2)
        #expect(try state.putBack(ItemSelection(errors: ["timeout"])) == 0)
        #expect(try indexes(ItemSelection(states: ["pending"])) == [2, 3])
        #expect(ItemSelection.knownStates == ItemState.allCases.map(\.rawValue))
    }

    @Test("a change of priority is done, or left for the run that holds the job")
    func priority() async throws {
        let job = try PlannedJob(items: 3)
        let state = try JobState(job.manifest)
        guard
            case .done(let items) = try await state.changePriority(
                of: ItemSelection(url: "/2.jpg"),
                to: .high
            )
        else {
            Issue.record("nobody holds the job")
            return
        }
        #expect(items == 1)
        let store = try job.open()
        defer { store.close() }
        guard case .asked(let message) = try await state.changePriority(of: ItemSelection(), to: .low) else {
            Issue.record("the job is held")
            return
        }
        #expect(!message.isEmpty)
        var priorities: [String] = []
        try state.forEachItem(ItemSelection()) { priorities.append($0.priority) }
        #expect(priorities == ["normal", "high", "normal"])
    }
}
