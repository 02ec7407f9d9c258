import Imaging
@testable import JobManifest
import Testing

@Suite struct GravityTests {
    private static let named: [(String, Gravity)] = [
        ("center", .center), ("north", .north), ("northEast", .northEast), ("east", .east),
        ("southEast", .southEast), ("south", .south), ("southWest", .southWest), ("west", .west),
        ("northWest", .northWest),
    ]

    @Test("each word is a point of the compass, and is written again as that word", arguments: named)
    func words(word: String, gravity: Gravity) throws {
        let reading = try NodeReading("\"\(word)\"")
        #expect(Gravity.read(reading.node) == gravity && reading.errors.isEmpty)
        #expect(gravity.canonical.text == "\"\(word)\"")
    }

    @Test("a point is a point, also in the middle")
    func point() throws {
        let reading = try NodeReading(#"{"x": 0.5, "y": 0.5}"#)
        let gravity = Gravity.read(reading.node)
        #expect(gravity == .point(x: 0.5, y: 0.5))
        #expect(gravity?.canonical.text == #"{"x":0.5,"y":0.5}"#)
    }

    @Test("nothing is the centre, or what the step says")
    func nothing() throws {
        #expect(Gravity.read(nil) == .center)
        let reading = try NodeReading(#"{"image": "https://a.example/a.png"}"#)
        #expect(WatermarkStep(object: reading.node)?.placement.gravity == .southEast)
    }

    @Test(
        "words that people write for the points get a hint",
        arguments: [
            ("centre", "center"), ("middle", "center"), ("top", "north"), ("topRight", "northEast"),
            ("right", "east"), ("bottomRight", "southEast"), ("bottom", "south"), ("bottomLeft", "southWest"),
            ("left", "west"), ("topLeft", "northWest"), ("TOPLEFT", "northWest"), ("attention", "smart"),
            ("auto", "smart"),
        ]
    )
    func hints(word: String, hint: String) throws {
        let reading = try NodeReading("\"\(word)\"")
        #expect(Gravity.read(reading.node, others: ["smart"]) == nil)
        #expect(reading.errors.first?.hasSuffix("; did you mean \"\(hint)\"?") == true, "\(reading.errors)")
    }

    @Test("only a crop may be smart")
    func smart() throws {
        let reading = try NodeReading(#""smart""#)
        #expect(reading.node.isSmart && Gravity.read(reading.node) == nil && reading.errors.count == 1)
        #expect(try !NodeReading(#""smarter""#).node.isSmart)
    }
}
