import Foundation
import Originals
import TestSupport
import Testing

@Suite struct CacheControlTests {
    @Test(arguments: [
        ("max-age=60", 60), ("MAX-AGE=60", 60), (" max-age=60 , x", 60), ("max-age=\"60\"", 60),
        ("max-age=\"6\\0\"", 60), ("x=\"\\\", max-age=5\", max-age=60", 60), ("x=\"open, max-age=60", nil),
        ("max-age=60, max-age=5", 60), ("max-age=5, MAX-AGE=60", 5),
        ("max-age", 0), ("max-age=", 0), ("max-age=-1", 0), ("max-age=+1", 0), ("max-age=1e3", 0),
        ("max-age=٣", 0), ("max-age=2147483648", 2_147_483_648),
        ("max-age=9223372036854775808", 2_147_483_648),
        ("s-maxage=60", nil), ("xmax-age=60", nil), ("", nil), (",,,", nil), ("=", nil), ("\"", nil),
    ])
    func readsSeconds(value: String, seconds: Int?) {
        #expect(CacheControl(value).seconds("max-age") == seconds)
    }

    @Test(
        arguments: [
            ("no-cache", .all), ("no-cache=\"\"", .all), ("no-cache=a", .fields(["a"])),
            ("no-cache=\"A, b\"", .fields(["a", "b"])), ("no-cache=a, no-cache=b", .fields(["a", "b"])),
            ("no-cache=a, no-cache", .all), ("private", .nothing),
        ] as [(String, CacheControl.Scope)]
    )
    func readsFields(value: String, scope: CacheControl.Scope) {
        #expect(CacheControl(value).scope("no-cache") == scope)
    }

    @Test func survivesNonsense() {
        let seed: UInt64 = 1
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("ax=,\" \\;\t-0é\u{0}")
        for _ in 0..<20_000 {
            let text = String(
                (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                    alphabet.randomElement(using: &generator) ?? "a"
                }
            )
            let control = CacheControl(text + ", max-age=7")
            // Only an open quote may swallow what follows.
            #expect(control.seconds("max-age") == 7 || text.contains("\""), "seed \(seed): \(text)")
        }
    }
}
