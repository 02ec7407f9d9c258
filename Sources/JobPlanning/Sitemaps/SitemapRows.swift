import Foundation
package import JobManifest
import Transport

/// The images that a sitemap's files list: those of the image extension, and pages that are images themselves.
struct SitemapRows: RowReading {
    private let files: [LoadedSitemaps.File]
    private let context: RowContext
    private var index = 0
    private var parser: SitemapParser?
    /// The number of relative addresses, which the protocol does not allow, and the place of the first.
    private var relative: (count: Int, first: String)?
    /// The number of images and of pages that are none.
    private var images = 0, pages = 0

    /// Sentences about relative addresses, and about sitemaps without images.
    var warnings: [String] {
        var warnings: [String] = []
        if let relative {
            let addresses = relative.count == 1 ? "1 address is" : "\(relative.count) addresses are"
            warnings.append(
                "\(addresses) relative, the first in \(relative.first): the protocol wants absolute ones; on the web they start from "
                    + "the sitemap, in a file of this machine they are paths"
            )
        }
        if images == 0, pages > 0, let file = files.first {
            let count = pages == 1 ? "1 page and no image" : "\(pages) pages and no image"
            warnings.append(
                "\(file.label) lists \(count): only <image:loc> and addresses with an image's extension are loaded"
            )
        }
        return warnings
    }

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
                if !ItemURL.isURL(entry.address) {
                    relative = ((relative?.count ?? 0) + 1, relative?.first ?? "\(file.label):\(entry.line)")
                }
                if entry.kind == .sitemap { continue }
                guard entry.kind == .image || Self.isImage(entry.address) else {
                    pages += 1
                    continue
                }
                images += 1
                let position = PlannedItem.Position.line(file: file.label, number: entry.line)
                return Row(url: file.resolve(entry.address, context), position: position)
            }
            self.parser = nil
            index += 1
        }
        return nil
    }

    /// The path extensions of images.
    private static let extensions = Set(Glob.imageExtensions)

    private static func isImage(_ address: String) -> Bool {
        let path = address.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard let dot = path.lastIndex(of: UInt8(ascii: ".")) else { return false }
        return extensions.contains(String(Substring(path[path.index(after: dot)...])).lowercased())
    }
}

extension LoadedSitemaps.File {
    /// Returns an address in the file as a URL.
    ///
    /// In a remote sitemap, a relative address starts from that of the sitemap, behind redirects, as in browsers. In a local one, a
    /// bare path is a file.
    package func resolve(_ address: String, _ context: RowContext) -> ItemURL.Checked {
        guard !url.lowercased().hasPrefix("file:") else { return context.check(address) }
        if ItemURL.isURL(address),
            ["http:", "https:"].contains(where: { address.lowercased().hasPrefix($0) })
        {
            return context.check(address)
        }
        guard !address.isEmpty else { return context.check("") }
        do {
            return context.check(try WebURL(address, base: WebURL(base)).description)
        } catch {
            let message = error.scheme.map {
                "a sitemap on the web may list only http and https addresses, not \($0):"
            }
            return ItemURL.Checked(
                url: ItemURL.encoded(address),
                problem: ItemProblem(code: .badURL, message: message ?? error.description)
            )
        }
    }
}
