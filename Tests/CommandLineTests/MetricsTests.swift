import Foundation
import LoopbackServer
import TestSupport
import Testing

/// `--metrics`: the figures of a run as Prometheus reads them.
@Suite(.timeLimit(.minutes(10))) struct MetricsTests {
    @Test func tellsTheRunInTheTextFormat() async throws {
        let job = try await ToldJob()
        let run = try await job.nukeBatch(["run", "job.json", "--fresh", "--metrics", "job.prom"])
        #expect(run.exit == 1, "\(run.errors)")
        let text = try String(contentsOfFile: job.folder.path("job.prom"), encoding: .utf8)
        #expect(
            text.hasSuffix("\n") && !FileManager.default.fileExists(atPath: job.folder.path("job.prom.new"))
        )
        var types: [String: String] = [:]
        var helps: Set<String> = []
        var samples: [String: Double] = [:]
        for line in text.split(separator: "\n").map(String.init) {
            let words = line.split(separator: " ", maxSplits: 3).map(String.init)
            if line.hasPrefix("# HELP ") {
                #expect(helps.insert(words[2]).inserted, "\(line)")
            } else if line.hasPrefix("# TYPE ") {
                types[words[2]] = words[3]
            } else {
                let form = /^(nuke_batch_[a-z_]+)\{([a-z_]+="[^"\n]*"(?:,[a-z_]+="[^"\n]*")*)\} (-?[0-9.]+)$/
                let sample = try #require(line.wholeMatch(of: form), "\(line)")
                let name = String(sample.1)
                #expect(
                    types[name] == (name.hasSuffix("_total") ? "counter" : "gauge") && helps.contains(name)
                )
                samples["\(name){\(sample.2)}"] = Double(sample.3)
            }
        }
        let (name, host) = ("job=\"Told <job>\"", "127.0.0.1:\(job.server.port)")
        #expect(samples["nuke_batch_items{\(name),state=\"done\"}"] == 3)
        #expect(samples["nuke_batch_items{\(name),state=\"failed\"}"] == 1)
        #expect(samples["nuke_batch_failed_items{error=\"http_404\",\(name)}"] == 1)
        #expect(samples["nuke_batch_run_requests_total{host=\"\(host)\",\(name),status=\"404\"}"] == 1)
        #expect(samples["nuke_batch_run_outputs_total{\(name)}"] == 3)
        #expect(samples["nuke_batch_run_active{\(name)}"] == 0)
        #expect(samples["nuke_batch_last_run_exit_code{\(name)}"] == 1)
        let end = try #require(samples["nuke_batch_last_run_end_time_seconds{\(name)}"])
        #expect(abs(end - Date().timeIntervalSince1970) < 600)
        #expect(!text.contains("SECRET"))
    }

    @Test func refusesAFolderThatIsNotThere() async throws {
        let job = try await ToldJob()
        let requests = job.server.requests.count
        let run = try await job.nukeBatch(["run", "job.json", "--fresh", "--metrics", "nowhere/job.prom"])
        #expect(run.exit == 4 && run.errors.contains("nowhere/job.prom"))
        #expect(job.server.requests.count == requests)
    }
}
