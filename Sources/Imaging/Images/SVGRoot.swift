internal import CImageCodecs
internal import Foundation

/// The size of an SVG drawing in pixels, by the attributes of its root element (SVG 2, sections 7 and 8).
///
/// A missing side follows from the other by the proportions of `viewBox`. Without both sides it is the size of the `viewBox`, and
/// without that 300 × 150 (CSS 2.2, section 10.3.2). Style sheets have no effect on it.
struct SVGRoot: Sendable {
    /// The sides in pixels, of which there are 96 to an inch; 0 if nothing is to be drawn.
    let width, height: Double

    /// Reads the root; nil if the data is not SVG.
    init?(_ data: Data) {
        var root = nb_svg_root()
        guard withBytes(data, { nb_svg_read_root($0, $1, &root) }) != 0 else { return nil }
        self.init(
            width: Self.text(root.width),
            height: Self.text(root.height),
            viewBox: Self.text(root.view_box)
        )
    }

    private init(width: String, height: String, viewBox: String) {
        let numbers = viewBox.split { $0.isWhitespace || $0 == "," }.compactMap { Self.number($0) }
        let isBox = numbers.count == 4 && numbers[2] >= 0 && numbers[3] >= 0
        let box = isBox ? (width: numbers[2], height: numbers[3]) : nil
        guard box.map({ $0.width > 0 && $0.height > 0 }) ?? true else {
            (self.width, self.height) = (0, 0)
            return
        }
        switch (Self.length(width), Self.length(height)) {
        case (let width?, let height?): (self.width, self.height) = (width, height)
        case (let width?, nil):
            (self.width, self.height) = (width, box.map { width * $0.height / $0.width } ?? 150)
        case (nil, let height?):
            (self.width, self.height) = (box.map { height * $0.width / $0.height } ?? 300, height)
        case (nil, nil): (self.width, self.height) = box ?? (300, 150)
        }
    }

    /// The size in whole pixels.
    var size: PixelSize {
        func pixels(_ side: Double) -> Int { max(1, Int(min(side, Double(Int32.max)).rounded())) }
        return PixelSize(width: pixels(width), height: pixels(height))
    }

    /// The pixels of a length; nil for one that depends on where the drawing is shown, or that is none.
    private static func length(_ text: String) -> Double? {
        guard let found = text.lowercased().wholeMatch(of: /\s*(\+?[0-9.]+(?:e[+-]?[0-9]+)?)\s*([a-z]*)\s*/),
            let value = number(found.1)
        else { return nil }
        switch found.2 {
        case "", "px": return value
        case "in": return value * 96
        case "cm": return value * 96 / 2.54
        case "mm": return value * 96 / 25.4
        case "q": return value * 96 / 101.6
        case "pt": return value * 96 / 72
        case "pc": return value * 16
        // Of the font that a browser begins with.
        case "em", "rem": return value * 16
        case "ex", "ch": return value * 8
        default: return nil
        }
    }

    private static func number(_ text: Substring) -> Double? {
        // `Double` knows more: hexadecimal digits, and words.
        guard text.allSatisfy({ "+-.0123456789eE".contains($0) }), let value = Double(text), value.isFinite
        else { return nil }
        return value
    }

    private static func text<Characters>(_ characters: Characters) -> String {
        withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
