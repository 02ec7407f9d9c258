internal import Foundation

extension EncodingFormat {
    /// Returns the file of the highest quality, at most the format's own, that has at most `limit` bytes, and that quality.
    ///
    /// `own` is the file of the format's own quality, if there is one.
    /// - Throws: `ImagingError` of reason `processing` if even the lowest quality gives a larger file; that of `encode`.
    func file(
        within limit: Int,
        own: Data? = nil,
        _ encode: (EncodingFormat) throws(ImagingError) -> Data
    ) throws(ImagingError) -> (data: Data, quality: Int?) {
        switch try fit(into: limit, own: own, encode) {
        case .file(let data, let quality): return (data, quality)
        case .tooLarge(let smallest): throw tooLarge(smallest, limit: limit)
        }
    }

    /// The result of looking for a file of at most so many bytes.
    enum Fit {
        case file(Data, quality: Int?)
        /// The smallest file has more bytes, namely so many.
        case tooLarge(Int)
    }

    /// Looks for the file of the highest quality, at most the format's own, that has at most `limit` bytes.
    ///
    /// `encode` is called with the format's own quality, unless `own` is that file, and, if that file is too large, with at most
    /// seven lower ones: by bisection, since files grow with their quality.
    func fit<Failure: Error>(
        into limit: Int,
        own: Data? = nil,
        _ encode: (EncodingFormat) throws(Failure) -> Data
    ) throws(Failure) -> Fit {
        let own = if let own { own } else { try encode(self) }
        guard own.count > limit else { return .file(own, quality: quality) }
        guard let quality else { return .tooLarge(own.count) }
        var smallest = own.count
        var best: Fit?
        var (low, high) = (lowestQuality, quality - 1)
        while low <= high {
            let middle = (low + high) / 2
            let file = try encode(with(quality: middle))
            smallest = min(smallest, file.count)
            if file.count <= limit {
                best = .file(file, quality: middle)
                low = middle + 1
            } else {
                high = middle - 1
            }
        }
        return best ?? .tooLarge(smallest)
    }

    /// The error of a file that has `smallest` bytes at its lowest quality.
    func tooLarge(_ smallest: Int, limit: Int) -> ImagingError {
        let worst = imageFormat == .jxl ? "largest distance" : "lowest quality"
        let lowest = quality == nil ? "" : " even at the \(worst)"
        return .processing(
            "The \(imageFormat.rawValue) file has \(smallest) bytes\(lowest), but the format's maxBytes allows \(limit). "
                + "Make the image narrower, raise the format's maxBytes, such as to \"\((smallest + 999) / 1000)kB\", or write another format."
        ).aboutFormat
    }
}
