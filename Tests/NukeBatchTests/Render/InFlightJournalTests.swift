import Files
import Foundation
import TestSupport
import Testing

@testable import NukeBatch

@Suite(.timeLimit(.minutes(10))) struct InFlightJournalTests {
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
        #expect(
            InFlightJournal.path(besideState: "/a/.nuke-batch/job.sqlite") == "/a/.nuke-batch/job.inflight"
        )
        let box = try InFlightJournal(path: path, slots: 3)
        #expect(InFlightJournal.suspects(at: path) == [])
        let first = box.enter(11, .decode)
        let second = box.enter(12, .header)
        let third = box.enter(13, .decode)
        #expect(box.enter(14, .decode) == nil, "there are three slots")
        #expect(Set(InFlightJournal.suspects(at: path)) == [11, 12, 13])
        box.note(.encode, in: first)
        box.leave(second)
        #expect(Set(InFlightJournal.suspects(at: path)) == [11, 13])
        #expect(box.enter(15, .decode) != nil)
        box.leave(first)
        box.leave(third)
        #expect(InFlightJournal.suspects(at: path) == [15])
        let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(permissions == 0o600)
        box.remove()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("a new run begins with an empty one, also over one that is larger")
    func anew() throws {
        let box = try InFlightJournal(path: path, slots: 200)
        for item in 1...200 { _ = box.enter(Int64(item), .decode) }
        #expect(InFlightJournal.suspects(at: path).count == 200)
        _ = try InFlightJournal(path: path, slots: 4)
        #expect(InFlightJournal.suspects(at: path) == [])
    }

    @Test("another boot, a stop by a signal and what is no black box name nobody")
    func nobody() throws {
        #expect(InFlightJournal.suspects(at: path) == [], "there is none")
        for offset in [0, 8, 16, 51] as [UInt64] {
            let box = try InFlightJournal(path: path, slots: 4)
            _ = box.enter(7, .decode)
            #expect(InFlightJournal.suspects(at: path) == [7])
            try change([0x7E], at: offset)
            #expect(InFlightJournal.suspects(at: path) == [], "byte \(offset)")
        }
        let box = try InFlightJournal(path: path, slots: 4)
        _ = box.enter(7, .decode)
        box.noteStop()
        #expect(InFlightJournal.suspects(at: path) == [])
        for count in [0, 10, 63, 64, 65, 79] {
            let whole = try InFlightJournal(path: path, slots: 4)
            _ = whole.enter(7, .decode)
            try FileHandle(forWritingTo: URL(fileURLWithPath: path)).truncate(atOffset: UInt64(count))
            #expect(InFlightJournal.suspects(at: path) == [], "cut to \(count)")
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test("a parent process sees the phase of the work in one slot")
    func phase() throws {
        let file = try MemoryFile(size: InFlightJournal.oneSlotSize)
        let journal = try InFlightJournal(file)
        #expect(InFlightJournal.phase(in: file) == nil)
        let slot = journal.enter(7, .header)
        #expect(slot != nil)
        #expect(InFlightJournal.phase(in: file) == .header)
        #expect(journal.enter(8, .encode) == nil)
        journal.note(.encode, in: slot)
        #expect(InFlightJournal.phase(in: file) == .encode)
        journal.leave(slot)
        #expect(InFlightJournal.phase(in: file) == nil)
        #expect(journal.enter(9, .decode) != nil)
        #expect(InFlightJournal.phase(in: try MemoryFile(size: InFlightJournal.oneSlotSize - 1)) == nil)
    }
}
