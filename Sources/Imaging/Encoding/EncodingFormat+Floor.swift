internal import Foundation

extension EncodingFormat {
    /// Returns the file of the lowest quality that looks as much like `image` as `floor` asks.
    ///
    /// - Parameters:
    ///   - image: What the file is compared with, with all of its colour.
    ///   - floor: The least score.
    ///   - most: The bytes from which on a file is of no use; the search ends where it can find no smaller one with the floor.
    ///   - encode: Returns the file of a format.
    /// - Returns: The file with its score; that of the highest quality if none has the floor.
    /// - Throws: `ImagingError` of reason `processing` for a floor out of range, and for a file that cannot be as small as
    ///   `maxBytes`; that of `encode`, and of the decoder.
    func file(
        of image: Image,
        floor: Double,
        smallerThan most: Int? = nil,
        _ encode: (EncodingFormat) throws(ImagingError) -> Data
    ) throws(ImagingError) -> EncodedImage {
        guard (1...100).contains(floor) else {
            throw .processing("The least SSIMULACRA2 score is \(floor). Give a number from 1 to 100.")
        }
        let reference = try image.converted(to: .rgb)
        // Whoever made the image has allowed its size.
        var limits = ImageLimits()
        limits.maxPixels = max(limits.maxPixels, image.size.area)
        limits.maxDimension = max(limits.maxDimension, image.size.width, image.size.height)
        func score(_ data: Data) throws(ImagingError) -> Double {
            try reference.ssimulacra2(of: try ImageDecoder.decode(data, limits: limits))
        }
        func rated(_ score: Double, lackingFor reason: EncodedImage.Shortfall) -> EncodedImage.Score {
            EncodedImage.Score(ssimulacra2: score, shortfall: score < floor ? reason : nil)
        }
        // A file that is too large for `maxBytes` is followed by a second search.
        var made: [EncodingFormat: Data] = [:]
        func file(_ format: EncodingFormat) throws(ImagingError) -> Data {
            if let data = made[format] { return data }
            let data = try encode(format)
            if maxBytes != nil { made[format] = data }
            return data
        }
        var found: [(format: EncodingFormat, trial: QualitySearch.Trial)] = []
        let searches = qualitySearches(floor: floor)
        for (index, (format, search)) in searches.enumerated()
        where found.last.map({ $0.trial.score < floor }) ?? true {
            var search = search
            // Before the last one, a file with more colour may need fewer bytes.
            if index == searches.count - 1 { search.most = most }
            let trial = try search.run { setting throws(ImagingError) in
                let data = try file(format.with(setting))
                return QualitySearch.Trial(setting: setting, data: data, score: try score(data))
            }
            found.append((format.with(trial.setting), trial))
        }
        guard let trial = found.last?.trial else {
            return EncodedImage(data: try encode(self), quality: quality, score: nil)
        }
        if let limit = maxBytes, trial.data.count > limit, most == nil {
            // In few bytes, a file with less colour may look better, or be the only one that fits.
            var (best, smallest) = (EncodedImage?.none, Int.max)
            for (format, trial) in found {
                switch try format.fit(into: limit, own: trial.data, file) {
                case .tooLarge(let count): smallest = min(smallest, count)
                case .file(let data, let quality):
                    let score = rated(try score(data), lackingFor: .maxBytes)
                    guard score.ssimulacra2 > best?.score?.ssimulacra2 ?? -.infinity else { continue }
                    best = EncodedImage(data: data, quality: quality, score: score)
                }
            }
            guard let best else { throw tooLarge(smallest, limit: limit) }
            return best
        }
        return EncodedImage(
            data: trial.data,
            quality: trial.setting.quality,
            score: rated(trial.score, lackingFor: .quality)
        )
    }
}
