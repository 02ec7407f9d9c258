import Imaging
import Nuke

/// The pictures that processors bring along and that are loaded as originals are: politely, and once into the cache.
extension OriginalLoader {
    /// Those of the manifest that stand at a URL, before the first item; fewer where `control` stops the run meanwhile.
    ///
    /// - Throws: `RunError.wrongInput` for one that is no image or not there, `machine` where trying again may help.
    func pictures(_ control: RunControl) async throws(RunError) -> [ManifestPicture: Image] {
        var pictures: [ManifestPicture: Image] = [:]
        for picture in manifest.pictures {
            guard case .url(let url) = picture.source, pictures[picture] == nil else { continue }
            do {
                pictures[picture] = try await image(at: url, control)
            } catch {
                let sentence = "\(picture.place): the picture \(url) cannot be used: \(error.message)"
                switch error.handling {
                case .interrupted: return pictures
                case .permanent: throw .wrongInput(sentence)
                default: throw .machine("\(sentence); run again to go on")
                }
            }
        }
        return pictures
    }

    private func image(at url: String, _ control: RunControl) async throws(ItemError) -> Image {
        try await insist(control) { () async throws(ItemError) in
            let original = try await load(url)
            do {
                let image = try ImageDecoder.decode(original.data, limits: ImageLimits(manifest.limits))
                try await original.waitUntilDurable()
                return image
            } catch {
                // What cannot be decoded is not kept: another run is to load it anew.
                if let key = original.cacheKey { cache?.removeData(for: key) }
                throw original.explain(error)
            }
        }
    }
}

extension Manifest {
    /// The pictures that its outputs show.
    var pictures: [ManifestPicture] {
        outputs.flatMap { output in
            sources.indices.flatMap { source in
                steps(of: output, source: source).compactMap { step in
                    if case .watermark(let picture, _) = step { picture } else { nil }
                }
            }
        }
    }
}
