/// A piece of HTML (or of SVG in it): what is written in the source stands as it is, every text that is put into it is
/// escaped, so that no name, URL or message can become markup.
package struct HTML: Sendable, ExpressibleByStringInterpolation {
    /// The markup.
    package private(set) var source: String

    package init(stringLiteral value: String) {
        source = value
    }

    package init(stringInterpolation: StringInterpolation) {
        source = stringInterpolation.source
    }

    /// The pieces one after the other, a line each.
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

    /// For text and for values of attributes in quotation marks (HTML, 13.1.2.3); what no document may hold, and what turns the
    /// direction of writing, becomes U+FFFD.
    package static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n", "\t": result += " "
            default:
                let category = scalar.properties.generalCategory
                let isVisible = category != .control && category != .format && category != .surrogate
                result.unicodeScalars.append(isVisible ? scalar : "\u{FFFD}")
            }
        }
        return result
    }
}
