import Foundation
import LoopbackServer
import TestSupport
import Testing

/// `doctor`: what it says of a whole and of a damaged state, and a rebuilt one, which must claim nothing that is not so.
@Suite(.timeLimit(.minutes(10))) struct DoctorTests {
    private static let state = ".nuke-batch/job.sqlite"

    /// Overwrites a part of the state's file, a share of its length from `start` on.
    private func damage(_ job: ToldJob, from start: Double, bytes: Int) throws {
        let url = URL(fileURLWithPath: job.folder.path(Self.state))
        var data = try Data(contentsOf: url)
        let first = Int(Double(data.count) * start)
        data.replaceSubrange(
            first..<min(data.count, first + bytes),
            with: Data(repeating: 0xA5, count: bytes)
        )
        try data.write(to: url)
    }

    private func states(_ job: ToldJob) async throws -> [String] {
        try ToldJob.objects(try await job.nukeBatch(["items", "job.json", "--json"])).compactMap {
            $0["state"] as? String
        }
    }

    @Test func findsNothingWrongWithAWholeJob() async throws {
        let job = try await ToldJob()
        let doctor = try await job.nukeBatch(["doctor", "job.json", "--json"])
        #expect(doctor.exit == 0, "\(doctor.output)\(doctor.errors)")
        let findings = try #require(try ToldJob.objects(doctor).first?["findings"] as? [[String: Any]])
        let subjects = Set(findings.compactMap { $0["subject"] as? String })
        #expect(
            subjects.isSuperset(of: ["program", "library", "open files", "state", "lock", "cache", "disk"])
        )
        #expect(findings.allSatisfy { $0.count == 4 && $0["verdict"] as? String != "trouble" })
        #expect(findings.contains { ($0["message"] as? String)?.contains("SQLite 3.") == true })
        #expect(
            findings.contains { ($0["message"] as? String)?.contains("3 originals") == true },
            "\(doctor.output)"
        )
        let alone = try await job.nukeBatch(["doctor"])
        #expect(alone.exit == 0 && alone.output.contains("libcurl"))

        let rebuild = try await job.nukeBatch(["doctor", "job.json", "--rebuild"])
        #expect(rebuild.exit == 0 && rebuild.errors.contains("nothing to rebuild"))
        let requests = job.server.requests.count
        #expect(try await states(job) == ["done", "done", "failed", "done"])
        #expect(job.server.requests.count == requests)
    }

    @Test func namesTheRemedyOfADamagedState() async throws {
        let job = try await ToldJob()
        try damage(job, from: 0, bytes: 4096)
        for words in [["run", "job.json"], ["status", "job.json"], ["doctor", "job.json"]] {
            let outcome = try await job.nukeBatch(words)
            #expect(outcome.exit == 4, "\(words)")
            #expect((outcome.output + outcome.errors).contains("--rebuild"), "\(words): \(outcome.errors)")
        }
    }

    /// With nothing left to read, all waits; what is cached is not requested again, and the outputs are the same.
    @Test func makesAllAnewFromTheCacheWhereNothingCanBeRead() async throws {
        let job = try await ToldJob()
        let before = try Data(contentsOf: URL(fileURLWithPath: job.folder.path("out/small/1.jpg")))
        try damage(job, from: 0, bytes: 1 << 20)
        let rebuild = try await job.nukeBatch(["doctor", "job.json", "--rebuild"])
        #expect(rebuild.exit == 0, "\(rebuild.output)\(rebuild.errors)")
        #expect(try await states(job) == ["pending", "pending", "pending", "pending"])
        let names = try FileManager.default.contentsOfDirectory(atPath: job.folder.path(".nuke-batch"))
        #expect(names.contains { $0.hasPrefix("job.sqlite.damaged-") }, "\(names)")
        let requests = job.server.requests.count
        let run = try await job.nukeBatch(["run", "job.json"])
        #expect(run.exit == 1)
        // The missing one alone.
        #expect(job.server.requests.count == requests + 1)
        #expect(try Data(contentsOf: URL(fileURLWithPath: job.folder.path("out/small/1.jpg"))) == before)
    }

    /// The state says it is whole but for an index: all rows can be read, and each is believed only with its file.
    @Test func takesOverWhatIsProved() async throws {
        let job = try await ToldJob()
        try DamagedState.breakIndex(at: job.folder.path(Self.state))
        // One output is not what was recorded, one is gone.
        try job.folder.write("another", to: "out/small/1.jpg")
        try FileManager.default.removeItem(atPath: job.folder.path("out/small/2.jpg"))
        #expect(try await job.nukeBatch(["doctor", "job.json"]).exit == 4)
        let rebuild = try await job.nukeBatch(["doctor", "job.json", "--rebuild"])
        #expect(rebuild.exit == 0, "\(rebuild.output)\(rebuild.errors)")
        #expect(rebuild.errors.contains("2 of 4 items keep their results"), "\(rebuild.errors)")
        #expect(try await states(job) == ["pending", "pending", "failed", "done"])

        let requests = job.server.requests.count
        let run = try await job.nukeBatch(["run", "job.json"])
        #expect(run.exit == 1 && run.output.contains("2 made"), "\(run.output)")
        #expect(job.server.requests.count == requests, "all originals were cached, and a 404 waits for retry")
        #expect(try await states(job) == ["done", "done", "failed", "done"])
    }
}
