import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import JobStorage
import TestSupport
import Testing

@testable import JobReports

@Suite struct HTMLReportTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func page(_ job: PlannedJob) async throws -> String {
        try await HTMLReport(job.manifest, options: job.options, now: Self.now).html
    }

    private func request(_ number: Int, _ url: String, milliseconds: Int, status: Int? = 200) -> RequestRecord
    {
        RequestRecord(
            load: Int64(number),
            started: 1_700_000_000_000,
            url: url,
            status: status,
            phases: .init(
                blocked: 60_000_000,
                dns: nil,
                connect: nil,
                tls: nil,
                wait: milliseconds * 1000,
                receive: 0
            )
        ) {
            $0.responseBodyBytes = 1500
            $0.error = status == nil ? "reset" : nil
        }
    }

    /// Ten items: seven done, two failed, one left.
    private func job(more: String = "") async throws -> PlannedJob {
        let job = try PlannedJob(items: 10, more: more)
        try await job.run(exit: 1, counters: #"{"made": 7, "failed": 2}"#) { store, item in
            let url = item.url + "?token=SECRET"
            try await store.record([request(item.ordinal, url, milliseconds: item.ordinal * 10)])
            switch item.ordinal {
            case 1...7: try await job.finish(item, in: store)
            case 8: try await job.fail(item, in: store)
            case 9: try await job.fail(item, in: store, as: "timeout", message: "<b>late</b>")
            default: try await store.putBack(item)
            }
        }
        return job
    }

    @Test("a job that was never run, and one without items")
    func empty() async throws {
        let folder = try ManifestFolder()
        let manifest = try folder.read(PlannedJob.manifest(["https://a.example/1.jpg"]))
        let never = try await HTMLReport(manifest, now: Self.now).html
        #expect(never.contains("This job was never run.") && !never.contains("<section"))
        #expect(never.hasPrefix("<!DOCTYPE html>\n") && never.hasSuffix("</html>\n"))
        #expect(never.contains("on 14 Nov 2023, 22:13 UTC."))
        try folder.folder.write("# none\n", to: "urls.txt")
        let job = try PlannedJob(items: 1)
        try job.folder.folder.write("# none\n", to: "urls.txt")
        var none = job
        let source = #"{"list": "urls.txt", "allowEmpty": true}"#
        try none.write(#"{"sources": [\#(source)], "cache": {"directory": "cache"}}"#)
        try none.plan()
        #expect(try await page(none).contains("This job has no items."))
    }

    @Test("the verdict, the states and the totals")
    func summary() async throws {
        let page = try await page(try await job())
        #expect(page.contains("<b>7 of 10 items are done.</b>"))
        #expect(page.contains("<b class=\"failed\">2 failed.</b> 1 left."))
        for legend in ["7 done, 70.0 %", "2 failed, 20.0 %", "1 waiting, 10.0 %"] {
            #expect(page.contains(legend), "\(legend)")
        }
        #expect(!page.contains("skipped, "))
        #expect(page.contains("<rect class=\"done\" x=\"0.0\" y=\"0\" width=\"700.0\" height=\"1\"/>"))
        #expect(page.contains("<rect class=\"failed\" x=\"700.0\" y=\"0\" width=\"200.0\" height=\"1\"/>"))
        #expect(page.contains("<dt>outputs</dt><dd>7</dd>"))
        #expect(page.contains("<dt>output size</dt><dd>119 B</dd>"))
        #expect(page.contains("<dt>original size</dt><dd>28.0 kB</dd>"))
        #expect(page.contains("<dt>smaller by</dt><dd>99.6 %</dd><dd class=\"quiet\">27.9 kB saved</dd>"))
        #expect(!page.contains("at the rate of this run"), "no run is going on, so that no time is known")
    }

    @Test("outputs can be larger than their originals, many times")
    func larger() async throws {
        let job = try PlannedJob(items: 1)
        try await job.run { store, item in
            var result = try job.done(item)
            result.attempt?.bytes = 2
            try await store.record(result, of: item)
        }
        let page = try await page(job)
        #expect(
            page.contains("<dt>larger by</dt><dd>750.0 %</dd><dd class=\"quiet\">15 B more</dd>"),
            "\(page)"
        )
    }

    @Test("the last run is compared with the one before, as far as their counters go")
    func comparison() async throws {
        let job = try await job()
        let first = try await page(job)
        #expect(first.contains("<dt>items failed, run 1</dt><dd>2</dd></div>"))
        #expect(!first.contains("items done, run 1"), "an earlier release did not count them")
        try await job.run(exit: 0, counters: #"{"made": 1, "failed": 1, "done": 1234}"#) { store, item in
            try await job.finish(item, in: store)
        }
        let page = try await page(job)
        #expect(page.contains("<dt>items done, run 2</dt><dd>1,234</dd></div>"))
        #expect(page.contains("<dt>items failed, run 2</dt><dd>1</dd><dd class=\"quiet\">2 in run 1</dd>"))
        #expect(page.contains("<dt>made, run 2</dt><dd>1</dd><dd class=\"quiet\">7 in run 1</dd>"))
        // A run that is going on has no result yet.
        try await job.run(exit: nil) { store, item in try await store.putBack(item) }
        #expect(try await self.page(job).contains("<dt>made, run 2</dt>"))
    }

    @Test("while a run is going on, the time until its end is told if it is known")
    func timeLeft() async throws {
        let job = try PlannedJob(items: 3)
        try await job.run(exit: nil, counters: #"{"finishedBefore": 0}"#) { store, item in
            if item.ordinal == 1 { return try await job.finish(item, in: store) }
            try await store.putBack(item)
        }
        // The process of the run is this one.
        #expect(try await page(job).contains(/2 left, about [0-9:]+ at the rate of this run\./))
        let idle = try PlannedJob(items: 3)
        try await idle.run(exit: nil, counters: #"{"finishedBefore": 0}"#) { store, item in
            try await store.putBack(item)
        }
        #expect(try await page(idle).contains(" 3 left.</p>"))
    }

    @Test("all done is said so, with 100 %")
    func allDone() async throws {
        let job = try PlannedJob(items: 3)
        try await job.run { store, item in try await job.finish(item, in: store) }
        let page = try await page(job)
        #expect(
            page.contains("<b class=\"done\">All 3 items are done.</b></p>") && page.contains("3 done, 100 %")
        )
        #expect(!page.contains("Failures by cause") && !page.contains(" left."))
    }

    @Test("failures by cause have the table's sentences, those by host the host's name")
    func failures() async throws {
        let job = try await job()
        let page = try await page(job)
        for code in [ErrorCode.http(404), .timeout] {
            #expect(page.contains("<li><b>\(code.rawValue)</b><span>1</span>"))
            #expect(page.contains("<span class=\"quiet\">\(HTML.escaped(code.entry.meaning))</span>"))
        }
        #expect(page.contains("<td class=\"wrap\">a.example</td><td>http_404</td>"))
        #expect(page.contains("<h2>Failed items</h2>"))
        // As `explain` advises: a permanent failure has its remedy, a temporary one is left to the next run.
        let retry = "nuke-batch retry \(job.manifest.path) --error http_404"
        for advice in [
            ErrorCode.http(404).entry.remedy, retry, "The next run retries it.", "nuke-batch run ",
        ] {
            #expect(page.contains(HTML.escaped(advice)), "\(advice)")
        }
        for (name, error) in [("8.jpg", "http_404"), ("9.jpg", "timeout")] {
            #expect(page.contains("\(name)</span><span class=\"failed\">\(error)</span>"), "\(name)")
        }
    }

    @Test("an error of a later release is listed without a sentence")
    func unknownError() async throws {
        let job = try PlannedJob(items: 1)
        try await job.run { store, item in try await job.fail(item, in: store, as: "sun<spots", message: "x")
        }
        let page = try await page(job)
        #expect(page.contains("<li><b>sun&lt;spots</b>") && page.contains("<span class=\"quiet\"></span>"))
    }

    @Test("response times without the time in the queue, the slowest first")
    func times() async throws {
        let page = try await page(try await job())
        #expect(
            page.contains("10 requests: median ")
                && page.contains(", slowest 100 ms. Without the time in the queue.")
        )
        let slowest = try #require(page.components(separatedBy: "<h2>Slowest URLs</h2>").last)
        let order = slowest.components(separatedBy: "<li>").dropFirst().prefix(3).map {
            $0.contains("<span>100 ms</span>")
        }
        #expect(order == [true, false, false])
        #expect(page.contains("<span class=\"quiet\">1 request, median 100 ms</span>"))
        let hosts = try #require(page.components(separatedBy: "<h2>Slowest hosts</h2>").last)
        // Ten requests of 10 to 100 ms; their host has failed none.
        #expect(hosts.contains("a.example</span><span>100 ms</span>"))
        #expect(hosts.contains("<span class=\"quiet\">10 requests, median 55 ms</span>"))
    }

    @Test("the history has the reason of an early end, what was different, and the runs that were refused")
    func history() async throws {
        let job = try PlannedJob(items: 2)
        try await job.run(exit: 1, counters: #"{"made": 1, "failed": 1, "newFailures": 1}"#) { store, item in
            if item.ordinal == 1 { return try await job.finish(item, in: store) }
            try await job.fail(item, in: store)
        }
        let store = try job.open()
        _ = try store.beginRun(version: "1")
        let change = #"{"path": "name", "old": "<a>", "new": "b"}"#
        try store.noteManifest("{}", changesJSON: #"{"count": 5, "first": [\#(change)]}"#)
        try store.endRun(
            exit: 143,
            countersJSON: #"{"recovered": 1, "added": 3, "removed": 0, "edgeHits": 4, "edgeMisses": 3}"#,
            stopped: "the <disk> is full"
        )
        store.close()
        try await RefusedRun().leave(beside: job.options.statePath(of: job.manifest))
        let page = try await page(job)
        let runs = try #require(page.components(separatedBy: "<h2>Last runs</h2>").last)
        for remark in [
            "interrupted by SIGTERM", "new failures: 1", "recovered items: 1", "edge hits: 57 % of 7",
            "stopped: the &lt;disk&gt; is full",
            "manifest changed: name: &quot;&lt;a&gt;&quot; → &quot;b&quot;",
            "manifest changed: 4 other values", "items: 3 added, 0 removed",
        ] {
            #expect(runs.contains("<div>\(remark)</div>"), "\(remark)")
        }
        #expect(runs.contains("<div>refused meanwhile: 1 run, the last at "))
        #expect(
            page.contains("<dt>edge hit ratio</dt><dd>57.1 %</dd><dd class=\"quiet\">4 of 7 responses</dd>")
        )
    }

    @Test("items that only an edge loads have no pictures, also with an original of former days in the cache")
    func edge() async throws {
        let text = PlannedJob.manifest(["https://a.example/1.jpg"])
            .replacing(/"outputs": \[.*\]/, with: #""loading": {"method": "HEAD"}"#)
        let job = try PlannedJob(text)
        try await job.run { store, item in
            let result = ItemResult(.done, cacheKey: item.url, originalSHA256: PlannedJob.originalSHA256)
            try await store.record(result, of: item)
        }
        let page = try await page(job)
        #expect(page.contains("The only item is done.") && !page.contains("Before and after"))
        #expect(!page.contains("<div>missing</div>"))
    }

    @Test("queries are hidden, and nothing is loaded from elsewhere")
    func secrets() async throws {
        let page = try await page(try await job())
        #expect(!page.contains("SECRET") && page.contains("10.jpg?…"))
        #expect(page.contains("default-src &#39;none&#39;; style-src &#39;sha256-"))
        #expect(!page.contains("<script") && !page.contains("src=\"http") && !page.contains("<link"))
    }

    @Test("names and ids are escaped wherever they stand")
    func escaping() async throws {
        let text = PlannedJob.manifest(["https://a.example/1.jpg"], more: #", "name": "A <job> & \"more\"""#)
            .replacing(
                "\"https://a.example/1.jpg\"",
                with: #"{"url": "https://a.example/1.jpg", "id": "<i>"}"#
            )
        let job = try PlannedJob(text)
        try await job.run { store, item in try await job.finish(item, in: store) }
        let page = try await page(job)
        #expect(page.contains("<h1>A &lt;job&gt; &amp; &quot;more&quot;</h1>"))
        #expect(page.contains("<title>A &lt;job&gt; &amp; &quot;more&quot;: report</title>"))
        #expect(page.contains("<span class=\"name\">&lt;i&gt;</span>") && !page.contains("<i>\""))
    }

    @Test("runs: exit codes, the dead and the one that goes on")
    func runs() async throws {
        let job = try await job()
        try await job.run(exit: nil) { store, item in try await store.putBack(item) }
        let dead = try await page(job)
        #expect(dead.contains("<span class=\"failed\">1</span>"), "the first run's exit code")
        #expect(dead.contains("running") || dead.contains("<span class=\"failed\">died</span>"))
        #expect(dead.contains("<h2>Last runs</h2>") && dead.contains("<td class=\"number\">7</td>"))
        try await job.run(exit: 5) { store, item in try await store.putBack(item) }
        let page = try await page(job)
        #expect(page.contains("<span class=\"skipped\">5</span>"))
        #expect(page.contains("<span class=\"failed\">died</span>"))
    }

    @Test("thumbnails of what can be read, and a note for what is missing")
    func sheet() async throws {
        let job = try await job()
        let page = try await page(job)
        #expect(
            page.contains("<h2>Before and after</h2>") && page.contains("Every finished item: the original")
        )
        #expect(
            page.components(separatedBy: "<div>missing</div>").count == 15,
            "7 originals, 7 outputs that are no images"
        )
        let many = try PlannedJob(items: 60)
        try await many.run { store, item in try await many.finish(item, in: store) }
        #expect(
            try await self.page(many).contains("24 of 60 finished items, spread evenly over the manifest")
        )
    }

    @Test(
        "times have the unit that fits",
        arguments: [
            (1, "1 µs"), (999, "999 µs"), (1000, "1.0 ms"), (9999, "10.0 ms"), (10_000, "10 ms"),
            (999_999, "999 ms"),
            (1_000_000, "1.0 s"), (59_900_000, "59.9 s"), (61_000_000, "1:01"),
        ]
    )
    func units(microseconds: Int, text: String) {
        #expect(HTMLReport.time(microseconds: microseconds) == text)
    }

    @Test("dates are English and UTC, whatever the machine's locale")
    func dates() {
        #expect(HTMLReport.date(Date(timeIntervalSince1970: 0)) == "1 Jan 1970, 00:00 UTC")
        #expect(HTMLReport.date(Self.now) == "14 Nov 2023, 22:13 UTC")
    }
}
