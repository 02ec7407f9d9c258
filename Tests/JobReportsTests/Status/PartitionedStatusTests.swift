import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import JobStorage
import Testing

@testable import JobReports

/// The status of a job from those of its partitions.
@Suite struct PartitionedStatusTests {
    private func run(_ number: Int, isGoingOn: Bool = false) -> JobStatus.Run {
        JobStatus.Run(
            run: number,
            started: "2026-01-01T00:00:0\(number).000Z",
            ended: nil,
            exit: isGoingOn ? nil : 0,
            process: 42,
            isGoingOn: isGoingOn,
            seconds: isGoingOn ? nil : 65,
            made: nil,
            failed: nil,
            networkBytes: nil
        )
    }

    private func status(
        of shard: String,
        _ states: [String: Int],
        rate: Double? = nil,
        eta: Double? = nil,
        runs: [JobStatus.Run] = []
    ) -> JobStatus {
        var status = JobStatus(
            items: states.values.reduce(0, +),
            states: states,
            failures: states["failed"].map { ["http_404": $0] } ?? [:],
            runs: runs,
            shard: shard
        )
        (status.rate, status.eta) = (rate, eta)
        return status
    }

    @Test("counts, failures and rates are sums; the slowest partition decides about the time left")
    func sums() {
        let shards = [
            status(of: "1/3", ["done": 5, "pending": 3], rate: 2, eta: 1.5, runs: [run(2, isGoingOn: true)]),
            status(of: "2/3", ["done": 1, "failed": 2, "pending": 9], rate: 0.5, eta: 18),
            status(of: "3/3", ["failed": 1], runs: [run(1)]),
        ]
        let all = JobStatus(shards: shards)
        #expect(all.items == 21 && all.finished == 9 && all.failures == ["http_404": 3])
        #expect(all.states["done"] == 6 && all.states["pending"] == 12 && all.states["running"] == 0)
        #expect(all.rate == 2.5 && all.eta == 18 && all.runs.isEmpty && all.shard == nil)
        #expect(all.shards.map(\.shard) == ["1/3", "2/3", "3/3"])
        #expect(all.isGoingOn && all.current == nil)
        #expect(!JobStatus(shards: [shards[2]]).isGoingOn && JobStatus(shards: [shards[2]]).rate == nil)
    }

    @Test("without a partition, or with planned ones only, nothing was run")
    func never() {
        let none = JobStatus(shards: [])
        #expect(none.items == nil && none.text() == "never run" && none.eta == nil && !none.isGoingOn)
        #expect(none.states.count == 7 && none.states.values.allSatisfy { $0 == 0 })
    }

    @Test("as text: the sums, then a line for each partition with its last run")
    func text() {
        var unplanned = JobStatus(items: nil, states: [:], failures: [:], runs: [])
        unplanned.shard = "4/4"
        let text = JobStatus(shards: [
            status(
                of: "1/4",
                ["done": 1500, "pending": 500],
                rate: 10,
                eta: 50,
                runs: [run(2, isGoingOn: true), run(1)]
            ),
            status(of: "2/4", ["done": 9, "failed": 1], runs: [run(3), run(2)]),
            status(of: "3/4", ["pending": 2]),
            unplanned,
        ]).text()
        #expect(
            text == """
                2,012 items
                    502 pending
                  1,509 done
                      1 failed
                  failed as http_404: 1
                shard 1/4  1,500/2,000  run 2  2026-01-01T00:00:02.000Z  running (process 42)  10.0/s  ETA 0:50
                shard 2/4  10/10  1 failed  run 3  2026-01-01T00:00:03.000Z  exit 0  took 1:05
                shard 3/4  0/2
                shard 4/4  never run
                """
        )
    }

    @Test("a partition's state names it, in JSON as well")
    func partition() async throws {
        let job = try PlannedJob(items: 12)
        for part in try job.partitions(3) {
            let status = try JobState(job.manifest, options: part.options).status()
            #expect(status.shard == part.options.shard?.description && status.shards.isEmpty)
            #expect(JSONLine.text(status).contains(#""shard":"\#(status.shard ?? "")","shards":[]"#))
        }
        let whole = JSONLine.text(try JobState(job.manifest).status())
        #expect(whole.contains(#""shard":null,"shards":[]"#), "\(whole)")
    }
}
