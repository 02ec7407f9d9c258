import Files
import Foundation
import TestSupport
import Testing

/// Who else can put something at a path.
@Suite struct FileOwnersTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("{}", to: "a/b/file")
        for name in ["a", "a/b"] { try set(0o755, name) }
        try set(0o644, "a/b/file")
    }

    private func set(_ mode: Int, _ name: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path(name))
    }

    @Test("a file that nobody else can write to")
    func own() throws {
        #expect(try FileOwners.stranger(at: folder.path("a/b/file")) == nil)
        #expect(try FileOwners.stranger(at: folder.path("a/../a/./b/file")) == nil)
        #expect(try FileOwners.stranger(at: "/") == nil)
    }

    @Test(
        "each part of the path counts",
        arguments: ["a", "a/b", "a/b/file"],
        [0o777, 0o775, 0o772, 0o757]
    )
    func writable(name: String, mode: Int) throws {
        try set(mode, name)
        let told = try #require(try FileOwners.stranger(at: folder.path("a/b/file")))
        #expect(told == "\(folder.path(name)) can be written to by others")
    }

    @Test("in a sticky folder others can add names, but not change a file of this user")
    func sticky() throws {
        try set(0o1777, "a/b")
        #expect(try FileOwners.stranger(at: folder.path("a/b/file")) == nil)
        #expect(try FileOwners.stranger(at: folder.path("a/b"))?.contains("others can add files to") == true)
        #expect(try FileOwners.stranger(at: "/tmp") != nil)
    }

    @Test("what a link leads to counts, and the folders on the way there")
    func links() throws {
        try FileManager.default.createSymbolicLink(atPath: folder.path("direct"), withDestinationPath: "a/b")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("absolute"),
            withDestinationPath: folder.path("direct")
        )
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("a/up"),
            withDestinationPath: "../a/b/file"
        )
        let paths = ["direct/file", "absolute/file", "a/up"].map(folder.path)
        for path in paths { #expect(try FileOwners.stranger(at: path) == nil, "\(path)") }
        try set(0o777, "a/b")
        for path in paths { #expect(try FileOwners.stranger(at: path) != nil, "\(path)") }
    }

    @Test("links in a circle and missing files are errors")
    func errors() throws {
        try FileManager.default.createSymbolicLink(atPath: folder.path("x"), withDestinationPath: "y")
        try FileManager.default.createSymbolicLink(atPath: folder.path("y"), withDestinationPath: "x")
        #expect { try FileOwners.stranger(at: folder.path("x")) } throws: {
            ($0 as? FileError)?.code == ELOOP
        }
        #expect { try FileOwners.stranger(at: folder.path("none")) } throws: {
            ($0 as? FileError)?.isMissing == true
        }
    }

    @Test("another user's file or folder", .enabled(if: geteuid() == 0))
    func users() throws {
        for name in ["a/b/file", "a"] {
            try FileManager.default.setAttributes([.ownerAccountID: 12345], ofItemAtPath: folder.path(name))
            let told = try FileOwners.stranger(at: folder.path("a/b/file"))
            #expect(told == "\(folder.path(name)) belongs to user 12345")
            try FileManager.default.setAttributes([.ownerAccountID: 0], ofItemAtPath: folder.path(name))
        }
    }

    @Test("a folder of one's own is made with mode 0700, and nothing else is taken for one")
    func ownFolder() throws {
        let parent = try Folder(path: folder.path)
        #expect(try parent.ownFolder("mine", creates: false) == nil)
        let made = try #require(try parent.ownFolder("mine", creates: true))
        #expect(made.path == folder.path("mine"))
        #expect(try parent.examine("mine")?.permissions == 0o700)
        #expect(
            try parent.ownFolder("mine", creates: true) != nil
                && parent.ownFolder("mine", creates: false) != nil
        )
        #expect { try parent.ownFolder("a", creates: true) } throws: { ($0 as? FileError)?.code == EPERM }
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "mine")
        #expect { try parent.ownFolder("link", creates: true) } throws: { ($0 as? FileError)?.code == ELOOP }
        #expect { try parent.ownFolder("link", creates: false) } throws: { ($0 as? FileError)?.code == ELOOP }
        #expect { try parent.ownFolder("a/b/file", creates: false) } throws: {
            ($0 as? FileError)?.code == ENOTDIR
        }
    }
}
