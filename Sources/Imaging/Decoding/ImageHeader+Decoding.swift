public import Foundation

/// The header of a file, and what follows from it for a decode.
extension ImageHeader {
    /// Reads the header of an image in any supported format.
    ///
    /// - Throws: `ImagingError` of reason `wrongType` for bytes that are not an image, `unsupported` for an image that
    ///   this build does not decode or a camera's RAW file, `corrupt` or `truncated`.
    public static func read(_ data: Data) throws(ImagingError) -> ImageHeader {
        if let raw = CameraRAW(data) { throw raw.error }
        guard let format = ImageFormat(data) else {
            throw ImagingError(
                .wrongType,
                data.isEmpty
                    ? "The data is empty. An image was expected."
                    : ForeignContent.name(of: data).map {
                        "The data is \($0), not an image. Check what the source sends."
                    }
                        ?? "The data is not an image in a known format. Check what the source sends."
            )
        }
        return try ImageDecoder.codec(of: format).readHeader(data)
    }

    /// The header of an animation's frames; the same header for a still image.
    ///
    /// It differs where an AVIF has frames of another size, orientation or depth, or with other colours, than the still image
    /// beside them, which `ImageDecoder` shows.
    public var ofFrames: ImageHeader {
        #if AVIF || PlugIns
        if format == .avif, animation != nil { return AVIFDecoder.frameHeader(self) }
        #endif
        return self
    }

    /// The upright size of a decode.
    ///
    /// - Parameters:
    ///   - size: As for `ImageDecoder.decode`.
    ///   - bitDepth: As for `ImageDecoder.decode`.
    /// - Returns: At least `size`, as far as the image has the pixels.
    public func decodedSize(covering size: PixelSize?, bitDepth: Int = 8) -> PixelSize {
        let request = DecodeRequest(self, covering: size, bitDepth: bitDepth, limits: ImageLimits())
        let stored = (try? ImageDecoder.codec(of: format).decodedSize(self, request)) ?? storedSize
        return orientation.oriented(stored)
    }

    /// The most bytes that a decode holds at once, of a file that is as it should be.
    ///
    /// Callers use it to bound the work in flight before it starts, and set `ImageLimits.maxMemory` where that must hold
    /// for every file: see `largestDecodeCost`.
    ///
    /// - Parameters:
    ///   - size: As for `ImageDecoder.decode`.
    ///   - bitDepth: As for `ImageDecoder.decode`.
    /// - Returns: Bytes, not counting the file.
    public func decodeCost(covering size: PixelSize?, bitDepth: Int = 8) -> Int {
        let request = DecodeRequest(self, covering: size, bitDepth: bitDepth, limits: ImageLimits())
        // A format without a codec has no header either.
        return (try? ImageDecoder.codec(of: format).decodeCost(self, request)) ?? 0
    }

    /// The most bytes that a decode holds at once, whatever is in the file.
    ///
    /// It is more than `decodeCost` for a JPEG of several scans: if it is damaged, or made in an unusual way, all of its
    /// coefficients are held. A decode that may hold less throws `limits` then.
    ///
    /// - Parameters:
    ///   - size: As for `ImageDecoder.decode`.
    ///   - bitDepth: As for `ImageDecoder.decode`.
    /// - Returns: Bytes, not counting the file.
    public func largestDecodeCost(covering size: PixelSize?, bitDepth: Int = 8) -> Int {
        let request = DecodeRequest(self, covering: size, bitDepth: bitDepth, limits: ImageLimits())
        return (try? ImageDecoder.codec(of: format).largestDecodeCost(self, request)) ?? 0
    }

    /// The metadata of the file.
    func embeddedMetadata(in data: Data) -> EmbeddedMetadata {
        (try? ImageDecoder.codec(of: format))?.readMetadata(data, self) ?? EmbeddedMetadata()
    }
}
