internal import CImageCodecs
internal import Synchronization

/// Tables that the direct JPEG decoder keeps from one image to the next.
///
/// A decode borrows a context that no other one uses, so there are as many as decodes ever ran at once.
struct JPEGContext: @unchecked Sendable {
    // Sendable: only one decode has it at a time, as it is either in `free` or borrowed.
    private let pointer: OpaquePointer?

    private static let free = Mutex<[JPEGContext]>([])

    /// Calls `body` with a context, or with nil without memory for one.
    static func withOne<Result>(_ body: (OpaquePointer?) -> Result) -> Result {
        let context = free.withLock { $0.popLast() } ?? JPEGContext(pointer: nb_jpeg_context_make())
        defer { free.withLock { $0.append(context) } }
        return body(context.pointer)
    }
}
