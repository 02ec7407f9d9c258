internal import CImageCodecs
package import Foundation

extension ImageDecoder {
    /// Throws if a file ends within what no decode of a still image reads: frames behind the first, or the text of a drawing.
    ///
    /// Nothing is decoded, and damage is no matter of this.
    ///
    /// - Throws: `ImagingError` of reason `truncated`.
    package static func checkEnd(of data: Data, header: ImageHeader) throws(ImagingError) {
        guard isCut(data, header.format) else { return }
        throw .truncated(
            "\(header.format.subject) is cut short: it ends before its contents do. Load it again."
        )
    }

    private static func isCut(_ data: Data, _ format: ImageFormat) -> Bool {
        let bytes = ByteReader(data)
        switch format {
        case .gif: return isCut(GIFFrames(bytes))
        case .png: return PNGFrames(bytes).map { isCut($0) } ?? false
        case .webp: return isCut(WebPFrames(bytes))
        #if AVIF || HEIC || PlugIns
        case .avif, .heic: return MediaBoxes.isCutShort(data)
        #endif
        #if JXL || PlugIns
        // Without boxes, only decoding all frames would tell.
        case .jxl: return bytes.tag(at: 4) == "JXL " && MediaBoxes.isCutShort(data, isDescribed: false)
        #endif
        case .svg: return withBytes(data) { nb_svg_is_cut($0, $1) } != 0
        default: return false
        }
    }

    private static func isCut(_ stored: some StoredFrames) -> Bool {
        var frames = stored
        while frames.next() != nil {}
        return frames.isCut
    }
}
