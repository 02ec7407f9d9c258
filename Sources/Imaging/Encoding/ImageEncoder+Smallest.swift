extension ImageEncoder {
    /// Encodes an image in that one of several formats whose file is the smallest, and tells which.
    ///
    /// The formats are tried one after the other; two files are held at most, beside those of a search. A file that has the
    /// floor is taken before any that has not. Where none has it, the one with the highest score is taken, since sizes say nothing there.
    /// Of equal files, that of the earlier format is taken. The file is that which its format makes alone.
    ///
    /// JPEG is left out if a pixel of the image is not opaque. So is a format whose sides are too short for the image, and one
    /// whose smallest file is above `maxBytes`.
    ///
    /// - Throws: `ImagingError`, like ``encoded(_:as:background:metadata:)``: of what keeps a format from being tried, which
    ///   `unsupported` and `plugIn` do, and of the first format if none is left.
    public static func encoded(
        _ image: Image,
        as choice: SmallestFormat,
        background: RGBColor = .white,
        metadata: ImageMetadata? = nil
    ) throws(ImagingError) -> (file: EncodedImage, format: EncodingFormat) {
        var best: (file: EncodedImage, format: EncodingFormat)?
        var obstacle: ImagingError?
        var encodes = 0
        let isTransparent = image.isTransparent
        for format in choice.candidates where !isTransparent || format.imageFormat != .jpeg {
            do throws(ImagingError) {
                let file = try encoded(
                    image,
                    as: format,
                    background: background,
                    metadata: metadata,
                    smallerThan: best.flatMap { $0.file.hasFloor ? $0.file.data.count : nil }
                )
                encodes += file.encodes
                // A format that loses nothing has no quality to lower.
                if let limit = choice.maxBytes, file.data.count > limit {
                    throw format.tooLarge(file.data.count, limit: limit)
                }
                if best.map({ file.isBetter(than: $0.file) }) ?? true { best = (file, format) }
            } catch {
                guard error.isAboutFormat else { throw error }
                obstacle = obstacle ?? error
            }
        }
        guard var best else {
            throw obstacle
                ?? .processing(
                    "No format can hold the image. Add one to those of which the smallest file is taken, such as WebP."
                )
        }
        best.file.encodes = encodes
        return best
    }
}

extension EncodedImage {
    /// True if the file has the floor, which one that lost nothing has in any case.
    fileprivate var hasFloor: Bool { score?.shortfall == nil }

    /// True if it is taken in the place of `other`, which an earlier format has made.
    fileprivate func isBetter(than other: EncodedImage) -> Bool {
        guard hasFloor == other.hasFloor else { return hasFloor }
        let (mine, others) = (score?.ssimulacra2 ?? 100, other.score?.ssimulacra2 ?? 100)
        if !hasFloor, mine != others { return mine > others }
        return data.count < other.data.count
    }
}

extension Image {
    /// True if a pixel is not opaque.
    fileprivate var isTransparent: Bool {
        alphaPlanes.contains { plane in
            plane.withUnsafeBytes { bytes in
                (0..<plane.height).contains { row in
                    let start = row * plane.stride
                    return bytes[start..<start + plane.width * plane.sampleBytes].contains { $0 != 255 }
                }
            }
        }
    }
}
