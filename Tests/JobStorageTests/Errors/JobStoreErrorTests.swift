import JobStorage
import SQLite
import Testing

@Suite struct JobStoreErrorTests {
    private let cases: [(error: JobStoreError, says: [String])] = [
        (.locked(by: 7, path: "/x.sqlite"), ["process 7", "/x.sqlite", "wait"]),
        (.locked(by: nil, path: "/x.sqlite"), ["another run holds", "/x.sqlite"]),
        (.damaged(path: "/x.sqlite", detail: "row missing"), ["row missing", "--rebuild", "--fresh"]),
        (.newer(detail: "schema 99"), ["schema 99"]),
        (.older(path: "/x.sqlite"), ["/x.sqlite", "run"]),
        (.notWritable(path: "/folder", detail: "read-only"), ["/folder", "read-only", "--state"]),
        (.notPrivate(path: "/folder", permissions: 0o777), ["777", "chmod go-w", "--state"]),
        (.refused(item: 5, event: .finish), ["item 5", "finish"]),
        (.noRun, ["run"]),
        (.closed, ["closed"]),
    ]

    @Test("each error names the problem, the path and the remedy")
    func descriptions() {
        for (error, words) in cases {
            for word in words { #expect(error.description.contains(word), "\(error)") }
        }
        let locked = JobStoreError.locked(by: nil, path: "/x.sqlite")
        #expect(!locked.description.contains("process"))
    }

    @Test("a closed store says so, also to its reader")
    func closed() throws {
        let store = try TestJob().open()
        store.close()
        #expect {
            try store.reader.counts()
        } throws: { error in
            guard case .closed = error as? JobStoreError else { return false }
            return true
        }
        #expect(throws: JobStoreError.self) { try store.beginRun(version: "1") }
    }
}
