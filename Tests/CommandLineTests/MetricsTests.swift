import Foundation
import LoopbackServer
import TestSupport
import Testing

/// `--metrics`: the figures of a job and its runs as Prometheus reads them.
@Suite(.timeLimit(.minutes(10))) struct MetricsTests {
    private func text(_ folder: TemporaryFolder) throws -> String {
        try String(contentsOfFile: folder.path("job.prom"), encoding: .utf8)
    }

    private func samples(_ folder: TemporaryFolder) throws -> [String: Double] {
        try OpenMetricsText(text(folder)).samples
    }

    /// Returns the sum of the samples of one name.
    private func sum(_ name: String, _ samples: [String: Double]) -> Double {
        samples.filter { $0.key.hasPrefix("nuke_batch_\(name){") }.values.reduce(0, +)
    }

    @Test("a run tells the job, its counters and the times of its runs")
    func tellsTheRun() async throws {
        let job = try await ToldJob()
        let before = Date().timeIntervalSince1970.rounded(.down)
        let requests = job.server.requests.count
        let run = try await job.nukeBatch(["run", "job.json", "--fresh", "--metrics", "job.prom"])
        #expect(run.exit == 1, "\(run.errors)")
        let text = try text(job.folder)
        #expect(!FileManager.default.fileExists(atPath: job.folder.path("job.prom.new")))
        #expect(!text.contains("SECRET"))
        let metrics = try OpenMetricsText(text)
        let name = "manifest=\"Told <job>\""
        let host = "host_class=\"127.0.0.1:\(job.server.port)\""
        let value = { (metric: String, label: String) in
            metrics.samples["nuke_batch_\(metric){\(name)\(label.isEmpty ? "" : "," + label)}"]
        }
        #expect(value("items", "state=\"done\"") == 3 && value("items", "state=\"failed\"") == 1)
        #expect(value("items", "state=\"pending\"") == 0)
        #expect(value("failed_items", "error=\"http_404\"") == 1)
        #expect(value("item_results_total", "result=\"done\"") == 3)
        #expect(value("item_results_total", "result=\"failed\"") == 1)
        #expect(value("item_failures_total", "error=\"http_404\"") == 1)
        #expect(value("outputs_total", "result=\"made\"") == 3)
        // The wide one is made of none of the three pictures.
        #expect(value("outputs_total", "result=\"skipped\"") == 3)
        #expect(value("requests_total", "\(host),status=\"404\"") == 1)
        #expect(sum("requests_total", metrics.samples) == Double(job.server.requests.count - requests))
        #expect(
            value("request_duration_seconds_count", host) == sum("requests_total", metrics.samples)
        )
        #expect(value("hosts_down", host) == 0)
        #expect(value("run_active", "") == 0 && value("last_run_exit_code", "") == 1)
        #expect(value("runs_total", "exit=\"1\"") == 1 && value("runs_total", "exit=\"0\"") == 0)
        // Nothing has succeeded yet.
        #expect(value("last_success_timestamp_seconds", "") == nil)
        let after = Date().timeIntervalSince1970
        for time in ["last_run_start", "last_run_end", "last_completion", "written"] {
            let seconds = try #require(value("\(time)_timestamp_seconds", ""), "\(time)")
            #expect((before...after).contains(seconds), "\(time)")
        }
        #expect(value("run_duration_seconds", "").map { (0...after - before).contains($0) } == true)
        #expect(metrics.types["nuke_batch_requests"] == "counter")
        #expect(metrics.units["nuke_batch_response_bytes"] == "bytes")
    }

    @Test("the older format has the same samples, and names counters by them")
    func olderFormat() async throws {
        let job = try await ToldJob()
        let words = ["run", "job.json", "--metrics", "job.prom", "--metrics-format"]
        _ = try await job.nukeBatch(words + ["openmetrics"])
        let types = try OpenMetricsText(text(job.folder)).types
        let keys = try samples(job.folder).keys.sorted()
        _ = try await job.nukeBatch(words + ["prometheus"])
        let lines = try text(job.folder).split(separator: "\n").map(String.init)
        #expect(!lines.contains { $0.hasPrefix("# UNIT") || $0.hasPrefix("# EOF") })
        for (family, type) in types {
            let name = type == "counter" ? family + "_total" : family
            #expect(lines.contains("# TYPE \(name) \(type)"), "\(name)")
        }
        #expect(lines.filter { !$0.hasPrefix("#") }.map { $0.prefix { $0 != "}" } + "}" }.sorted() == keys)
        let refused = try await job.nukeBatch(words + ["xml"])
        #expect(refused.exit == 2 && refused.errors.contains("--metrics-format"))
    }

    @Test("counters grow over runs, and a success has its time")
    func growOverRuns() async throws {
        let server = try LoopbackServer.tinyPictures()
        let job = try JobFolder()
        try job.writeCopies((1...5).map { "\"\(server.address)/\($0).png\"" }, path: "{stem}.{ext}")
        try await job.run("--metrics", "job.prom")
        let first = try samples(job.folder)
        try await job.run("--metrics", "job.prom", "--revalidate")
        let second = try samples(job.folder)
        for (name, value) in first where name.contains("_total{") || name.contains("_bucket{") {
            #expect(try #require(second[name]) >= value, "\(name)")
        }
        let done = #"nuke_batch_item_results_total{manifest="job",result="done"}"#
        let runs = #"nuke_batch_runs_total{manifest="job",exit="0"}"#
        #expect(first[done] == 5 && second[done] == 10 && first[runs] == 1 && second[runs] == 2)
        #expect(sum("requests_total", second) == Double(server.requests.count))
        let success = #"nuke_batch_last_success_timestamp_seconds{manifest="job"}"#
        #expect(try #require(second[success]) > #require(first[success]))
        let sources = second.filter { $0.key.hasPrefix("nuke_batch_originals_total{") }
        #expect(sources.values.reduce(0, +) == 10)
    }

    @Test("a killed run loses no finished item and counts none twice")
    func killed() async throws {
        // The requests until the run is killed, and the run.
        let trap = Shared<(left: Int, program: Program?)>((0, nil))
        let server = try LoopbackServer { request in
            trap.change { trap in
                trap.left -= 1
                if trap.left == 0 { trap.program?.signal(SIGKILL) }
            }
            return LoopbackServer.tinyPicture(for: request)
        }
        let job = try JobFolder()
        try job.writeCopies(
            (1...400).map { "\"\(server.address)/\($0).png\"" },
            path: "{stem}.{ext}",
            #", "loading": {"rate": "5000/s", "burst": 1000}"#
        )
        for moment in [60, 90] {
            let program = try Program("nuke-batch", ["run", "job.json"], in: job.folder.path)
            trap.value = (moment, program)
            #expect(await program.wait().exit == 128 + SIGKILL)
            trap.value = (0, nil)
        }
        try await job.run("--metrics", "job.prom")
        let samples = try samples(job.folder)
        #expect(samples[#"nuke_batch_item_results_total{manifest="job",result="done"}"#] == 400)
        #expect(samples[#"nuke_batch_outputs_total{manifest="job",result="made"}"#] == 400)
        #expect(samples[#"nuke_batch_runs_total{manifest="job",exit="killed"}"#] == 2)
        #expect(samples[#"nuke_batch_runs_total{manifest="job",exit="0"}"#] == 1)
        // The counts of requests are those of the network log: a kill loses the last batch, and what is under way.
        let counted = sum("requests_total", samples)
        let answered = Double(server.requests.count)
        #expect(counted <= answered && counted >= 400 - 2 * (32 + 32), "\(counted) of \(answered)")
    }

    @Test("a host that does not answer is down in its class, also after the run")
    func hostDown() async throws {
        let closed = ClosedPort()
        let server = try LoopbackServer.tinyPictures()
        let job = try JobFolder()
        let urls = [closed.address, server.address].flatMap { address in
            (1...20).map { "\"\(address)/\($0).png\"" }
        }
        try job.write(
            """
            "sources": [{"urls": [\(urls.joined(separator: ", "))]}], "retry": {"backoff": "10ms..20ms"}
            """
        )
        // The first run leaves the host alone for a while; the next one tries it once more, and gives it up.
        let told = DispatchSemaphore(value: 0)
        let words = ["warm", "job.json", "--json", "--metrics", "job.prom"]
        let first = try Program("nuke-batch", words, in: job.folder.path) { line in
            if line.contains("host_waiting"), line.contains("\"unreachable\"") { told.signal() }
        }
        await told.signalled()
        first.signal(SIGTERM)
        #expect(await first.wait().exit == 143)
        let second = try await job.nukeBatch("warm", "job.json", "--metrics", "job.prom")
        #expect(second.exit == 1, "\(second.output)\(second.errors)")
        let samples = try samples(job.folder)
        let down = { (port: UInt16) in
            samples["nuke_batch_hosts_down{manifest=\"job\",host_class=\"127.0.0.1:\(port)\"}"]
        }
        #expect(down(closed.number) == 1 && down(server.port) == 0)
        let none = "host_class=\"127.0.0.1:\(closed.number)\",status=\"none\""
        #expect(try #require(samples["nuke_batch_requests_total{manifest=\"job\",\(none)}"]) >= 5)
        let waits = samples[#"nuke_batch_waiting_seconds_total{manifest="job",cause="unreachable"}"#]
        #expect(try #require(waits) > 0)
    }

    @Test("a partition is a label of its own")
    func partition() async throws {
        let server = try LoopbackServer.tinyPictures()
        let job = try JobFolder()
        try job.writeCopies((1...3).map { "\"\(server.address)/\($0).png\"" }, path: "{stem}.{ext}")
        try await job.run("--metrics", "job.prom", "--shard", "1/2")
        let samples = try samples(job.folder)
        #expect(samples[#"nuke_batch_run_active{manifest="job",partition="1/2"}"#] == 0)
        #expect(samples.keys.allSatisfy { $0.contains(#"{manifest="job",partition="1/2""#) })
    }

    @Test("the file may have a name of one character")
    func shortName() async throws {
        let job = try JobFolder()
        try job.write(#""sources": [{"urls": []}]"#)
        try await job.run("--metrics", "m")
        #expect(try job.data("m").count > 0)
    }

    @Test func refusesAFolderThatIsNotThere() async throws {
        let job = try await ToldJob()
        let requests = job.server.requests.count
        let run = try await job.nukeBatch(["run", "job.json", "--fresh", "--metrics", "nowhere/job.prom"])
        #expect(run.exit == 4 && run.errors.contains("nowhere/job.prom"))
        #expect(job.server.requests.count == requests)
    }
}
