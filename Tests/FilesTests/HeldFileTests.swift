import Files
import Foundation
import TestSupport
import Testing

@Suite struct HeldFileTests {
    private let temporary: TemporaryFolder
    private let folder: Folder

    init() throws {
        temporary = try TemporaryFolder()
        folder = try Folder(path: temporary.path)
    }

    @Test("has one holder, and another when that has gone")
    func oneHolder() throws {
        var first = try HeldFile("a", in: folder, create: true)
        #expect(first != nil)
        #expect(try HeldFile("a", in: folder) == nil)
        #expect(try HeldFile("a", in: folder, create: true) == nil)
        first = nil
        #expect(try HeldFile("a", in: folder) != nil)
        #expect(try HeldFile("b", in: folder) == nil)
    }

    @Test("grows, is cut where it is written, and read as far as it goes")
    func content() throws {
        let file = try #require(try HeldFile("a", in: folder, create: true))
        try file.write(Data("hello, wrold".utf8), at: 0)
        try file.write(Data("world".utf8), at: 7)
        #expect(try file.read(count: 5) == Data("hello".utf8))
        #expect(try file.read(count: 100) == Data("hello, world".utf8))
        try file.write(Data(), at: 2)
        #expect(try folder.read("a") == Data("he".utf8))
        try file.remove()
        #expect(try folder.examine("a") == nil)
        // The name is free, although the removed file is still held.
        #expect(try HeldFile("a", in: folder, create: true) != nil)
    }

    @Test("is created with its permissions, in a folder that exists")
    func created() throws {
        _ = try HeldFile("a", in: folder, create: true, permissions: 0o640)
        let attributes = try FileManager.default.attributesOfItem(atPath: temporary.path("a"))
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(try HeldFile("none/a", in: folder) == nil)
        let error = #expect(throws: FileError.self) { try HeldFile("none/a", in: folder, create: true) }
        #expect(error?.code == ENOENT)
        #expect(error?.path == temporary.path + "/none/a")
    }

    @Test("a file that its last holder removed is not held any more")
    func removedWhileHeld() throws {
        var first = try HeldFile("a", in: folder, create: true)
        try first?.write(Data("old".utf8), at: 0)
        try first?.remove()
        let second = try #require(try HeldFile("a", in: folder, create: true))
        first = nil
        #expect(try second.read(count: 10).isEmpty)
        try second.write(Data("new".utf8), at: 0)
        #expect(try folder.read("a") == Data("new".utf8))
        #expect(try HeldFile("a", in: folder) == nil)
    }

    @Test("follows no link and leaves its folder for none")
    func links() throws {
        try temporary.write("outside", to: "outside")
        let inner = try folder.folder("inner", create: true)
        try FileManager.default.createSymbolicLink(
            atPath: temporary.path("inner/link"),
            withDestinationPath: temporary.path("outside")
        )
        for name in ["link", "../outside"] {
            #expect(throws: FileError.self) { try HeldFile(name, in: inner, create: true) }
        }
    }

    @Test("a running digest is that of all bytes so far")
    func runningDigest() {
        let seed = UInt64.random(in: 1...1_000_000)
        var random = SeededGenerator(seed: seed)
        let running = RunningDigest()
        var all = Data()
        #expect(running.value == Digest.sha256.bytes(of: all))
        for _ in 0..<50 {
            let piece = Data(
                (0..<Int.random(in: 0...300, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
            )
            running.append(piece)
            all += piece
            #expect(running.value == Digest.sha256.bytes(of: all), "seed \(seed)")
        }
    }
}
