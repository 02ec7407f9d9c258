internal import Foundation

extension EncodingFormat {
    /// The maximum size of a file in bytes; nil for no limit.
    var maxBytes: Int? {
        switch self {
        case .jpeg(let options): options.maxBytes
        case .webp(let options): options.maxBytes
        case .avif(let options): options.maxBytes
        case .jxl(let options): options.maxBytes
        case .png: nil
        }
    }

    /// Returns the file of the highest quality, at most the format's own, that has at most `limit` bytes, and that quality.
    ///
    /// `encode` is called with the format's own quality and, if that file is too large, with at most eight lower ones:
    /// by bisection, since files grow with their quality.
    /// - Throws: `ImagingError` of reason `processing` if even the lowest quality gives a larger file; that of `encode`.
    func file(
        within limit: Int,
        _ encode: (EncodingFormat) throws(ImagingError) -> Data
    ) throws(ImagingError) -> (data: Data, quality: Int?) {
        let own = try encode(self)
        guard own.count > limit else { return (own, quality) }
        guard let quality else { throw tooLarge(own.count, limit: limit) }
        var smallest = own.count
        var best: (data: Data, quality: Int?)?
        var (low, high) = (lowestQuality, quality - 1)
        while low <= high {
            let middle = (low + high) / 2
            let file = try encode(with(quality: middle))
            smallest = min(smallest, file.count)
            if file.count <= limit {
                best = (file, middle)
                low = middle + 1
            } else {
                high = middle - 1
            }
        }
        guard let best else { throw tooLarge(smallest, limit: limit) }
        return best
    }

    private func tooLarge(_ smallest: Int, limit: Int) -> ImagingError {
        let worst = imageFormat == .jxl ? "largest distance" : "lowest quality"
        let lowest = quality == nil ? "" : " even at the \(worst)"
        return ImagingError(
            .processing,
            "The \(imageFormat.rawValue) file has \(smallest) bytes\(lowest), but the format's maxBytes allows \(limit). "
                + "Make the image narrower, raise the format's maxBytes, such as to \"\((smallest + 999) / 1000)kB\", or write another format."
        )
    }
}
