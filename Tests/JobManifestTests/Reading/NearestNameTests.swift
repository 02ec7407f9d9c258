import JobManifest
import Testing

@Suite struct NearestNameTests {
    private static let known = ["width", "height", "contentMode", "crop"]
    private static let synonyms = ["fit": "contentMode", "objectFit": "contentMode", "gone": "away"]

    @Test(
        "hints",
        arguments: [
            ("widht", "width"), ("WIDTH", "width"), ("heigth", "height"), ("contentmode", "contentMode"),
            ("cro", "crop"), ("crops", "crop"), ("fit", "contentMode"), ("FIT", "contentMode"),
            ("objectfit", "contentMode"), ("gone", nil), ("xyz", nil), ("", nil), ("wxyth", nil),
        ] as [(String, String?)]
    )
    func hints(word: String, expected: String?) {
        let hint = NearestName.hint(for: word, among: Self.known, synonyms: Self.synonyms)
        #expect(hint == (expected.map { "; did you mean \"\($0)\"?" } ?? ""))
    }

    @Test("a word of thousands of letters is compared in bounded time")
    func long() {
        let word = String(repeating: "w", count: 100_000)
        #expect(NearestName.hint(for: word, among: Self.known).isEmpty)
    }

    @Test(
        "a hint is at most a third of the letters away",
        arguments: [
            ("hexxht", "height"), ("hexxxt", nil), ("ehight", "height"), ("heights", "height"),
            ("heigh", "height"), ("hight", "height"), ("hxigt", nil), ("x", "xy"), ("zz", nil),
        ] as [(String, String?)]
    )
    func nearest(word: String, expected: String?) {
        #expect(NearestName.nearest(to: word, among: ["height", "xy"]) == expected)
    }

    @Test("of names that are as near, the first in the alphabet is the hint")
    func ties() {
        #expect(NearestName.nearest(to: "aad", among: ["aac", "aab"]) == "aab")
        #expect(NearestName.nearest(to: "aac", among: ["aab", "aac"]) == "aac")
    }
}
