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
}
