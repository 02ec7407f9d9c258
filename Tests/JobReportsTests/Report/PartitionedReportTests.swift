import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import JobStorage
import TestSupport
import Testing

@testable import JobReports

/// One page about several partitions of a job.
@Suite struct PartitionedReportTests {
    /// Runs partitions of twelve items; items 3, 6, 9 and 12 fail.
    private func run(_ jobs: [PlannedJob], made: Int) async throws {
        for job in jobs {
            let counters = #"{"made": \#(made), "failed": 1, "done": 10}"#
            try await job.run(exit: 1, counters: counters) { store, item in
                if item.ordinal % 3 == 0 {
                    try await job.fail(item, in: store)
                } else {
                    try await job.finish(item, in: store)
                }
            }
        }
    }

    private func page(_ job: PlannedJob) async throws -> String {
        let partitions = try RecordedPartitions(of: job.manifest, options: job.options)
        return try await HTMLReport(job.manifest, options: job.options, partitions: partitions).html
    }

    @Test("a job without a partition that was run was never run")
    func never() async throws {
        let job = try PlannedJob(items: 2)
        let page = try await page(job)
        #expect(page.contains("This job was never run.") && !page.contains("0 partitions"))
    }

    @Test("items, failures, outputs and sizes are those of all partitions")
    func figures() async throws {
        let job = try PlannedJob(items: 12)
        try await run(try job.partitions(3), made: 3)
        let page = try await page(job)
        #expect(page.contains("8 of 12 items are done.") && page.contains("4 failed."))
        #expect(page.contains("job.json · all 3 partitions</p>"))
        #expect(page.contains("<li><b>http_404</b><span>4</span>"))
        #expect(page.contains("a.example</td><td>http_404</td><td class=\"number\">4</td>"))
        #expect(page.contains("<td class=\"wrap\">small</td><td class=\"number\">8</td>"))
        // Originals of 1 to 11 kB, but for every third.
        #expect(page.contains("8 originals: median 6.0 kB, largest 11.0 kB."), "\(page)")
        #expect(page.components(separatedBy: "<div class=\"pair\">").count == 1 + 8)
        let retry = "nuke-batch retry \(job.manifest.path) --shard I/3 --error http_404"
        #expect(page.contains(HTML.escaped(retry)))
    }

    @Test("failed items come in the manifest's order, whatever their partitions")
    func order() async throws {
        let job = try PlannedJob(items: 12)
        try await run(try job.partitions(3), made: 1)
        let page = try await page(job)
        let section = try #require(page.components(separatedBy: "<h2>Failed items</h2>").last)
        let places = [3, 6, 9, 12].compactMap { section.range(of: ">\($0).jpg</span>")?.lowerBound }
        #expect(places.count == 4 && places == places.sorted())
    }

    @Test("runs name their partitions; the last runs are compared if each partition has one before")
    func runs() async throws {
        let job = try PlannedJob(items: 12)
        let jobs = try job.partitions(3)
        try await run(jobs, made: 3)
        let first = try await page(job)
        #expect(first.contains("<th>shard</th><th>run</th>"))
        for number in 1...3 { #expect(first.contains("<tr><td>\(number)/3</td><td>1</td>")) }
        #expect(first.contains("<dt>made, last runs of 3 partitions</dt><dd>9</dd></div>"))
        try await run(Array(jobs.prefix(2)), made: 1)
        let partly = try await page(job)
        #expect(partly.contains("<dt>made, last runs of 3 partitions</dt><dd>5</dd></div>"))
        try await run([jobs[2]], made: 2)
        let second = try await page(job)
        #expect(
            second.contains(
                "<dt>made, last runs of 3 partitions</dt><dd>4</dd><dd class=\"quiet\">9 in the runs before</dd>"
            )
        )
    }

    @Test("the page says which partitions it is about")
    func scope() async throws {
        let job = try PlannedJob(items: 12)
        let jobs = try job.partitions(3)
        try await run(jobs, made: 3)
        let one = try await HTMLReport(job.manifest, options: jobs[1].options).html
        #expect(one.contains("job.json · partition 2/3 · run 1 started") && !one.contains("<th>shard</th>"))
        let state = jobs[0].options.statePath(of: job.manifest)
        try FileManager.default.removeItem(atPath: state)
        #expect(try await page(job).contains("job.json · 2 of 3 partitions</p>"))
    }
}
