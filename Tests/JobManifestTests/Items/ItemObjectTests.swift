import Foundation
import JobManifest
import Testing

/// URLs of objects, whose keys are taken as they are.
@Suite struct ItemObjectTests {
    private func check(_ text: String, schemes: Set<String> = ["s3", "https"]) -> ItemURL.Checked {
        ItemURL.check(text, folder: "/srv/job", schemes: schemes)
    }

    @Test(arguments: [
        "s3://bucket/a/b.jpg", "S3://bucket/a", "s3://bucket/a b%zz?c#d", "s3://bucket/ä{x}|\\^`\"<>",
        "s3://bucket//", "s3://Old_Bucket.x/\u{1F600}", "s3://b/" + String(repeating: "k", count: 1024),
    ])
    func keepsTheKey(text: String) {
        let checked = check(text)
        #expect(checked.problem == nil, "\(checked.problem?.message ?? "")")
        #expect(Array(checked.url.utf8) == Array(text.utf8))
    }

    @Test(arguments: [
        ("s3:", "// should follow"), ("s3:/a/b", "// should follow"), ("s3://", "the bucket is missing"),
        ("s3:///key", "the bucket is missing"), ("s3://bucket", "the key is missing"),
        ("s3://bucket/", "the key is missing"), ("s3://bu cket/k", "characters other than"),
        ("s3://bücket/k", "characters other than"), ("s3://b:80/k", "characters other than"),
        ("s3://u@b/k", "characters other than"), ("s3://b/a\u{7}", "control character"),
        ("s3://b/" + String(repeating: "k", count: 1025), "longer than 1024 bytes"),
    ])
    func namesTheProblem(text: String, told: String) {
        let problem = check(text).problem
        #expect(
            problem?.code == .badURL && problem?.message.contains(told) == true,
            "\(problem?.message ?? "none")"
        )
    }

    @Test(
        "a relative path below a prefix is a key; only a path that begins with a slash is a file",
        arguments: [
            ("a/b.jpg", "s3://lists/today/a/b.jpg"), ("a b%zz?c#d", "s3://lists/today/a b%zz?c#d"),
            ("./a/../b.jpg", "s3://lists/today/b.jpg"), ("../x/b.jpg", "s3://lists/x/b.jpg"),
            ("../../../b.jpg", "s3://lists/b.jpg"), ("${HOME}", "s3://lists/today/$${HOME}"),
            ("s3://other/k", "s3://other/k"), ("https://a.example/k", "https://a.example/k"),
        ]
    )
    func below(text: String, url: String) {
        let checked = ItemURL.check(text, folder: "s3://lists/today", schemes: ["s3", "https"])
        #expect(checked.url == url && checked.problem == nil, "\(checked)")
        let whole = ItemURL.check(text, folder: "s3://lists/", schemes: ["s3", "https"])
        #expect(whole.problem == nil && !whole.url.contains("today"), "\(whole)")
        let file = ItemURL.check("/srv/a.jpg", folder: "s3://lists/today", schemes: ["s3", "file"])
        #expect(file.url == "file:///srv/a.jpg" && file.problem == nil)
        let bad = ItemURL.check("a\u{7}b", folder: "s3://lists/today", schemes: ["s3"])
        #expect(bad.problem?.message.contains("control character") == true)
        #expect(
            ItemURL.check("..", folder: "s3://lists", schemes: ["s3"]).problem?.message.contains("the key")
                == true
        )
    }

    @Test func onlyControlCharactersOfABadKeyAreEncoded() {
        let checked = check("s3://b/a b%20\u{7}ä{${X}\n")
        #expect(checked.url == "s3://b/a b%20%07ä{$${X}%0A")
        #expect(checked.problem?.message == "the key holds a control character")
    }

    @Test func needsItsScheme() {
        let problem = check("s3://b/k", schemes: ["https"]).problem
        #expect(problem?.code == .scheme && problem?.message.contains("network.schemes") == true)
    }

    @Test(arguments: [
        ("gs://b/k", "storage.googleapis.com"), ("az://c/k", "Azure"), ("abfss://c@a/k", "Azure"),
    ])
    func refusesOtherStoresByName(text: String, told: String) {
        let problem = check(text).problem
        #expect(problem?.code == .scheme && problem?.message.contains(told) == true)
    }

    @Test func aKeyThatLooksLikeAVariableIsNoVariable() {
        let checked = check("s3://b/${HOME}")
        #expect(checked.problem == nil && checked.url == "s3://b/$${HOME}")
    }

    @Test func aVersionMovesIntoTheURL() {
        var headers = ["Accept": "image/*", "x-amz-version-id": "3/HL+4="]
        let url = ItemURL.loadable("s3://b/a b?", headers: &headers)
        #expect(headers == ["Accept": "image/*"])
        let components = url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: false) }
        #expect(components?.queryItems?.first?.value == "3/HL+4=")
        var others = ["x-amz-version-id": "7"]
        #expect(ItemURL.loadable("https://a.example/b", headers: &others)?.query() == nil)
        #expect(others.count == 1)
    }
}
