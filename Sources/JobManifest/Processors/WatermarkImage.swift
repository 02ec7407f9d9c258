import Files
import Foundation
package import Imaging
import ObjectStorage
import Transport

/// The image of a watermark: a file, decoded with the manifest, or a URL, loaded when a run begins.
public struct WatermarkImage: Sendable, Hashable {
    /// The source of the pixels.
    package enum Source: Sendable {
        case file(Image)
        /// The URL as written, before its variables are expanded.
        case url(String)
        /// The URL or path of a manifest that is built in code, which has yet to be read.
        case unread
    }

    /// The most bytes that a file may have.
    static let maxByteCount = 100_000_000

    /// The identity in recipes: SHA-256 of a file's bytes, in hexadecimal, or the URL as written.
    public let identity: String
    package let source: Source
    /// The JSON path of its key.
    package let location: String

    /// Returns true if both have the same identity.
    public static func == (one: WatermarkImage, other: WatermarkImage) -> Bool {
        one.identity == other.identity
    }

    /// Hashes what distinguishes it from others.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
    }

    /// Returns its pixels; those of a URL are `among` the loaded ones.
    func image(among loaded: [WatermarkImage: Image]) throws(ImagingError) -> Image {
        if case .file(let image) = source { return image }
        if let image = loaded[self] { return image }
        throw ImagingError(.processing, "\(location): the watermark \(identity) was not loaded.")
    }
}

extension WatermarkImage {
    /// Creates the image at a URL or path, for a manifest that is built in code and reads it.
    ///
    /// A relative path starts from the working directory.
    public init(_ image: String) {
        self.init(identity: image, source: .unread, location: "watermark")
    }
}

extension ManifestNode {
    /// Reads the image at a URL, or at a path relative to the manifest's folder.
    func watermarkImage() -> WatermarkImage? {
        guard let (written, url) = location(schemes: ["https", "http", "data", "file"]) else { return nil }
        guard url.lowercased().hasPrefix("file:") else {
            return WatermarkImage(identity: written, source: .url(written), location: path.description)
        }
        guard let file = URL(encoded: url) else { return nil }
        do {
            let (sha256, image) = try watermarkFile(file)
            return WatermarkImage(identity: sha256, source: .file(image), location: path.description)
        } catch {
            report("the watermark \(file.path) cannot be used: \(error)")
            return nil
        }
    }

    /// Returns the digest of a file and the image in it, which is decoded once for all that show it.
    private func watermarkFile(_ file: URL) throws -> (sha256: String, image: Image) {
        if let known = reading.shared.images[file.path] { return known }
        let kept = try reading.shared.files.kept(file.path)
        let data = try kept ?? Self.contents(of: file.resolvingSymlinksInPath())
        reading.shared.files.note(data, of: file.path)
        let image = try ImageDecoder.decode(data, limits: reading.shared.imageLimits)
        let read = (sha256: Digest.sha256.hex(of: data), image: image)
        reading.shared.images[file.path] = read
        return read
    }

    private static func contents(of file: URL) throws -> Data {
        let folder = try Folder(path: Folder.enclosing(file.path))
        return try folder.read(file.lastPathComponent, limit: WatermarkImage.maxByteCount)
    }
}
