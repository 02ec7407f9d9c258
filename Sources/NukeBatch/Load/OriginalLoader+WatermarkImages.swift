import Foundation
import Imaging
import JobManifest
import JobPlanning

/// A watermark image at a URL: its pixels, and its file for child processes.
struct LoadedWatermark: Sendable {
    let image: Image
    let file: Data
}

/// Loads watermark images like originals: within the rate limits, and into the cache.
extension OriginalLoader {
    /// Returns the manifest's watermark images at URLs; fewer if `control` stops the run meanwhile.
    ///
    /// - Throws: `RunError.wrongInput` for a missing or invalid image, `machine` if another run may succeed.
    func watermarks(_ control: RunControl) async throws(RunError) -> [WatermarkImage: LoadedWatermark] {
        var watermarks: [WatermarkImage: LoadedWatermark] = [:]
        for watermark in manifest.watermarks {
            guard case .url(let url) = watermark.source, watermarks[watermark] == nil else { continue }
            do {
                watermarks[watermark] = try await image(at: url, control)
            } catch {
                let name = "\(watermark.location): the watermark \(ItemListing.shown(url))"
                let sentence = "\(name) cannot be used: \(error.message)"
                switch error.handling {
                case .interrupted: return watermarks
                case .permanent: throw .wrongInput(sentence)
                default: throw .machine("\(sentence); run again to continue")
                }
            }
        }
        return watermarks
    }

    private func image(at url: String, _ control: RunControl) async throws(ItemError) -> LoadedWatermark {
        try await RetryPolicy(manifest.retry).insist(control) { () async throws(ItemError) in
            let original = try await load(url)
            do {
                let image = try ImageDecoder.decode(original.data, limits: ImageLimits(manifest.limits))
                try await original.waitUntilDurable()
                return LoadedWatermark(image: image, file: original.data)
            } catch {
                forget(original)
                throw original.explain(error)
            }
        }
    }
}

extension Manifest {
    /// The watermarks of its outputs.
    var watermarks: [WatermarkImage] {
        outputs.flatMap { output in
            sources.indices.flatMap { source in
                steps(of: output, source: source).compactMap { step in
                    if case .watermark(let watermark, _) = step { watermark } else { nil }
                }
            }
        }
    }
}
