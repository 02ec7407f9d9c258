import Files
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct FolderTests {
    private let temporary: TemporaryFolder
    private let folder: Folder

    init() throws {
        temporary = try TemporaryFolder()
        folder = try Folder(path: temporary.path)
    }

    private func code(_ body: () throws -> Void) -> Int32? {
        do {
            try body()
            return nil
        } catch {
            return (error as? FileError)?.code
        }
    }

    @Test("a folder is in place until it is renamed, removed or replaced")
    func place() throws {
        let path = temporary.path("inside")
        let inside = try Folder(path: path, create: true)
        #expect(inside.isInPlace)
        try FileManager.default.moveItem(atPath: path, toPath: path + "-old")
        #expect(!inside.isInPlace)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + "-old")
        #expect(inside.isInPlace, "the path still leads to it")
        try FileManager.default.removeItem(atPath: path)
        let other = try Folder(path: path, create: true)
        #expect(!inside.isInPlace && other.isInPlace)
        try FileManager.default.removeItem(atPath: path)
        #expect(!other.isInPlace)
    }

    @Test("an empty folder is told from one with a hidden file")
    func empty() throws {
        #expect(try folder.names().isEmpty)
        try temporary.write("x", to: ".hidden")
        #expect(try folder.names() == [".hidden"])
    }

    @Test("a file that does not exist is told from one that cannot be examined")
    func examine() throws {
        try temporary.write("xyz", to: "file")
        #expect(try folder.examine("file")?.size == 3)
        #expect(try folder.examine("none") == nil)
        #expect(code { _ = try folder.examine("file/below") } == ENOTDIR)
        for (name, error) in [("../file", EXDEV), (String(repeating: "x", count: 300), ENAMETOOLONG)] {
            #expect(code { _ = try folder.examine(name) } == error)
        }
    }

    @Test(
        "no name reaches a file outside the folder",
        arguments: ["../outside/file", "link/file", "filelink", "inner/../../outside/file", "/etc/passwd"]
    )
    func confined(name: String) throws {
        try temporary.write("secret", to: "outside/file")
        let inside = try folder.folder("inside", create: true)
        _ = try inside.folder("inner", create: true)
        for (link, target) in [("link", "outside"), ("filelink", "outside/file")] {
            try FileManager.default.createSymbolicLink(
                atPath: temporary.path("inside/\(link)"),
                withDestinationPath: temporary.path(target)
            )
        }
        let refusals = [ELOOP, EXDEV]
        #expect(refusals.contains(try #require(code { _ = try inside.read(name) })))
        #expect(refusals.contains(try #require(code { _ = try inside.read(name, from: 0, count: 1) })))
        #expect(refusals.contains(try #require(code { _ = try inside.folder(name) })))
        #expect(refusals.contains(try #require(code { _ = try inside.folder(name + "/new", create: true) })))
        if name != "filelink" {
            #expect(refusals.contains(try #require(code { _ = try inside.examine(name) })))
            #expect(refusals.contains(try #require(code { try inside.remove(name) })))
            #expect(refusals.contains(try #require(code { _ = try inside.removeFolder(name) })))
            #expect(refusals.contains(try #require(code { try inside.rename(name, to: "stolen") })))
            try temporary.write("own", to: "inside/own")
            #expect(refusals.contains(try #require(code { try inside.rename("own", to: name) })))
            #expect(try inside.read("own") == Data("own".utf8))
        }
        #expect(try folder.read("outside/file") == Data("secret".utf8))
    }

    @Test("a link is described and removed itself, never its target")
    func links() throws {
        try temporary.write("target", to: "target")
        try FileManager.default.createSymbolicLink(
            atPath: temporary.path("link"),
            withDestinationPath: "target"
        )
        #expect(try folder.examine("link")?.inode != folder.examine("target")?.inode)
        #expect(try folder.remove("link"))
        #expect(try folder.names() == ["target"])
    }

    @Test("folders are created with their parents, and only on request")
    func createsFolders() throws {
        #expect(code { _ = try folder.folder("a/b/c") } == ENOENT)
        let made = try folder.folder("a//./b/c", create: true)
        #expect(made.path == temporary.path + "/a//./b/c")
        try temporary.write("x", to: "a/b/c/x")
        #expect(try made.names() == ["x"])
        #expect(try folder.folder("a/b/c", create: true).names() == ["x"])
        #expect(try folder.folder("").names() == ["a"])
        try temporary.write("in the way", to: "file")
        #expect(code { _ = try folder.folder("file/below", create: true) } == ENOTDIR)
        #expect(code { _ = try folder.folder("file") } == ENOTDIR)
    }

    @Test("a path is created with its parents and permissions")
    func createsPath() throws {
        let path = temporary.path("x/y/z")
        #expect(code { _ = try Folder(path: path) } == ENOENT)
        _ = try Folder(path: path, create: true, permissions: 0o700)
        _ = try Folder(path: path, create: true, permissions: 0o755)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        // Its parents are for everybody, less the umask.
        try FileManager.default.createDirectory(
            atPath: temporary.path("like"),
            withIntermediateDirectories: false
        )
        for parent in ["x", "x/y"] {
            #expect(try folder.examine(parent)?.permissions == folder.examine("like")?.permissions)
        }
        try temporary.write("in the way", to: "file")
        #expect(code { _ = try Folder(path: temporary.path("file/x"), create: true) } == ENOTDIR)
    }

    @Test("reads a file up to the limit, and none that is longer")
    func limit() throws {
        try temporary.write("12345", to: "five")
        #expect(try folder.read("five", limit: 5) == Data("12345".utf8))
        #expect(code { _ = try folder.read("five", limit: 4) } == EFBIG)
        #expect(code { _ = try folder.read("none") } == ENOENT)
        #expect(code { _ = try folder.read("five/below") } == ENOTDIR)
        let (data, status) = try folder.readWithStatus("five")
        #expect(data.count == status.size)
        #expect(try status == folder.examine("five"))
    }

    @Test(
        "reads a part of a file as far as it goes",
        arguments: [(0, 3, "012"), (7, 3, "789"), (8, 5, "89"), (10, 1, ""), (20, 4, ""), (4, 0, "")]
    )
    func parts(offset: Int, count: Int, expected: String) throws {
        try temporary.write("0123456789", to: "digits")
        #expect(try folder.read("digits", from: offset, count: count) == Data(expected.utf8))
    }

    @Test("a pipe is refused at once, and so is a folder")
    func specialFiles() throws {
        try #require(mkfifo(temporary.path("pipe"), 0o600) == 0)
        _ = try folder.folder("folder", create: true)
        #expect(code { _ = try folder.read("pipe") } == EINVAL)
        #expect(code { _ = try folder.read("folder") } == EINVAL)
    }

    @Test("the attributes are those of the file system")
    func status() throws {
        try temporary.write("12345", to: "five")
        var times = [timespec(tv_sec: 5, tv_nsec: 7), timespec(tv_sec: 1_700_000_000, tv_nsec: 123_456_789)]
        try #require(utimensat(AT_FDCWD, temporary.path("five"), &times, 0) == 0)
        let status = try #require(try folder.examine("five"))
        #expect(status.size == 5)
        #expect(status.modified == 1_700_000_000_123_456_789)
        #expect(!status.isFolder)
        let number = try FileManager.default.attributesOfItem(atPath: temporary.path("five"))[
            .systemFileNumber
        ]
        #expect(status.inode == (number as? NSNumber)?.uint64Value)
        _ = try folder.folder("folder", create: true)
        #expect(try folder.examine("folder")?.isFolder == true)
        #expect(try folder.examine("none") == nil)
    }

    @Test("a rename replaces its target, across folders too")
    func rename() throws {
        try temporary.write("new", to: "one/a")
        try temporary.write("old", to: "two/b")
        try folder.rename("one/a", to: "two/b")
        #expect(try folder.read("two/b") == Data("new".utf8))
        #expect(try folder.folder("one").names().isEmpty)
        let missing = #expect(throws: FileError.self) { try folder.rename("one/a", to: "two/b") }
        #expect(missing?.isMissing == true)
        #expect(code { try folder.rename("two/b", to: "none/b") } == ENOENT)
        #expect(code { try folder.rename("none/b", to: "two/b") } == ENOENT)
        #expect(try folder.read("two/b") == Data("new".utf8))
    }

    @Test("a removal reports whether there was something to remove")
    func remove() throws {
        try temporary.write("x", to: "folder/file")
        #expect(try folder.removeFolder("folder") == false)
        #expect(code { try folder.remove("folder") } == EISDIR)
        #expect(code { _ = try folder.removeFolder("folder/file") } == ENOTDIR)
        #expect(try folder.remove("folder/file"))
        #expect(try folder.remove("folder/file") == false)
        #expect(try folder.remove("none/file") == false)
        #expect(try folder.removeFolder("none/folder") == false)
        #expect(try folder.removeFolder("folder"))
        #expect(try folder.removeFolder("folder") == false)
        #expect(try folder.names().isEmpty)
        try folder.sync()
    }

    @Test("hidden files are listed, the folder itself and its parent are not")
    func names() throws {
        for name in [".hidden", "...", "a b", "ü"] { try temporary.write("x", to: name) }
        #expect(try Set(folder.names()) == [".hidden", "...", "a b", "ü"])
        #expect(try folder.names().count == 4)
    }

    @Test(
        "the folder of a path ends at its last slash, also before a combining mark",
        arguments: [
            ("/a/b.json", "/a"), ("/b.json", "/"), ("/a/\u{301}b.json", "/a"), ("/a/\u{301}/c", "/a/\u{301}"),
        ]
    )
    func enclosing(path: String, expected: String) {
        #expect(Array(Folder.enclosing(path).utf8) == Array(expected.utf8))
    }

    @Test(
        "a name alone is in the working directory, also one of one character",
        arguments: ["a", "é", "a.json", "-"]
    )
    func enclosingName(path: String) {
        #expect(Folder.enclosing(path) == ".")
    }

    @Test("the folder of a file at the top is the top", arguments: [("/a", "/"), ("/a/b/c.json", "/a/b")])
    func enclosingTop(path: String, folder: String) {
        #expect(Folder.enclosing(path) == folder)
    }
}
