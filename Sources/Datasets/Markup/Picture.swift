import Foundation
import JobManifest
import JobPlanning
import JobStorage

/// The markup of one item: a `<picture>` element with all its images, and the values that it is made of.
struct Picture {
    /// The images of one format.
    private struct Source {
        let mediaType: String?
        let srcset: String
    }

    private let sources: [Source]
    /// The URL and size of the fallback: the widest image of the last format.
    private let url: String
    private let width, height: Int
    /// The `sizes` attribute; nil if there is one width only.
    private let sizes: String?
    private let alt: String
    private let placeholder: String?

    /// Collects the finished images of an item; nil if there is none.
    init?(_ item: ItemRecord, _ markup: Markup, alt: String) {
        var sources: [Source] = []
        var widest: OutputRecord?
        for format in markup.formats {
            let images = format.outputs.compactMap { name in
                item.outputs.first { $0.name == name && $0.state == .done && $0.shardOffset == nil }
            }.filter { $0.path != nil && $0.width != nil && $0.height != nil }
            guard let last = images.last else { continue }
            widest = last
            let candidates = images.map { image in
                let url = Self.url(of: image, markup)
                return markup.sizes == nil ? url : "\(url) \(image.width ?? 0)w"
            }
            sources.append(Source(mediaType: format.mediaType, srcset: candidates.joined(separator: ", ")))
        }
        guard let widest else { return nil }
        self.sources = sources
        url = Self.url(of: widest, markup)
        (width, height) = (widest.width ?? 0, widest.height ?? 0)
        sizes = markup.sizes
        self.alt = alt
        if case .string(let text) = ItemFacts(json: item.facts)?[.placeholder] {
            placeholder = text
        } else {
            placeholder = nil
        }
    }

    /// The element, on one line.
    var html: String {
        var html = "<picture>"
        for source in sources.dropLast() {
            html += "<source"
            if let type = source.mediaType { html += Self.attribute("type", type) }
            html += Self.attribute("srcset", source.srcset) + sizesAttribute + " />"
        }
        html += "<img" + Self.attribute("src", url)
        if sizes != nil, let last = sources.last {
            html += Self.attribute("srcset", last.srcset) + sizesAttribute
        }
        html += Self.attribute("width", String(width)) + Self.attribute("height", String(height))
        html += Self.attribute("alt", alt) + #" loading="lazy" decoding="async" /></picture>"#
        return html
    }

    /// The entry of an index.
    var json: CanonicalJSON {
        .object([
            "width": .integer(width),
            "height": .integer(height),
            "alt": .string(alt),
            "placeholder": placeholder.map(CanonicalJSON.string) ?? .null,
            "picture": .string(html),
            "sources": .array(
                sources.map { source in
                    .object([
                        "type": source.mediaType.map(CanonicalJSON.string) ?? .null,
                        "srcset": .string(source.srcset),
                    ])
                }
            ),
        ])
    }

    private var sizesAttribute: String { sizes.map { Self.attribute("sizes", $0) } ?? "" }

    private static func url(of image: OutputRecord, _ markup: Markup) -> String {
        markup.baseURL + percentEncoded(image.path ?? "")
    }

    /// The unreserved characters of URLs, and the slash.
    private static let unreserved = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/"
    )

    /// Returns a path with every byte but unreserved characters and slashes percent-encoded (RFC 3986, 2.3).
    ///
    /// No comma and no space is left, which would end a candidate of `srcset`.
    static func percentEncoded(_ path: String) -> String {
        path.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    private static func attribute(_ name: String, _ value: String) -> String {
        " \(name)=\"\(escaped(value))\""
    }

    /// Escapes the value of an attribute, for HTML and XML; characters that neither allows become spaces.
    ///
    /// Invisible characters that join or direct text stay: scripts such as Persian need them.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            let isAllowed =
                scalar.properties.generalCategory != .control && scalar.value & 0xFFFE != 0xFFFE
            result += scalar.markupEntity ?? (isAllowed ? String(scalar) : " ")
        }
        return result
    }
}
