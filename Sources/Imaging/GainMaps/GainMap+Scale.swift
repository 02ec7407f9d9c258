extension GainMap {
    /// The map in whole pixels, as it is written.
    var wholePixels: GainMap {
        get throws(ImagingError) {
            let region = image.planes[0].region
            let size = PixelSize(width: Self.pixels(region.width), height: Self.pixels(region.height))
            guard region != Region(size) || image.size != size else { return self }
            return with(try image.resampled(showing: region, to: size))
        }
    }

    static func pixels(_ side: Double) -> Int { max(1, Int(side.rounded())) }
}

extension Image {
    /// The part of a gray or RGB image, at a size: without the halos of sharper filters, which would shine.
    func resampled(showing part: Region, to size: PixelSize) throws(ImagingError) -> Image {
        try mapPlanes { plane throws(ImagingError) in
            try Resampler.resample(plane, region: part, to: size, filter: .bilinear)
        }
    }
}
