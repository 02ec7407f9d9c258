import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import JobStorage
import Originals
import Testing

@testable import JobReports

@Suite struct DiagnosisTests {
    private func findings(_ job: PlannedJob, _ subject: String) async -> [Diagnosis.Finding] {
        await Diagnosis(job.manifest).findings.filter { $0.subject == subject }
    }

    @Test("without a manifest the program, its libraries and the limits are checked")
    func machine() async {
        let diagnosis = await Diagnosis()
        #expect(diagnosis.findings.first?.subject == "program")
        #expect(
            Set(diagnosis.findings.map(\.subject)) == [
                "program", "library", "certificates", "parquet", "sandbox", "open files",
            ]
        )
        #expect(diagnosis.findings.count { $0.subject == "library" } >= 5)
    }

    @Test("a job that was never run has no state, no lock and no cache")
    func never() async throws {
        let manifest = try ManifestFolder().read(PlannedJob.manifest(["https://a.example/1.jpg"]))
        let findings = await Diagnosis(manifest).findings
        let state = findings.filter { $0.subject == "state" }
        #expect(state.count == 1 && state[0].verdict == .ok)
        #expect(state[0].message.hasSuffix("/.nuke-batch/job.sqlite does not exist: the job was never run"))
        #expect(!findings.contains { $0.subject == "lock" })
        #expect(
            findings.first { $0.subject == "cache" }?.message
                == "\(manifest.cache.directory) does not exist yet"
        )
        let disks = findings.filter { $0.subject == "disk" }
        #expect(disks.count == 3 && disks.allSatisfy { $0.message.contains(" free for the ") })
        #expect(disks.map { $0.message.contains("destination") } == [false, false, true])
    }

    @Test("an intact state is in order, and held while a run has it")
    func intact() async throws {
        let job = try PlannedJob(items: 1)
        let state = await findings(job, "state")
        #expect(state.map(\.verdict) == [.ok] && state[0].message.contains(" is intact ("), "\(state)")
        #expect(await findings(job, "lock").map(\.message) == ["no run holds the job"])
        let store = try job.open()
        defer { store.close() }
        let lock = try #require(await findings(job, "lock").first)
        #expect(
            lock.verdict == .note && lock.message.hasSuffix("holds the job")
                && lock.message != "no run holds the job"
        )
    }

    @Test("a damaged state is trouble, and the remedy rebuilds it")
    func damaged() async throws {
        let job = try PlannedJob(items: 1)
        let path = job.options.statePath(of: job.manifest)
        try Data(repeating: 0xA5, count: 8192).write(to: URL(fileURLWithPath: path))
        let diagnosis = await Diagnosis(job.manifest)
        #expect(diagnosis.hasTrouble)
        let finding = try #require(diagnosis.findings.first { $0.subject == "state" })
        #expect(finding.verdict == .trouble && finding.message.contains(" is damaged: "))
        #expect(finding.remedy?.hasPrefix("nuke-batch doctor ") == true)
        #expect(finding.remedy?.hasSuffix(" --rebuild") == true)
    }

    @Test("permissions of others are found: to write is trouble, to read is worth a note")
    func permissions() async throws {
        let job = try PlannedJob(items: 1)
        let path = job.options.statePath(of: job.manifest)
        let folder = (path as NSString).deletingLastPathComponent
        let manager = FileManager.default
        try manager.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(await findings(job, "state").map(\.verdict) == [.ok, .note])
        try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        try manager.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
        let state = await findings(job, "state")
        #expect(state.map(\.verdict) == [.ok, .trouble] && state[1].remedy == "chmod go-w \(folder)")
        #expect(state[1].message == "other users can write to \(folder)")
    }

    @Test("a cache is counted; one that cannot be opened is trouble; one that is off is not looked for")
    func cache() async throws {
        let job = try PlannedJob(items: 1)
        let folder = job.manifest.cache.directory
        let cache = try DataCache(path: URL(fileURLWithPath: folder, isDirectory: true))
        cache.storeData(Data(repeating: 1, count: 1500), for: "a")
        cache.flush()
        cache.close()
        let found = try #require(await findings(job, "cache").first)
        #expect(found.verdict == .ok)
        #expect(found.message == "\(folder) has 1 original (1.5 kB of 10.0 GB)")
        try FileManager.default.removeItem(atPath: folder)
        try Data("no folder".utf8).write(to: URL(fileURLWithPath: folder))
        let broken = try #require(await findings(job, "cache").first)
        #expect(broken.verdict == .trouble && broken.remedy?.contains("cache.directory") == true)
        let off = try PlannedJob(
            PlannedJob.manifest(["https://a.example/1.jpg"]).replacing(
                #""directory": "cache""#,
                with: #""policy": "none""#
            )
        )
        #expect(
            await findings(off, "cache").map(\.message) == ["cache.policy is none: originals are not cached"]
        )
    }

    @Test("the limit of open files is compared with what the manifest's concurrency needs")
    func openFiles() async throws {
        let few = try #require(await findings(try PlannedJob(items: 1), "open files").first)
        #expect(few.message.hasPrefix("the limit is ") && few.message.contains("; a run needs up to "))
        let job = try PlannedJob(items: 1, more: #", "loading": {"concurrency": 1024}"#)
        let many = try #require(await findings(job, "open files").first)
        #expect(many.message.hasSuffix("a run needs up to \(2 * 1024 + 64)"))
        #expect((many.verdict == .trouble) == (many.remedy != nil))
    }

    @Test("JSON has all keys of a finding")
    func json() async throws {
        let data = try JSONEncoder().encode(await Diagnosis())
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let findings = try #require(object["findings"] as? [[String: Any]])
        #expect(findings.allSatisfy { $0.keys.sorted() == ["message", "remedy", "subject", "verdict"] })
    }
}

@Suite struct LibraryFindingsTests {
    @Test(
        "flaws are told of versions before the fix, and only of these",
        arguments: [
            ("SQLite 3.51.2", true), ("SQLite 3.51.3", false), ("SQLite 3.9.0", true), ("SQLite 4.0", false),
            ("libcurl/8.3.0 OpenSSL/3.0", true), ("libcurl/8.4.0", false), ("libcurl/8.10.1", false),
            ("libwebp 1.3.1", true), ("libwebp 1.3.2", false), ("libwebp 1.3.10", false),
            ("LIBPNG 1.6.50", true),
            ("libpng 1.6.51", false), ("libjpeg-turbo 2.1.5", false), ("zlib 1.0", false),
        ]
    )
    func flaws(library: String, isFlawed: Bool) {
        let finding = LibraryFindings.finding(library)
        #expect(finding.subject == "library" && (finding.verdict == .note) == isFlawed, "\(finding)")
        #expect(finding.message.hasPrefix(library) && (finding.message == library) != isFlawed)
    }
}
