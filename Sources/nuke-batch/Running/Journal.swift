import Files
import Foundation
import JobManifest
import NukeBatch
import Synchronization

/// Sends the events of a run to systemd's journal (`--journal`).
///
/// A journal that takes nothing delays the run by a second at most, and stops nothing: what it missed is counted.
final class Journal: Sendable {
    /// The socket of journald (`systemd-journald.service(8)`).
    private static let path = "/run/systemd/journal/socket"

    private let job: String
    private let descriptor: Int32
    /// The entries that were not taken, and the first error.
    private let lost = Mutex<(count: Int, code: Int32)>((0, 0))

    /// Opens a socket for the events of the job `job`.
    init(job: String) {
        self.job = job
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var patience = timeval(tv_sec: 1, tv_usec: 0)
        // Unsafe by its pointer alone, which lives as long as the call.
        _ = unsafe setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_SNDTIMEO,
            &patience,
            socklen_t(MemoryLayout<timeval>.size)
        )
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Sends an event, unless it is about an item that did not fail.
    func send(_ event: RunEvent) {
        guard let entry = JournalEntry(event, of: job) else { return }
        let isFull = lost.withLock { $0.code == EAGAIN }
        // After a wait in vain, the next entries would wait as well.
        let flags = Int32(MSG_NOSIGNAL) | (isFull ? Int32(MSG_DONTWAIT) : 0)
        guard send(entry.datagram, flags) < 0 else { return }
        let code = errno
        lost.withLock { $0 = ($0.count + 1, code) }
    }

    private func send(_ datagram: Data, _ flags: Int32) -> Int {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        // Unsafe by their pointers alone, which live as long as the calls.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Self.path.utf8) }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe datagram.withUnsafeBytes {
                    unsafe sendto(descriptor, $0.baseAddress, $0.count, flags, address, size)
                }
            }
        }
    }

    /// Warns if the journal did not get all entries.
    func end() {
        let lost = lost.withLock { $0 }
        guard lost.count > 0 else { return }
        let reason = FileError("write to", Self.path, code: lost.code)
        Output.message(
            "warning: \(Quantity.count(lost.count, "event")) \(lost.count == 1 ? "is" : "are") not in the journal: \(reason); leave out --journal where systemd does not run"
        )
    }
}
