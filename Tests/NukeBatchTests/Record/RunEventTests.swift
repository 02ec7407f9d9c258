import Foundation
import JobFixtures
import JobPlanning
import JobStorage
import Testing

@testable import Originals
@testable import NukeBatch

@Suite struct RunEventTests {
    private let job: RunningJob
    private let time = Date(timeIntervalSince1970: 1_767_225_600.25)
    private let timeText = #""time":"2026-01-01T00:00:00.250Z""#

    init() throws {
        job = try RunningJob()
    }

    @Test("the start tells the job and its items")
    func started() {
        let line = RunEvent.runStarted(job: "a \"b\"/c\n", items: 3).line(at: time)
        #expect(line == #"{"event":"run_started","items":3,"job":"a \"b\"/c\n",\#(timeText)}"#)
    }

    @Test("a wait tells its end, and null if nobody knows it")
    func waits() throws {
        let held = HostRateLimiter.Waiting(
            host: "a.example:81",
            count: 2,
            reason: .held,
            remaining: .seconds(60)
        )
        let known = try #require(HostWait(held, now: time))
        #expect(
            RunEvent.hostWaiting(known).line(at: time)
                == #"{"event":"host_waiting","host":"a.example:81","reason":"retry_after",\#(timeText),"#
                + #""until":"2026-01-01T00:01:00.250Z"}"#
        )
        let out = HostRateLimiter.Waiting(host: "b.example", count: 1, reason: .outage, remaining: nil)
        let unknown = try #require(HostWait(out, now: time))
        #expect(
            RunEvent.hostWaiting(unknown).line(at: time)
                == #"{"event":"host_waiting","host":"b.example","reason":"outage",\#(timeText),"until":null}"#
        )
    }

    @Test("the end tells every count of the report")
    func finished() {
        var report = RunReport()
        (report.exit, report.made, report.reused, report.skipped, report.failed) = (.workLeft, 1, 2, 3, 4)
        (report.networkBytes, report.cacheBytes, report.seconds) = (5, 6, 7.5)
        (report.confirmed, report.changed, report.stale) = (8, 9, ["timeout": 10])
        report.edge = EdgeCounts(hits: 11, misses: 12)
        report.newFailures = 2
        (report.warnings, report.trouble) = (["the manifest has no items"], "the disk is full")
        #expect(
            RunEvent.runFinished(report).line(at: time)
                == #"{"cacheBytes":6,"changed":9,"confirmed":8,"edgeHits":11,"edgeMisses":12,"#
                + #""event":"run_finished","exit":5,"failed":4,"made":1,"networkBytes":5,"newFailures":2,"reused":2,"#
                + #""seconds":7.5,"skipped":3,"stale":{"timeout":10},"stopped":"the disk is full",\#(timeText),"#
                + #""warnings":["the manifest has no items"]}"#
        )
    }

    @Test("an item tells its outputs, in the order of their names, and null for what is unknown")
    func item() async throws {
        let items = try await job.claim(urls: ["https://a.example/1.jpg?x=/y"])
        let listing = ItemListing(
            items[0],
            state: .failed,
            error: "corrupt",
            message: "cut",
            outputs: [output("web", .failed, reason: "corrupt: cut"), output("small")],
            facts: nil
        )
        let hash = String(repeating: "a1", count: 32)
        #expect(
            RunEvent.itemFinished(listing).line(at: time)
                == #"{"event":"item_finished","item":{"attempts":1,"error":"corrupt","facts":null,"id":null,"#
                + #""index":1,"message":"cut","outputs":[{"bytes":4,"format":null,"height":2,"name":"small","#
                + #""path":"small.jpg","quality":null,"reason":null,"sha256":"\#(hash)","shortfall":null,"#
                + #""ssimulacra2":null,"state":"done","width":3},"#
                + #"{"bytes":null,"format":null,"height":null,"name":"web","path":null,"quality":null,"#
                + #""reason":"corrupt: cut","sha256":null,"shortfall":null,"ssimulacra2":null,"#
                + #""state":"failed","width":null}],"priority":"normal","state":"failed","#
                + #""twin":null,"url":"https://a.example/1.jpg?x=/y"},\#(timeText)}"#
        )
    }

    @Test("events print as lines for people")
    func printed() async throws {
        #expect("\(RunEvent.runStarted(job: "photos", items: 1))" == "photos: 1 item")
        let held = HostRateLimiter.Waiting(
            host: "a.example:81",
            count: 2,
            reason: .held,
            remaining: .seconds(60)
        )
        let wait = try #require(HostWait(held, now: time))
        #expect(
            "\(RunEvent.hostWaiting(wait))" == "a.example:81 asks for a pause, until 2026-01-01T00:01:00.250Z"
        )
        var report = RunReport()
        (report.made, report.failed, report.left, report.trouble) = (1, 2, 3, "the disk is full")
        #expect(
            "\(RunEvent.runFinished(report))"
                == "1 made, 0 reused, 0 skipped, 2 failed, 3 left: the disk is full"
        )
        let item = try await job.claim(urls: ["https://me:secret@a.example/1.jpg?signature=secret"])[0]
        func text(_ state: ItemState, _ error: String?, _ message: String?, _ outputs: [OutputRecord])
            -> String
        {
            let listing = ItemListing(
                item,
                state: state,
                error: error,
                message: message,
                outputs: outputs,
                facts: nil
            )
            return "\(RunEvent.itemFinished(listing))"
        }
        let url = "https://redacted@a.example/1.jpg?…"
        #expect(text(.failed, "corrupt", "cut\nshort", []) == "failed \(url): corrupt: cut short")
        #expect(
            text(.done, nil, nil, [output("small"), output("web")]) == "done \(url) → small.jpg, web.jpg"
        )
        #expect(
            text(.failed, nil, nil, [output("web", .failed, reason: "corrupt: cut")])
                == "failed \(url): web: corrupt: cut"
        )
        #expect(text(.skipped, nil, nil, []) == "skipped \(url)")
    }
}
