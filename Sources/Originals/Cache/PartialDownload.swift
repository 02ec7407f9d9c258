import Files
import Foundation
import FoundationNetworking
import Synchronization

/// One download, kept on disk while it arrives; removed with the last reference to it, unless it was interrupted.
package final class PartialDownload: Sendable {
    /// The least bytes that are written at a time; more where the disk is slower than the network.
    static let step = PartialDownloads.minimumSize

    private struct State {
        /// The number of bytes, from the beginning, that are on the disk or on their way there.
        var given = 0
        var isWriting = false
        /// True if nothing of this download can be kept.
        var isHopeless = false
        /// True if the file stays when the object is released.
        var isKept = false
        var resumable: ResumableData?
    }

    private let file: PartialFile
    private let state: Mutex<State>

    init(_ file: PartialFile, resumable: ResumableData?) {
        self.file = file
        let given = resumable.map { $0.data.count + $0.overlap.count } ?? 0
        state = Mutex(State(given: given, resumable: resumable))
    }

    deinit {
        let (isThere, isKept) = state.withLock { ($0.given > 0, $0.isKept) }
        guard isThere else { return }
        file.downloads.perform(file.name) { [file] in
            if isKept { file.close() } else { file.remove() }
        }
    }

    /// Takes the part that was on the disk; only once, since it may be large.
    func takeResumableData() -> ResumableData? {
        state.withLock { $0.resumable.take() }
    }

    /// Takes all bytes of `whole` so far, which `body` holds, and writes new ones a step at a time.
    ///
    /// During a write nothing else is written; `again` is called when the next write may start.
    func grow(
        to body: UnnamedFile,
        of whole: @autoclosure () -> ResumableResponse?,
        again: @escaping @Sendable () -> Void
    ) {
        let count = body.count
        let isDue = state.withLock { state in
            let isDue = !state.isWriting && !state.isHopeless && count - state.given >= Self.step
            if isDue { state.isWriting = true }
            return isDue
        }
        guard isDue else { return }
        guard let whole = whole(), count < whole.total, whole.total <= file.downloads.sizeLimit else {
            return state.withLock { $0.isHopeless = true }
        }
        write(count, of: body, whole, then: again)
    }

    /// Keeps all bytes of an interrupted download, which `body` holds.
    /// - Returns: True if they are kept; too few are not, nor those that could not be written to a file.
    func keep(_ body: UnnamedFile?, of whole: ResumableResponse) -> Bool {
        let (given, isHopeless) = state.withLock { ($0.given, $0.isHopeless) }
        let count = body?.count ?? 0
        guard !isHopeless, max(count, given) >= PartialDownloads.minimumSize,
            whole.total <= file.downloads.sizeLimit
        else { return false }
        if let body, count > given { write(count, of: body, whole) }
        release()
        return true
    }

    /// Leaves the bytes on disk to the next load.
    /// - Returns: True if there are any.
    @discardableResult
    func release() -> Bool {
        let isThere = state.withLock { state in
            state.isKept = true
            return state.given > 0
        }
        guard isThere else { return false }
        // Not only with the last reference: an immediate retry must find it.
        file.downloads.perform(file.name) { [file] in file.close() }
        return true
    }

    /// Drops the bytes on disk, since they are not the beginning of this download.
    func startOver() {
        let given = state.withLock { exchange(&$0, with: State()).given }
        if given > 0 { file.downloads.perform(file.name) { [file] in file.remove() } }
    }

    private func write(
        _ count: Int,
        of body: UnnamedFile,
        _ whole: ResumableResponse,
        then: @escaping @Sendable () -> Void = {}
    ) {
        let given = state.withLock { exchange(&$0.given, with: count) }
        file.downloads.perform(file.name) { [weak self, file] in
            let isWritten = file.append(given..<count, of: body, whole)
            self?.state.withLock { state in
                state.isWriting = false
                if !isWritten { state.isHopeless = true }
            }
            then()
        }
    }
}
