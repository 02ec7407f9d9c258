import Files
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct DurableWriterTests {
    @Test("files are written, replaced, and leave nothing beside them")
    func writeAndReplace() async throws {
        let temporary = try TemporaryFolder()
        let folder = try Folder(path: temporary.path)
        let writer = DurableWriter()
        try await withThrowingTaskGroup { group in
            for number in 0..<100 {
                group.addTask {
                    try await writer.write(
                        Data("\(number)".utf8),
                        to: "a/b\(number % 3)/\(number)",
                        in: folder
                    )
                }
            }
            try await group.waitForAll()
        }
        for number in 0..<100 {
            #expect(try folder.read("a/b\(number % 3)/\(number)") == Data("\(number)".utf8))
        }
        try await writer.write(Data(), to: "a/b0/0", in: folder)
        #expect(try folder.read("a/b0/0").isEmpty)
        let names = try folder.folder("a/b0").names()
        #expect(names.count == 34)
        #expect(names.allSatisfy { !$0.hasPrefix(".") })
    }

    @Test("files of two file systems are written by one writer")
    func twoFileSystems() async throws {
        let (one, other) = (try TemporaryFolder(), try TemporaryFolder(in: "/dev/shm"))
        let folders = [try Folder(path: one.path), try Folder(path: other.path)]
        let writer = DurableWriter(threads: 2, delay: 0.05)
        try await withThrowingTaskGroup { group in
            for number in 0..<300 {
                group.addTask {
                    try await writer.write(Data("\(number)".utf8), to: "a/\(number)", in: folders[number % 2])
                }
            }
            try await group.waitForAll()
        }
        for number in 0..<300 {
            #expect(try folders[number % 2].read("a/\(number)") == Data("\(number)".utf8))
        }
        #expect(try folders.map { try $0.folder("a").names().count } == [150, 150])
    }

    @Test("what arrives at once becomes one batch, and each file of it has its own end")
    func batches() async throws {
        let temporary = try TemporaryFolder()
        let folder = try Folder(path: temporary.path)
        try temporary.write("in the way", to: "file")
        let writer = DurableWriter(threads: 2, delay: 0.05)
        let ends = await withTaskGroup { group in
            for number in 0..<300 {
                let name = number % 10 == 0 ? "file/\(number)" : "folder\(number % 7)/\(number)"
                group.addTask {
                    do throws(FileError) {
                        try await writer.write(Data(name.utf8), to: name, in: folder)
                        return (name, Int32(0))
                    } catch {
                        return (name, error.code)
                    }
                }
            }
            return await group.reduce(into: [String: Int32]()) { $0[$1.0] = $1.1 }
        }
        #expect(ends.count == 300)
        for (name, code) in ends {
            #expect(code == (name.hasPrefix("file/") ? ENOTDIR : 0), "\(name)")
            if code == 0 { #expect(try folder.read(name) == Data(name.utf8)) }
        }
    }

    @Test("of files that are written over each other one stays, whole")
    func sameName() async throws {
        let temporary = try TemporaryFolder()
        let folder = try Folder(path: temporary.path)
        let writer = DurableWriter(threads: 4)
        let written = DispatchGroup()
        for number in 0..<200 {
            written.enter()
            writer.submit(
                Payload(Data(repeating: UInt8(number), count: 1000 + number)),
                to: "one",
                in: folder
            ) { _ in
                written.leave()
            }
        }
        await withCheckedContinuation { continuation in
            written.notify(queue: .global()) { continuation.resume() }
        }
        let data = try folder.read("one")
        #expect(data.count == 1000 + Int(try #require(data.first)))
        #expect(Set(data).count == 1)
        #expect(try folder.names() == ["one"])
    }

    @Test("a file that is not to be replaced stays, and the new one is refused")
    func notReplaced() async throws {
        let temporary = try TemporaryFolder()
        let folder = try Folder(path: temporary.path)
        let writer = DurableWriter(threads: 1)
        func write(_ text: String, replaces: Bool) async -> Result<Void, FileError> {
            await withCheckedContinuation { continuation in
                writer.submit(Payload(Data(text.utf8)), to: "one", in: folder, replaces: replaces) {
                    continuation.resume(returning: $0)
                }
            }
        }
        try await write("first", replaces: false).get()
        let error = await #expect(throws: FileError.self) {
            try await write("second", replaces: false).get()
        }
        #expect(error?.code == EEXIST)
        #expect(try folder.read("one") == Data("first".utf8))
        try await write("third", replaces: true).get()
        #expect(try folder.read("one") == Data("third".utf8))
        #expect(try folder.names() == ["one"])
    }

    @Test("a writer that goes away finishes what it was given")
    func goesAway() async throws {
        let temporary = try TemporaryFolder()
        let folder = try Folder(path: temporary.path)
        let written = DispatchGroup()
        do {
            let writer = DurableWriter(threads: 3)
            for number in 0..<300 {
                written.enter()
                writer.submit(Payload(Data("x".utf8)), to: "\(number)", in: folder) { result in
                    if case .success = result { written.leave() }
                }
            }
        }
        await withCheckedContinuation { continuation in
            written.notify(queue: .global()) { continuation.resume() }
        }
        #expect(try folder.names().count == 300)
    }

    @Test("the litter of an interrupted replacement is removed when it is done again")
    func litter() async throws {
        let temporary = try TemporaryFolder()
        let folder = try Folder(path: temporary.path)
        let writer = DurableWriter(threads: 1)
        try await writer.write(Data("old".utf8), to: "picture.jpg", in: folder)
        let beside = ".nb-\(Digest.sha1.hex(of: "picture.jpg").prefix(16)).tmp"
        try temporary.write("half", to: beside)
        try await writer.write(Data("new".utf8), to: "picture.jpg", in: folder)
        #expect(try folder.names() == ["picture.jpg"])
        #expect(try folder.read("picture.jpg") == Data("new".utf8))
    }

    @Test("no name leads out of the folder", arguments: ["../out", "/tmp/out", "link/out", "a/../../out"])
    func confined(name: String) async throws {
        let temporary = try TemporaryFolder()
        let outside = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(
            atPath: temporary.path("link"),
            withDestinationPath: outside.path
        )
        let folder = try Folder(path: temporary.path)
        let writer = DurableWriter(threads: 1)
        await #expect(throws: FileError.self) { try await writer.write(Data("x".utf8), to: name, in: folder) }
        #expect(throws: FileError.self) { try folder.read(name) }
        #expect(try Folder(path: outside.path).names().isEmpty)
    }

    @Test("a failed write leaves the old content; a full disk counts as the machine's trouble")
    func error() async throws {
        let temporary = try TemporaryFolder()
        let folder = try Folder(path: temporary.path)
        let writer = DurableWriter(threads: 1)
        try await writer.write(Data("x".utf8), to: "file", in: folder)
        let error = await #expect(throws: FileError.self) {
            try await writer.write(Data("y".utf8), to: "file/below", in: folder)
        }
        #expect(error?.code == ENOTDIR)
        #expect(FileError("write", "x", code: ENOSPC).isLocalTrouble)
        #expect(try folder.read("file") == Data("x".utf8))
    }
}
