import Foundation
import JobStorage
import SQLite
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct RecoveryTests {
    /// A copy of the job's files as they are now: what a power cut at this moment leaves.
    private func cut(_ job: TestJob) throws -> TestJob {
        let copy = try TestJob()
        try FileManager.default.createDirectory(
            atPath: copy.folder.path("state"),
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        for ending in ["", "-wal"] where FileManager.default.fileExists(atPath: job.path + ending) {
            try FileManager.default.copyItem(atPath: job.path + ending, toPath: copy.path + ending)
        }
        return copy
    }

    @Test("after an unclean end what was acknowledged is there, and what was held waits again")
    func uncleanEnd() async throws {
        let job = try TestJob()
        let store = try job.open()
        try store.plan((1...6).map { row($0) })
        _ = try store.beginRun(version: "1")
        let items = try await store.claim(limit: 4)
        try await store.record(done(items[0]), of: items[0])

        let after = try cut(job).open()
        #expect(after.endedUncleanly)
        #expect(after.orphans == 3)
        #expect(
            try after.reader.items().map(\.state) == [
                .done, .pending, .pending, .pending, .pending, .pending,
            ]
        )
        #expect(try after.reader.items().map(\.attempts) == [1, 0, 0, 0, 0, 0])
        let dead = try #require(try after.reader.runs().first)
        #expect(dead.ended != nil && dead.exit == nil)
        _ = try after.beginRun(version: "1")
        #expect(try await after.claim(limit: 100).count == 5)
        #expect(try after.reader.items().map(\.attempts) == [1, 1, 1, 1, 1, 1])
        try after.endRun(exit: 0)
        #expect(try after.reader.counts()[.pending] == 5)
        #expect(try after.reader.items().map(\.attempts) == [1, 0, 0, 0, 0, 0])
    }

    @Test("a cut in a first planning, and in a later one, loses only that planning")
    func uncleanPlanning() throws {
        let job = try TestJob()
        let store = try job.open()
        let first = try store.beginPlanning(manifestSHA256: "m")
        try first.add((1...45_000).map { row($0) })
        let after = try cut(job).open()
        #expect(try after.reader.revision() == nil)
        #expect(try after.plan([row(1)]).new == 1)

        _ = try first.finish(lists: "l", recipes: [small])
        let later = try store.beginPlanning(manifestSHA256: "n")
        try later.add((1...45_000).map { row($0 * 2) })
        let again = try cut(job).open()
        #expect(try again.reader.revision()?.manifestSHA256 == "m")
        #expect(try again.reader.counts()[.pending] == 45_000)
    }

    @Test("one store at a time, the holder is named, and its end frees the job")
    func lock() throws {
        let job = try TestJob()
        var store: JobStore? = try job.open()
        #expect(store != nil)
        do {
            _ = try job.open()
            Issue.record("two stores at once")
        } catch JobStoreError.locked(let holder, let path) {
            #expect(holder == ProcessInfo.processInfo.processIdentifier)
            #expect(path == job.path)
        }
        store?.close()
        store?.close()
        try job.open().close()
        store = nil
        #expect(FileManager.default.fileExists(atPath: job.folder.path("state/job.lock")))
    }

    @Test("a closed store refuses work")
    func closed() async throws {
        let store = try TestJob().open()
        try store.plan([row(1)])
        _ = try store.beginRun(version: "1")
        store.close()
        await #expect(throws: JobStoreError.self) { try await store.claim(limit: 1) }
    }

    @Test("files are the owner's alone, as is .nuke-batch, and a folder that others may write in is refused")
    func permissions() throws {
        let job = try TestJob()
        let store = try job.open()
        try store.plan([row(1)])
        func mode(_ name: String) throws -> Int? {
            let attributes = try FileManager.default.attributesOfItem(atPath: job.folder.path(name))
            return (attributes[.posixPermissions] as? NSNumber)?.intValue
        }
        #expect(try (mode("state") ?? 0) & 0o022 == 0)
        let own = job.folder.path("made/.nuke-batch/job.sqlite")
        try JobStore(path: own).close()
        #expect(try mode("made/.nuke-batch") == 0o700)
        #expect(try mode("made") != 0o700)
        for name in ["job.sqlite", "job.sqlite-wal", "job.lock"] {
            #expect(try mode("state/" + name) == 0o600)
        }
        store.close()
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o770],
            ofItemAtPath: job.folder.path("state")
        )
        let error = #expect(throws: JobStoreError.self) { try job.open() }
        #expect(error?.description.contains("chmod go-w") == true)
    }

    @Test("a folder that cannot be made is named with the remedy")
    func notWritable() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("a file", to: "file")
        let error = #expect(throws: JobStoreError.self) { try JobStore(path: file + "/state/job.sqlite") }
        #expect(error?.description.contains("--state-file FILE") == true)
    }

    @Test(
        "a damaged state is named and left as it is, never begun anew",
        arguments: ["empty", "text", "cut"]
    )
    func damaged(_ kind: String) throws {
        let job = try TestJob()
        let store = try job.open()
        try store.plan((1...2000).map { row($0) })
        store.close()
        let whole = try Data(contentsOf: URL(fileURLWithPath: job.path))
        let bytes =
            switch kind {
            case "empty": Data()
            case "text": Data(String(repeating: "no state ", count: 2000).utf8)
            default: Data(whole.prefix(whole.count / 2))
            }
        try bytes.write(to: URL(fileURLWithPath: job.path))
        #expect {
            try job.open()
        } throws: { error in
            guard case .damaged(job.path, _) = error as? JobStoreError else { return false }
            return "\(error)".contains("--fresh")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: job.path)) == bytes)
        let fresh = try JobStore(path: job.path, fresh: true)
        #expect(try fresh.reader.revision() == nil)
    }

    @Test("after an unclean end the file is checked")
    func checked() throws {
        let job = try TestJob()
        let store = try job.open()
        try store.plan((1...2000).map { row($0) })
        _ = try store.beginRun(version: "1")
        store.close()
        // A page in the middle, of the table or of an index: nothing reads it when the file is opened.
        var bytes = try Data(contentsOf: URL(fileURLWithPath: job.path))
        let middle = bytes.count / 2 / 4096 * 4096
        bytes.replaceSubrange(middle..<middle + 4096, with: Data(repeating: 0xa5, count: 4096))
        try bytes.write(to: URL(fileURLWithPath: job.path))
        #expect {
            try job.open()
        } throws: { error in
            guard case .damaged = error as? JobStoreError else { return false }
            return true
        }
    }

    @Test("a state too large to be checked each time is checked where the machine went down with the run")
    func largeState() throws {
        let job = try TestJob()
        let store = try job.open()
        let padding = String(repeating: "x", count: 5000)
        try store.plan(
            (1...14_000).map {
                NewItem(ordinal: $0, url: "https://a.example/\($0)?\(padding)", host: "a.example")
            }
        )
        _ = try store.beginRun(version: "1")
        store.close()
        #expect(try job.size() > 64_000_000)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: job.path))
        // A page in the middle holds rows of the table, as the URLs are nearly all of the file.
        let middle = bytes.count / 2 / 4096 * 4096
        bytes.replaceSubrange(middle..<middle + 4096, with: Data(repeating: 0xa5, count: 4096))
        try bytes.write(to: URL(fileURLWithPath: job.path))
        try Connection(path: job.path).execute("UPDATE run SET boot_id = 'another'")
        #expect {
            try job.open()
        } throws: { error in
            guard case .damaged = error as? JobStoreError else { return false }
            return true
        }
        // The same after the end of the process alone: what nobody reads is not looked for.
        let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        try Connection(path: job.path).execute("UPDATE run SET boot_id = '\(boot)'")
        #expect(try job.open().endedUncleanly)
    }

    /// Checks that `plan`, which works on a copy, names the file and not its copy.
    private func requireNoCopy(of job: TestJob) throws {
        let error = #expect(throws: JobStoreError.self) {
            try JobReader.copyState(at: job.path, to: job.path + ".copy")
        }
        #expect(error?.description.contains("\(job.path) ") == true, "\(error?.description ?? "")")
        #expect(!FileManager.default.fileExists(atPath: job.path + ".copy"))
    }

    @Test("a newer state and a foreign database are refused")
    func newer() throws {
        let job = try TestJob()
        try job.open().close()
        try Connection(path: job.path).execute("PRAGMA user_version = 99")
        #expect {
            try job.open()
        } throws: { error in
            guard case .newer(let detail) = error as? JobStoreError else { return false }
            return detail.contains("99")
        }
        #expect(throws: JobStoreError.self) { try JobReader(path: job.path) }
        try requireNoCopy(of: job)
        try Connection(path: job.path).execute("PRAGMA application_id = 1")
        #expect(throws: JobStoreError.self) { try job.open() }
        try requireNoCopy(of: job)
    }
}
