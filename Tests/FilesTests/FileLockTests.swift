import Files
import Foundation
import TestSupport
import Testing

@Suite struct FileLockTests {
    @Test("one holder at a time, who is named")
    func exclusive() throws {
        let folder = try TemporaryFolder()
        var first: FileLock? = try FileLock(path: folder.path("job.lock"))
        #expect(first != nil)
        do {
            _ = try FileLock(path: folder.path("job.lock"))
            Issue.record("two locks at once")
        } catch FileLock.Failure.held(let holder) {
            #expect(holder == getpid())
        }
        first = nil
        _ = try FileLock(path: folder.path("job.lock"))
    }

    @Test("a folder that is missing is named")
    func missing() throws {
        let folder = try TemporaryFolder()
        #expect(throws: FileLock.Failure.self) { try FileLock(path: folder.path("none/job.lock")) }
    }
}
