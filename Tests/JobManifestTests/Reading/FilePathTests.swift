@testable import JobManifest
import Testing

@Suite struct FilePathTests {
    @Test(
        "absolute paths",
        arguments: [
            ("a.jpg", "/srv/job/a.jpg"), ("/a.jpg", "/a.jpg"), ("./a//b/./c", "/srv/job/a/b/c"),
            ("../a", "/srv/a"), ("../../../a", "/a"), ("", "/srv/job"), (".", "/srv/job"),
            ("a/..", "/srv/job"),
            ("a/\u{301}b", "/srv/job/a/\u{301}b"),
        ]
    )
    func absolute(path: String, expected: String) {
        #expect(FilePath.absolute(path, in: "/srv/job") == expected)
    }

    @Test(
        "stems",
        arguments: [
            ("/a/b.json", "b"), ("b.tar.gz", "b.tar"), ("/a/.hidden", ".hidden"), ("/a/b", "b"), ("/", ""),
            ("/a/\u{301}b.json", "\u{301}b"),
        ]
    )
    func stems(path: String, expected: String) {
        #expect(FilePath.stem(of: path) == expected)
    }

    @Test(
        "text before the extension",
        arguments: [
            ("/a/b.sqlite", "/a/b-1.sqlite"), ("/a.b/c", "/a.b/c-1"), ("/a/.hidden", "/a/.hidden-1"),
            ("b.tar.gz", "b.tar-1.gz"), ("b", "b-1"), ("/a/b.", "/a/b-1."),
            ("/a/\u{301}b.x", "/a/\u{301}b-1.x"),
        ]
    )
    func insertion(path: String, expected: String) {
        #expect(FilePath.inserting("-1", beforeExtensionOf: path) == expected)
    }

    @Test(
        "the folder of a path ends at its last slash, also before a combining mark",
        arguments: [
            ("/a/b.json", "/a"), ("/b.json", "/"), ("/a/\u{301}b.json", "/a"), ("/a/\u{301}/c", "/a/\u{301}"),
        ]
    )
    func folders(path: String, expected: String) {
        #expect(Array(FilePath.folder(of: path).utf8) == Array(expected.utf8))
    }

    @Test(
        "a name alone is in the working directory, also one of one character",
        arguments: ["a", "é", "a.json", "-"]
    )
    func name(path: String) {
        #expect(FilePath.folder(of: path) == ".")
    }

    @Test("the folder of a file at the top is the top", arguments: [("/a", "/"), ("/a/b/c.json", "/a/b")])
    func folder(path: String, folder: String) {
        #expect(FilePath.folder(of: path) == folder)
    }
}
