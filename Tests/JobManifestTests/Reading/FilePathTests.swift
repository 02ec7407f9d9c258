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
}
