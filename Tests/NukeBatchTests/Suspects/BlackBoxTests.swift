import Foundation
import NukeBatch
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct BlackBoxTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("job.inflight")
    }

    private func change(_ bytes: [UInt8], at offset: UInt64) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data(bytes))
        try file.close()
    }

    @Test("it lies beside the state, and names what is being worked on")
    func slots() throws {
        #expect(BlackBox.path(besideState: "/a/.nuke-batch/job.sqlite") == "/a/.nuke-batch/job.inflight")
        let box = try BlackBox(path: path, slots: 3)
        #expect(BlackBox.suspects(at: path) == [])
        let first = box.enter(11, .decode)
        let second = box.enter(12, .header)
        let third = box.enter(13, .decode)
        #expect(box.enter(14, .decode) == nil, "there are three slots")
        #expect(Set(BlackBox.suspects(at: path)) == [11, 12, 13])
        box.note(.encode, in: first)
        box.leave(second)
        #expect(Set(BlackBox.suspects(at: path)) == [11, 13])
        #expect(box.enter(15, .decode) != nil)
        box.leave(first)
        box.leave(third)
        #expect(BlackBox.suspects(at: path) == [15])
        let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(permissions == 0o600)
        box.remove()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("a new run begins with an empty one, also over one that is larger")
    func anew() throws {
        let box = try BlackBox(path: path, slots: 200)
        for item in 1...200 { _ = box.enter(Int64(item), .decode) }
        #expect(BlackBox.suspects(at: path).count == 200)
        _ = try BlackBox(path: path, slots: 4)
        #expect(BlackBox.suspects(at: path) == [])
    }

    @Test("another boot, a stop by a signal and what is no black box name nobody")
    func nobody() throws {
        #expect(BlackBox.suspects(at: path) == [], "there is none")
        for offset in [0, 8, 16, 51] as [UInt64] {
            let box = try BlackBox(path: path, slots: 4)
            _ = box.enter(7, .decode)
            #expect(BlackBox.suspects(at: path) == [7])
            try change([0x7E], at: offset)
            #expect(BlackBox.suspects(at: path) == [], "byte \(offset)")
        }
        let box = try BlackBox(path: path, slots: 4)
        _ = box.enter(7, .decode)
        box.noteStop()
        #expect(BlackBox.suspects(at: path) == [])
        for count in [0, 10, 63, 64, 65, 79] {
            let whole = try BlackBox(path: path, slots: 4)
            _ = whole.enter(7, .decode)
            try FileHandle(forWritingTo: URL(fileURLWithPath: path)).truncate(atOffset: UInt64(count))
            #expect(BlackBox.suspects(at: path) == [], "cut to \(count)")
            try FileManager.default.removeItem(atPath: path)
        }
    }
}
