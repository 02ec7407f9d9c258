import Foundation
import Synchronization

/// Reusable buffers for chunks.
///
/// A buffer returns to the pool when the data made from it is released.
///
/// Fresh memory costs a page fault per page, which dominates the cost of large bodies on loopback.
final class ChunkBuffers: Sendable {
    /// The size of a buffer in bytes.
    ///
    /// libcurl reads that much at once.
    static let size = 64 * 1024
    /// The most idle buffers to keep.
    private static let kept = 64

    private let free = Mutex<[UInt]>([])

    deinit {
        for address in free.withLock({ $0 }) { UnsafeMutableRawPointer(bitPattern: address)?.deallocate() }
    }

    func take() -> UnsafeMutableRawPointer {
        free.withLock { $0.popLast() }.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
            ?? .allocate(byteCount: Self.size, alignment: 64)
    }

    func giveBack(_ buffer: UnsafeMutableRawPointer) {
        let address = UInt(bitPattern: buffer)
        let isKept = free.withLock { free in
            guard free.count < Self.kept else { return false }
            free.append(address)
            return true
        }
        if !isKept { buffer.deallocate() }
    }

    /// Returns the first `count` bytes of a buffer as data that owns the buffer.
    ///
    /// A short chunk is copied, so that keeping it does not keep the whole buffer.
    func data(_ buffer: UnsafeMutableRawPointer, count: Int) -> Data {
        guard count < Self.size / 2 else {
            return Data(
                bytesNoCopy: buffer,
                count: count,
                deallocator: .custom { [self] buffer, _ in giveBack(buffer) }
            )
        }
        defer { giveBack(buffer) }
        return Data(bytes: buffer, count: count)
    }
}
