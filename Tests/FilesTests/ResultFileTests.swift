import Files
import Foundation
import TestSupport
import Testing

@Suite struct ResultFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("a file is replaced as a whole, through a link as well, and nothing else is left")
    func replaces() throws {
        try folder.write("old", to: "a")
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "a")
        try ResultFile.write(Data("new".utf8), to: folder.path("link"))
        #expect(try String(contentsOfFile: folder.path("a"), encoding: .utf8) == "new")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link")) == "a")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["a", "link"])
    }

    @Test("without replacing, a file that exists stays, and one that does not is written")
    func keeps() throws {
        try folder.write("old", to: "a")
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "a")
        for name in ["a", "link"] {
            let error = #expect(throws: FileError.self) {
                try ResultFile.write(Data("new".utf8), to: folder.path(name), replaces: false)
            }
            #expect(error?.code == EEXIST)
        }
        try ResultFile.write(Data("new".utf8), to: folder.path("b"), replaces: false)
        #expect(try String(contentsOfFile: folder.path("a"), encoding: .utf8) == "old")
        #expect(try String(contentsOfFile: folder.path("b"), encoding: .utf8) == "new")
    }

    @Test("a device gets the bytes and stays")
    func device() throws {
        let path = try folder.makeFullDevice("full")
        let error = #expect(throws: FileError.self) { try ResultFile.write(Data("x".utf8), to: path) }
        #expect(error?.code == ENOSPC)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }

    @Test("a file that replaces another has its permissions", arguments: [0o600, 0o640, 0o666] as [mode_t])
    func permissions(_ mode: mode_t) throws {
        try folder.write("old", to: "a")
        try #require(chmod(folder.path("a"), mode) == 0)
        try ResultFile.write(Data("new".utf8), to: folder.path("a"))
        var status = stat()
        #expect(stat(folder.path("a"), &status) == 0 && status.st_mode & 0o777 == mode)
    }

    @Test("a pipe that nobody reads is an error, and one that is read gets the bytes")
    func pipe() throws {
        let path = folder.path("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        let error = #expect(throws: FileError.self) { try ResultFile.write(Data("x".utf8), to: path) }
        #expect(error?.code == ENXIO && error?.description.contains("reader") == true)
        let descriptor = open(path, O_RDONLY | O_NONBLOCK)
        try #require(descriptor >= 0)
        let reader = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try ResultFile.write(Data("bytes".utf8), to: path)
        #expect(try reader.readToEnd() == Data("bytes".utf8))
    }

    @Test("a folder and a missing folder are errors that name the path")
    func missing() throws {
        for path in [folder.path, folder.path("none/a")] {
            let error = #expect(throws: FileError.self) { try ResultFile.write(Data("x".utf8), to: path) }
            #expect(error?.path == path)
        }
    }
}
