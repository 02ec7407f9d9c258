import Imaging
@testable import JobManifest
import Testing

@Suite struct GlobTests {
    private func glob(_ pattern: String) throws -> Glob { try Glob(pattern, folder: "/srv/job") }

    /// The choices of a pattern, each set of characters as `[]`.
    private func choices(_ pattern: String) throws -> [String] {
        try glob(pattern).choices.map { $0.map(text).joined(separator: "/") }
    }

    private func text(_ part: GlobPart) -> String {
        guard case .name(let tokens) = part else { return "**" }
        return tokens.map { token in
            switch token {
            case .scalar(let scalar): String(scalar)
            case .any: "?"
            case .many: "*"
            case .oneOf: "[]"
            }
        }.joined()
    }

    @Test(
        "the root is the folder before the first wildcard",
        arguments: [
            ("*.jpg", "/srv/job"), ("photos/*.jpg", "/srv/job/photos"), ("photos/a.jpg", "/srv/job/photos"),
            ("../x/?.jpg", "/srv/x"), ("/data/a/[ab]/*.jpg", "/data/a"), ("a/b{c,d}/e.jpg", "/srv/job/a"),
            ("a/\\*b/c.jpg", "/srv/job/a/*b"), ("a/\\[x\\]/*.jpg", "/srv/job/a/[x]"), ("/*.jpg", "/"),
            ("/a.jpg", "/"),
            ("./a//b/*.jpg", "/srv/job/a/b"),
            ("a/b]/c", "/srv/job/a"), ("a/}/c", nil), ("a/*\u{301}/c", "/srv/job/a"),
        ] as [(String, String?)]
    )
    func root(pattern: String, root: String?) {
        #expect((try? glob(pattern))?.root == root)
    }

    @Test(
        "the root's URL ends with one slash, also that of the top",
        arguments: [
            ("/*.jpg", "file:///"), ("/p ä/*.jpg", "file:///p%20%C3%A4/"), ("a.jpg", "file:///srv/job/"),
        ]
    )
    func base(pattern: String, base: String) throws {
        #expect(try FileSelection(globs: [glob(pattern)], excluded: []).base == base)
    }

    @Test(
        "several patterns have the last folder that their roots have in common",
        arguments: [
            (["a/b/*.jpg", "a/c/d/*.jpg"], "/srv/job/a"), (["a/*.jpg", "ab/*.jpg"], "/srv/job"),
            (["/x/*.jpg", "a/*.jpg"], "/"), (["a/*.jpg", "a/*.png"], "/srv/job/a"),
        ]
    )
    func commonRoot(patterns: [String], root: String) throws {
        #expect(try FileSelection(globs: patterns.map(glob), excluded: []).root == root)
    }

    @Test("~ is the home folder, and a path that ends with a slash means the images in that folder")
    func folders() throws {
        func glob(_ pattern: String) throws -> Glob {
            try Glob(pattern, folder: "/srv/job", home: "/home/me", ignoresCase: false)
        }
        #expect(try glob("~/a/*.jpg").root == "/home/me/a" && glob("~a/*.jpg").root == "/srv/job/~a")
        #expect(try glob("~/a/").root == "/home/me/a" && glob("x/").root == "/srv/job/x")
        let images = try glob("x/")
        #expect(images.ignoresCase && images.choices.count == 14 && images.choices[0].first == .folders)
        #expect(try glob("a/b.jpg").literal == "/srv/job/a/b.jpg" && glob("a/*.jpg").literal == nil)
    }

    @Test(
        "an escaped path is a pattern that matches only itself",
        arguments: ["a b.jpg", "a[1]{2}*?.jpg", "a\\b.jpg", "ä\u{301}\n.jpg", "x/[y]/z.jpg"]
    )
    func escaped(path: String) throws {
        let glob = try glob(Glob.escaped(path))
        #expect(glob.literal == "/srv/job/" + path)
        #expect(glob.root + "/" + (path.split(separator: "/").last ?? "") == glob.literal)
        #expect(glob.choices.count == 1 && glob.choices[0].count == 1)
    }

    @Test("an escaped wildcard is none, and a pattern that ends with an escape is no name")
    func isWild() {
        #expect(Glob.isWild("a*") && Glob.isWild("a\\\\*") && Glob.isWild("a\\"))
        #expect(!Glob.isWild("a\\*") && !Glob.isWild("a\\\\") && !Glob.isWild("a b"))
    }

    @Test(
        "braces are written out in their order",
        arguments: [
            ("a.jpg", ["a.jpg"]), ("x/a.jpg", ["a.jpg"]), ("{a,b}/*.jpg", ["a/*.jpg", "b/*.jpg"]),
            ("x{1,2}{3,4}", ["x13", "x14", "x23", "x24"]), ("a{b,{c,d}}e", ["abe", "ace", "ade"]),
            ("a{,b}.jpg", ["a.jpg", "ab.jpg"]), ("{a}", ["a"]), ("{a/b,c}", ["a/b", "c"]),
            ("\\{a,b\\}", ["{a,b}"]), ("a\\,{b,c}", ["a,b", "a,c"]), ("a,b", ["a,b"]),
            ("photos/**", ["**/*"]), ("**/*.jpg", ["**/*.jpg"]), ("a***b", ["a*b"]),
            ("{**,a}", ["**/*", "a"]),
            ("[a-c]?", ["[]?"]),
        ]
    )
    func braces(pattern: String, expected: [String]) throws {
        #expect(try choices(pattern) == expected)
    }

    @Test("1024 patterns are taken, and no more")
    func many() throws {
        let binary = String(repeating: "{a,b}", count: 10)
        #expect(try glob(binary).choices.count == 1024)
        #expect(throws: TextError.self) { try glob(binary + "{a,b}") }
        let list = Array(repeating: "a", count: 1024).joined(separator: ",")
        #expect(try glob("{\(list)}").choices.count == 1024)
        #expect(throws: TextError.self) { try glob("{\(list),a}") }
    }

    @Test(
        "what is no pattern is told",
        arguments: [
            ("", "names no file"), ("/", "names no file"), ("photos*/", "names no file"),
            ("a}", "a } without its {"), ("{a,b}}", "a } without its {"), ("{a", "a { without its }"),
            ("{a,{b}", "a { without its }"), ("*/../x", "has . or .."), ("*/./x", "has . or .."),
            ("{a,}", "an alternative in braces that names no file"), ("[a", "a [ without its ]"),
            ("[", "a [ without its ]"), ("[]", "a [ without its ]"), ("[!]", "a [ without its ]"),
            ("[b-a]", "runs backwards"), ("a\\", "ends a name with \\"),
        ]
    )
    func wrong(pattern: String, words: String) {
        let error = #expect(throws: TextError.self) { try glob(pattern) }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    @Test("every format that is read has an extension by which its files are found")
    func formats() {
        #expect(ImageFormat.allCases.allSatisfy { Glob.imageExtensions.contains($0.fileExtension) })
    }
}
