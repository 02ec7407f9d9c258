internal import CImageCodecs
package import Foundation

/// Keeps JPEGs as JPEG XL, from which their exact bytes can be had back (ISO/IEC 18181-2, reconstruction data).
///
/// All functions may be called from any thread, and take as much memory as `cost(of:)` says.
package enum JPEGTranscoder {
    /// Bytes of memory for each pixel, in either direction; measured: up to 36, with three channels.
    private static let pixelCost = 40
    /// Bytes that libjxl takes for an image of any size.
    private static let fixedCost = 16 << 20
    /// The most pixels of a JPEG (ITU-T T.81, B.2.2).
    private static let mostPixels = 65535 * 65535

    /// True if this build has libjxl, be it as a plug-in.
    package static var isBuilt: Bool {
        #if JXL || PlugIns
        true
        #else
        false
        #endif
    }

    /// Returns the bytes of memory that transcoding takes; nil if the data is no JPEG of one or three channels.
    package static func cost(of jpeg: Data) -> Int? {
        guard jpeg.starts(with: [0xFF, 0xD8, 0xFF]), let header = try? JPEGDecoder.readHeader(jpeg),
            header.colorModel != .cmyk
        else { return nil }
        return cost(ofPixels: header.storedSize.area)
    }

    /// Returns the memory that giving back takes; nil if the file is no JPEG XL, or one of more pixels than a JPEG can have.
    package static func cost(ofGivingBack file: Data) -> Int? {
        #if JXL || PlugIns
        guard let area = (try? JXLDecoder.readHeader(file))?.storedSize.area, area <= mostPixels else {
            return nil
        }
        return cost(ofPixels: area)
        #else
        return nil
        #endif
    }

    private static func cost(ofPixels count: Int) -> Int {
        count.multipliedClamping(by: pixelCost).addingClamping(fixedCost)
    }

    /// Returns the JPEG as a JPEG XL, from which its bytes were had back; nil if it would not be smaller, or cannot be kept so.
    package static func compress(_ jpeg: Data) -> Data? {
        #if JXL || PlugIns
        guard jpeg.count > 1 else { return nil }
        var file = Data(count: jpeg.count - 1)
        var (count, error) = (0, nb_error())
        let status = file.withUnsafeMutableBytes { file in
            withBytes(jpeg) { nb_jxl_from_jpeg($0, $1, bytes(file), file.count, &count, &error) }
        }
        guard status == NB_OK else { return nil }
        file = file.prefix(count)
        return decompress(file, count: jpeg.count) == jpeg ? file : nil
        #else
        return nil
        #endif
    }

    /// Returns the JPEG of `count` bytes that was compressed; nil if the file is damaged.
    package static func decompress(_ file: Data, count: Int) -> Data? {
        #if JXL || PlugIns
        guard count > 0 else { return nil }
        var jpeg = Data(count: count)
        var error = nb_error()
        let status = jpeg.withUnsafeMutableBytes { jpeg in
            withBytes(file) { nb_jxl_to_jpeg($0, $1, bytes(jpeg), jpeg.count, &error) }
        }
        return status == NB_OK ? jpeg : nil
        #else
        return nil
        #endif
    }

    private static func bytes(_ buffer: UnsafeMutableRawBufferPointer) -> UnsafeMutablePointer<UInt8>? {
        buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
    }
}
