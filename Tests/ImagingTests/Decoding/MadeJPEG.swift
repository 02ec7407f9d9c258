import CImageCodecs
import CMadeJPEG
import Foundation

/// A JPEG of any layout, and what both decoders make of it.
struct MadeJPEG {
    /// A picture's planes, one after the other, row by row.
    typealias Samples = [UInt8]

    let data: Data
    /// Context of the direct decoder; one thread's.
    private let context: OpaquePointer?

    init(_ data: Data, context: OpaquePointer?) {
        self.data = data
        self.context = context
    }

    /// Nil if libjpeg does not write such a file.
    init?(_ made: made_jpeg, context: OpaquePointer?) {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = withUnsafePointer(to: made) { made_jpeg_write($0, &bytes) }
        defer { free(bytes) }
        guard count > 0, let bytes else { return nil }
        self.init(Data(bytes: bytes, count: count), context: context)
    }

    /// True if this processor has the direct decoder.
    static let isDirect: Bool = {
        var (header, plan) = (nb_jpeg_header(), nb_jpeg_plan())
        (header.width, header.height, header.components) = (8, 8, 1)
        (header.horizontal.0, header.vertical.0, header.color) = (1, 1, NB_JPEG_GRAY)
        nb_jpeg_plan_decode(&header, 8, &plan)
        return nb_jpeg_direct_memory(&header, &plan) > 0
    }()

    /// The layout of the planes at eighths; nil for a file whose header libjpeg refuses.
    func plan(_ scale: Int32) -> nb_jpeg_plan? {
        var (header, error, plan) = (nb_jpeg_header(), nb_error(), nb_jpeg_plan())
        let status = data.withUnsafeBytes {
            nb_jpeg_read_header($0.baseAddress, $0.count, &header, &error)
        }
        guard status == NB_OK else { return nil }
        nb_jpeg_plan_decode(&header, scale, &plan)
        return plan
    }

    /// Nil if libjpeg refuses the file.
    func byLibjpeg(_ plan: nb_jpeg_plan, scans: Int32 = 100) -> Samples? {
        samples(plan) { bytes, planes in
            var (plan, error) = (plan, nb_error())
            return nb_jpeg_decode(bytes.baseAddress, bytes.count, &plan, scans, 0, planes, &error) == NB_OK
        }
    }

    /// Nil if the file is left to libjpeg.
    func directly(_ plan: nb_jpeg_plan, scans: Int32 = 100) -> Samples? {
        samples(plan) { bytes, planes in
            var plan = plan
            return nb_jpeg_decode_direct(bytes.baseAddress, bytes.count, &plan, scans, planes, context) != 0
        }
    }

    private func samples(
        _ plan: nb_jpeg_plan,
        _ decode: (UnsafeBufferPointer<UInt8>, UnsafePointer<nb_plane>) -> Bool
    ) -> Samples? {
        let parts = [plan.plane.0, plan.plane.1, plan.plane.2].prefix(Int(plan.count))
        let planes = parts.map { part in
            let stride = (Int(part.columns) + 63) & ~63
            let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: stride * Int(part.rows))
            return nb_plane(
                data: memory,
                stride: stride,
                width: part.width,
                height: part.height,
                sample_bytes: 1
            )
        }
        defer { for plane in planes { plane.data.deallocate() } }
        let isDecoded = data.withUnsafeBytes { bytes in
            decode(bytes.bindMemory(to: UInt8.self), planes)
        }
        guard isDecoded else { return nil }
        return planes.flatMap { plane in
            (0..<Int(plane.height)).flatMap { y in
                UnsafeBufferPointer(start: plane.data + y * plane.stride, count: Int(plane.width))
            }
        }
    }
}
