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
        do {
            _ = try FileLock(path: folder.path("none/job.lock"))
            Issue.record("a lock without a folder")
        } catch FileLock.Failure.file(let error) {
            #expect(error == FileError("open the lock", folder.path("none/job.lock"), code: ENOENT))
        }
    }

    @Test("a symbolic link is refused, and its target stays as it is")
    func link() throws {
        let folder = try TemporaryFolder()
        let target = try folder.write("precious", to: "target")
        let path = folder.path("job.lock")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        do {
            _ = try FileLock(path: path)
            Issue.record("a lock through a symbolic link")
        } catch FileLock.Failure.file(let error) {
            #expect(error == FileError("open the lock", path, code: ELOOP))
        }
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "precious")
    }

    @Test("the file holds the process id alone, and stays when the lock goes")
    func content() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("4711471147114711\nand more\n", to: "job.lock")
        do {
            let lock = try FileLock(path: path)
            defer { withExtendedLifetime(lock) {} }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "\(getpid())\n")
        }
        #expect(FileManager.default.fileExists(atPath: path))
        _ = try FileLock(path: folder.path("new.lock"))
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("new.lock"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("a holder that has not written its number yet is waited for", arguments: [true, false])
    func lateHolder(leavesNumber: Bool) throws {
        let folder = try TemporaryFolder()
        let ended = Process()
        ended.executableURL = URL(fileURLWithPath: "/bin/true")
        try ended.run()
        ended.waitUntilExit()
        let path = try folder.write(leavesNumber ? "\(ended.processIdentifier)\n" : "", to: "job.lock")
        let file = open(path, O_RDWR)
        defer { close(file) }
        try #require(flock(file, LOCK_EX | LOCK_NB) == 0)
        let text = Array("\(getpid())\n".utf8)
        // A thread that runs already: one that has to be started could come too late on a busy machine.
        let (ready, asked) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            ready.signal()
            asked.wait()
            usleep(5000)
            _ = ftruncate(file, 0)
            _ = pwrite(file, text, text.count, 0)
        }
        ready.wait()
        asked.signal()
        do {
            _ = try FileLock(path: path)
            Issue.record("two locks at once")
        } catch FileLock.Failure.held(let holder) {
            #expect(holder == getpid())
        }
    }

    @Test("a holder that names itself wrongly or not at all is unknown", arguments: ["", "none\n", "-\n"])
    func unknownHolder(content: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(content, to: "job.lock")
        let file = open(path, O_RDWR)
        defer { close(file) }
        try #require(flock(file, LOCK_EX | LOCK_NB) == 0)
        do {
            _ = try FileLock(path: path)
            Issue.record("two locks at once")
        } catch FileLock.Failure.held(let holder) {
            #expect(holder == nil)
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == content)
    }
}
