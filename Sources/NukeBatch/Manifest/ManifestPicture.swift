import Files
import Foundation
import Imaging

/// A picture that a manifest names: a file, decoded when the manifest is read, or a URL that is loaded when work begins.
public struct ManifestPicture: Sendable, Hashable {
    /// Where the pixels come from.
    enum Source: Sendable {
        case file(Image)
        /// The URL as written, before its variables are expanded.
        case url(String)
    }

    /// The most bytes that a file may have.
    static let maxByteCount = 100_000_000

    /// What the outputs that show it are known by: SHA-256 of a file's bytes, in hexadecimal, or the URL as written.
    public let identity: String
    let source: Source
    /// The manifest's name for the place where it stands.
    let place: String

    /// Whether both are the same picture, wherever they stand.
    public static func == (one: ManifestPicture, other: ManifestPicture) -> Bool {
        one.identity == other.identity
    }

    /// Hashes what tells it from others.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
    }

    /// Its pixels, which of a URL are `among` those that were loaded.
    func image(among loaded: [ManifestPicture: Image]) throws(ImagingError) -> Image {
        if case .file(let image) = source { return image }
        if let image = loaded[self] { return image }
        throw ImagingError(.processing, "\(place): the picture \(identity) was not loaded.")
    }
}

extension ManifestNode {
    /// The picture at a URL or at a path, which is relative to the manifest's folder.
    func picture() -> ManifestPicture? {
        guard let written = string(), let name = expandedString() else { return nil }
        let checked = ItemURL.check(name, folder: reading.folder, schemes: ["https", "http", "data", "file"])
        if let problem = checked.problem {
            report(problem.message)
            return nil
        }
        guard checked.url.lowercased().hasPrefix("file:") else {
            return ManifestPicture(identity: written, source: .url(written), place: path.description)
        }
        guard let file = URL(string: checked.url) else { return nil }
        if let known = reading.shared.pictures[file.path] { return known }
        do {
            let (image, sha256) = try read(file.resolvingSymlinksInPath())
            let picture = ManifestPicture(identity: sha256, source: .file(image), place: path.description)
            reading.shared.pictures[file.path] = picture
            return picture
        } catch {
            report("the picture \(file.path) cannot be used: \(error)")
            return nil
        }
    }

    private func read(_ file: URL) throws -> (Image, sha256: String) {
        let folder = try Folder(path: FilePath.folder(of: file.path))
        let data = try folder.read(file.lastPathComponent, limit: ManifestPicture.maxByteCount)
        return (
            try ImageDecoder.decode(data, limits: reading.shared.pictureLimits), Digest.sha256.hex(of: data)
        )
    }
}
