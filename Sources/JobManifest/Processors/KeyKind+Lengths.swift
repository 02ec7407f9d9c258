import Imaging

// Lengths in pixels, of which `limits.maxDimension` is the greatest.

extension KeyKind where Value == Int {
    /// A side of an image in pixels, at most what `limits.maxDimension` allows.
    static var side: Self {
        number("pixels, 1 to `maxDimension`", schema: JSONSchema.side) { $0.side() }
    }

    /// A distance in pixels, at most what `limits.maxDimension` allows.
    static var distance: Self {
        number(
            "pixels, 0 to `maxDimension`",
            schema: JSONSchema.integer(0...LimitSettings.largestDimension)
        ) { $0.integer(0...$0.reading.shared.imageLimits.maxDimension) }
    }
}

extension KeyKind where Value == Double {
    /// A length in pixels and their parts, at most what `limits.maxDimension` allows.
    static func length(from least: Double) -> Self {
        KeyKind(
            "pixels, \(CanonicalJSON.plain(least).text) to `maxDimension`",
            schema: JSONSchema.number(least...Double(LimitSettings.largestDimension)),
            read: { $0.number(least...Double($0.reading.shared.imageLimits.maxDimension)) },
            write: CanonicalJSON.number,
            show: CanonicalJSON.plain
        )
    }
}

extension JSONSchema {
    /// A side of an image.
    static let side = integer(1...LimitSettings.largestDimension)
}

extension ManifestNode {
    /// A side of an image in pixels, within what `limits` allows.
    func side() -> Int? { integer(1...reading.shared.imageLimits.maxDimension) }
}
