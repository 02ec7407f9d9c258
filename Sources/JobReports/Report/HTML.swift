import JobPlanning

/// A piece of HTML (or SVG within it).
///
/// Literals are used unchanged and interpolated text is escaped, so that no name, URL or message can become markup.
package struct HTML: Sendable, ExpressibleByStringInterpolation {
    /// The markup.
    package private(set) var source: String

    package init(stringLiteral value: String) {
        source = value
    }

    package init(stringInterpolation: StringInterpolation) {
        source = stringInterpolation.source
    }

    /// Joins the pieces, one per line.
    package init(_ pieces: [HTML]) {
        source = pieces.map(\.source).joined(separator: "\n")
    }

    /// The builder of interpolated literals.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var source = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            source.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) {
            source += literal
        }

        package mutating func appendInterpolation(_ text: String) {
            source += HTML.escaped(text)
        }

        package mutating func appendInterpolation(_ number: Int) {
            source += String(number)
        }

        package mutating func appendInterpolation(_ html: HTML) {
            source += html.source
        }

        package mutating func appendInterpolation(_ pieces: [HTML]) {
            source += HTML(pieces).source
        }
    }

    /// Escapes text and quoted attribute values (HTML, 13.1.2.3).
    ///
    /// Characters that are not allowed in documents, and those that change the direction of text, become U+FFFD.
    package static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n", "\t": result += " "
            default:
                let category = scalar.properties.generalCategory
                let isVisible = category != .control && category != .format && category != .surrogate
                result += scalar.markupEntity ?? (isVisible ? String(scalar) : "\u{FFFD}")
            }
        }
        return result
    }
}
