import Files
import Foundation
import Imaging

/// The step `watermark`, whose picture is read with the manifest: once for all items, and what is wrong with it is an error
/// of the manifest.
extension Step {
    init?(watermark node: ManifestNode) {
        guard let fields = node.fields(.watermark) else { return nil }
        fields.require("image")
        let picture = fields["image"]?.picture()
        let gravity = Gravity.read(fields["gravity"], default: .southEast)
        let scale = fields["scale"]?.number(0.001...1)
        let opacity = fields["opacity"]?.number(0...1) ?? 1
        let margin = fields["margin"]?.integer(0...node.reading.maxDimension) ?? 0
        let tile = fields["tile"]?.bool() ?? false
        guard let picture, let gravity else { return nil }
        let watermark = Watermark(
            image: picture.image,
            gravity: gravity,
            scale: scale,
            opacity: opacity,
            margin: margin,
            tile: tile
        )
        self = .watermark(watermark, sha256: picture.sha256)
    }
}

extension Watermark {
    /// The picture counts by its bytes, wherever it is: another one makes other outputs.
    func canonical(sha256: String) -> CanonicalJSON {
        .object([
            "image": .string(sha256),
            "gravity": gravity.canonical,
            "scale": scale.map(CanonicalJSON.number) ?? .null,
            "opacity": .number(opacity),
            "margin": .integer(margin),
            "tile": .bool(tile),
        ])
    }
}

/// A picture that a manifest names, decoded.
struct ManifestPicture {
    /// The most bytes that its file may have.
    static let maxByteCount = 100_000_000

    let image: Image
    let sha256: String
}

extension ManifestNode {
    /// The picture at a path, relative to the manifest's folder.
    fileprivate func picture() -> ManifestPicture? {
        guard let name = expandedString() else { return nil }
        let scheme = name.prefix { $0 != ":" && $0 != "/" }
        if scheme.count > 1, name.dropFirst(scheme.count).first == ":" {
            notSupported("a picture from a URL instead of a file")
            return nil
        }
        let path = FilePath.absolute(name, in: reading.folder)
        if let known = reading.pictures[path] { return known }
        do {
            let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
            let folder = try Folder(path: FilePath.folder(of: file.path))
            let data = try folder.read(file.lastPathComponent, limit: ManifestPicture.maxByteCount)
            let picture = ManifestPicture(
                image: try ImageDecoder.decode(data, limits: reading.pictureLimits),
                sha256: Digest.sha256.hex(of: data)
            )
            reading.pictures[path] = picture
            return picture
        } catch {
            report("the picture \(path) cannot be used: \(error)")
            return nil
        }
    }
}
