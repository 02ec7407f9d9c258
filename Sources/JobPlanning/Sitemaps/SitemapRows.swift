import Foundation
package import JobManifest

/// The images that a sitemap's files list: those of the image extension, and pages that are images themselves.
struct SitemapRows: RowReading {
    private let files: [LoadedSitemaps.File]
    private let context: RowContext
    private var index = 0
    private var parser: SitemapParser?

    init(_ files: [LoadedSitemaps.File], context: RowContext) {
        self.files = files
        self.context = context
    }

    mutating func next() throws(SourceError) -> Row? {
        while index < files.count {
            let file = files[index]
            let parser = if let open = self.parser { open } else { try file.open() }
            self.parser = parser
            while let entry = try parser.next() {
                if entry.kind == .sitemap || entry.kind == .page && !Self.isImage(entry.address) { continue }
                let position = PlannedItem.Position.line(file: file.label, number: entry.line)
                return Row(url: file.resolve(entry.address, context), position: position)
            }
            self.parser = nil
            index += 1
        }
        return nil
    }

    /// The path extensions of images.
    private static let extensions: Set = [
        "jpg", "jpeg", "png", "webp", "gif", "avif", "heic", "heif", "tif", "tiff", "bmp",
    ]

    private static func isImage(_ address: String) -> Bool {
        let path = address.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard let dot = path.lastIndex(of: UInt8(ascii: ".")) else { return false }
        return extensions.contains(String(Substring(path[path.index(after: dot)...])).lowercased())
    }
}

extension LoadedSitemaps.File {
    /// Returns an address in the file as a URL.
    ///
    /// In a remote sitemap, an address without a scheme or a host takes those of the sitemap. In a local one, a bare
    /// path is a file.
    package func resolve(_ address: String, _ context: RowContext) -> ItemURL.Checked {
        let isWeb = ["http://", "https://"].contains { address.lowercased().hasPrefix($0) }
        guard !isWeb, !url.lowercased().hasPrefix("file:") else { return context.check(address) }
        let name = address.prefix { $0 != ":" && $0 != "/" && $0 != "?" && $0 != "#" }
        guard !address.isEmpty, name.endIndex == address.endIndex || address[name.endIndex] != ":" else {
            let message = "a sitemap on the web may list only http and https addresses, not \(name):"
            return ItemURL.Checked(
                url: ItemURL.encoded(address),
                problem: ItemProblem(code: .badURL, message: message)
            )
        }
        let base = URL(string: url)
        return context.check(URL(string: address, relativeTo: base)?.absoluteString ?? address)
    }
}
