import Foundation
import Synchronization

/// Buffers for chunks, each used again once nobody holds the data made of it.
///
/// Fresh memory costs a fault for every page: for large bodies on loopback more than all else together.
final class ChunkBuffers: Sendable {
    /// libcurl reads as much at once.
    static let size = 64 * 1024
    /// How many are kept while nobody needs them.
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

    /// The first `count` bytes of a buffer, which is given back with it; a short chunk is copied, so that who
    /// keeps it keeps no more than that.
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
